//! Queries that a root does not look up, and what it says instead (RFC 1035, section 4.1.1, and
//! RFC 6891).

use domain::base::iana::{Class, ExtendedErrorCode, Opcode, OptRcode};
use domain::base::{Message, Rtype};

/// The only version of EDNS that there is.
const EDNS_VERSION: u8 = 0;

/// The response code and the extended error (RFC 8914) of a query that is not looked up.
pub(crate) type Refusal = (OptRcode, ExtendedErrorCode);

/// Why a query is not looked up; none if it is.
pub(crate) fn refusal(query: &Message<[u8]>) -> Option<Refusal> {
    // Not looked at any further: other opcodes have other sections (RFC 2136, section 2).
    if query.header().opcode() != Opcode::QUERY {
        return Some((OptRcode::NOTIMP, ExtendedErrorCode::NOT_SUPPORTED));
    }
    let Ok(question) = query.sole_question() else {
        return Some((OptRcode::FORMERR, ExtendedErrorCode::OTHER));
    };
    match options(query) {
        // At most one (RFC 6891, section 6.1.1).
        None | Some(2..) => return Some((OptRcode::FORMERR, ExtendedErrorCode::OTHER)),
        Some(0 | 1) => {}
    }
    // RFC 6891, section 6.1.3.
    if query.opt().is_some_and(|it| it.version() > EDNS_VERSION) {
        return Some((OptRcode::BADVERS, ExtendedErrorCode::NOT_SUPPORTED));
    }
    let is_known = matches!(question.qclass(), Class::IN | Class::ANY);
    (!is_known).then_some((OptRcode::REFUSED, ExtendedErrorCode::NOT_SUPPORTED))
}

/// How many records of EDNS a message has; none if its sections cannot be read.
fn options(message: &Message<[u8]>) -> Option<usize> {
    let mut count = 0;
    for record in message.additional().ok()? {
        count += usize::from(record.ok()?.rtype() == Rtype::OPT);
    }
    Some(count)
}
