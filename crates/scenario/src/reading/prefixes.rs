//! The prefixes of a scenario, each of NDN or of CCNx.

use indexmap::IndexMap;
use windtunnel_packets::ndn::PacketFormat;
use windtunnel_packets::ndn::wire::Name;

use crate::reading::error::Mistake;
use crate::reading::located::Located;

/// How the names of CCNx begin (RFC 8569, section 3).
const CCNX: &str = "ccnx:";
/// Room beside the largest payload, the largest signature and the headers.
const MOST_NAME: usize = 250;

/// All prefixes in use, in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Prefixes(IndexMap<Name<'static>, PacketFormat>);

impl Prefixes {
    /// The number of a prefix, which is added if it is new.
    pub(crate) fn insert(&mut self, uri: &Located<String>) -> Result<usize, Mistake> {
        let (name, format) = parse(uri)?;
        self.check_protocol(uri, &name, format)?;
        Ok(self.0.insert_full(name, format).0)
    }

    /// What is below one prefix is of one protocol.
    fn check_protocol(
        &self,
        uri: &Located<String>,
        name: &Name<'static>,
        format: PacketFormat,
    ) -> Result<(), Mistake> {
        let is_related = |it: &Name<'_>| it.is_prefix_of(name) || name.is_prefix_of(it);
        let Some((other, _)) = self.0.iter().find(|(it, of)| **of != format && is_related(it))
        else {
            return Ok(());
        };
        let [this, that] = match format {
            PacketFormat::Ndn => ["NDN", "CCNx"],
            PacketFormat::Ccnx => ["CCNx", "NDN"],
        };
        let message = format!("`{}` is a name of {this}, and `{other}` one of {that}", uri.value);
        let help = "write both with `ccnx:` or both without; who asks and who serves must agree";
        Err(uri.mistake(message).help(help))
    }

    /// A prefix, by its number.
    pub(crate) fn name(&self, number: usize) -> &Name<'static> {
        self.0.get_index(number).expect("it was inserted").0
    }

    /// Its protocol.
    pub(crate) fn format(&self, number: usize) -> PacketFormat {
        self.0[number]
    }

    /// The names, and how packets below each are encoded.
    pub(crate) fn into_parts(self) -> (Vec<Name<'static>>, Vec<PacketFormat>) {
        self.0.into_iter().unzip()
    }
}

/// A prefix from its URI, and its protocol.
pub(crate) fn parse(uri: &Located<String>) -> Result<(Name<'static>, PacketFormat), Mistake> {
    let (text, format) = match uri.value.strip_prefix(CCNX) {
        Some(rest) => (rest, PacketFormat::Ccnx),
        None => (uri.value.as_str(), PacketFormat::Ndn),
    };
    let name = text.parse::<Name<'static>>().map_err(|error| {
        uri.mistake(format!("`{}` is not a valid name: {error}", uri.value))
            .help("write one such as \"/video/news\"")
    })?;
    if !format.has(&name) {
        let message = format!("`{}` has a component of a type that CCNx lacks", uri.value);
        return Err(uri.mistake(message).help("write one such as \"ccnx:/video/news\""));
    }
    match name.components_size() {
        ..=MOST_NAME => Ok((name, format)),
        size => Err(uri
            .mistake(format!("a name of {size} bytes is too long"))
            .help(format!("write one of at most {MOST_NAME} bytes; a packet has at most 8800"))),
    }
}
