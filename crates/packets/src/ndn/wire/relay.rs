//! Interests as a forwarder sends them on.

use super::element_type::ElementType;
use super::error::DecodeError;
use super::tlv::{packet_of_type, write_element, write_nested};

/// The elements that come before a nonce.
const BEFORE_NONCE: [ElementType; 4] = [
    ElementType::NAME,
    ElementType::CAN_BE_PREFIX,
    ElementType::MUST_BE_FRESH,
    ElementType::FORWARDING_HINT,
];

/// The Interest that fills `input` with that nonce, and with that hop limit if it has one; all
/// else, known or not, stays as it came.
///
/// # Errors
/// See [`DecodeError`].
pub fn relay_interest(
    input: &[u8],
    nonce: u32,
    hop_limit: Option<u8>,
) -> Result<Vec<u8>, DecodeError> {
    let element = packet_of_type(input, ElementType::INTEREST)?;
    let mut fields = Vec::new();
    let mut reader = element.elements();
    while let Some(field) = reader.element()? {
        fields.push(field);
    }
    let place = fields.iter().take_while(|it| BEFORE_NONCE.contains(&it.element_type)).count();
    let mut output = Vec::with_capacity(input.len() + 6);
    write_nested(&mut output, ElementType::INTEREST, |output| {
        for (index, field) in fields.iter().enumerate() {
            if index == place {
                write_element(output, ElementType::NONCE, &nonce.to_be_bytes());
            }
            match (field.element_type, hop_limit) {
                (ElementType::NONCE, _) => {}
                (ElementType::HOP_LIMIT, Some(hops)) => {
                    write_element(output, ElementType::HOP_LIMIT, &[hops]);
                }
                _ => write_element(output, field.element_type, field.value),
            }
        }
        if place == fields.len() {
            write_element(output, ElementType::NONCE, &nonce.to_be_bytes());
        }
    });
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::super::{Interest, Name};
    use super::*;

    fn interest(name: &str) -> Interest<'static> {
        Interest::new(name.parse::<Name<'static>>().expect("it is a name"))
    }

    #[test]
    fn only_nonce_and_hop_limit_change() {
        let before = Interest {
            can_be_prefix: true,
            nonce: Some(1),
            lifetime_ms: Some(500),
            hop_limit: Some(9),
            ..interest("/a/b")
        };
        let sent = relay_interest(&before.encode().unwrap(), 7, Some(8)).unwrap();
        let after = Interest { nonce: Some(7), hop_limit: Some(8), ..before };
        assert_eq!(Interest::decode(&sent), Ok(after));
    }

    #[test]
    fn one_without_a_nonce_gets_one_and_what_is_unknown_stays() {
        let bytes = interest("/a").encode().unwrap();
        let named = Interest { nonce: Some(7), ..interest("/a") };
        assert_eq!(relay_interest(&bytes, 7, None).unwrap(), named.encode().unwrap());
        // Type 254 may be ignored.
        let mut unknown = named.encode().unwrap();
        unknown[1] += 5;
        unknown.extend([0xFD, 0, 0xFE, 1, 3]);
        assert_eq!(relay_interest(&unknown, 7, None).unwrap(), unknown);
    }
}
