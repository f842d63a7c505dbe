//! Files that say what a live NDN forwarder does: where it listens, which faces and routes it
//! has, and how it forwards.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_networks::ndn::link_service::LinkService;
use windtunnel_packets::ndn::PacketFormat;
use windtunnel_packets::ndn::wire::Name;
use windtunnel_world::NodePlan;

use crate::network::nodes::{ContentStore, InterestMarks, Names, Node, Strategy};
use crate::reading::error::{Mistake, ScenarioError};
use crate::reading::located::{Located, Named};
use crate::reading::prefixes;
use crate::reading::reader;
use crate::reading::schema::explained;
use crate::reading::tree;
use crate::reading::units::{Bytes, Measured};

/// The port of NDN, over UDP and TCP (the port that NFD uses; IANA: ndn-udp, ndn-tcp).
pub const NDN_PORT: u16 = 6363;

/// What carries a face's packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceProtocol {
    /// A datagram has one link packet.
    Udp,
    /// Link packets follow each other.
    Tcp,
}

/// Where a face listens, or what it is connected with: `udp://127.0.0.1:6363`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaceAddress {
    /// What carries its packets.
    pub protocol: FaceProtocol,
    /// The address.
    pub address: SocketAddr,
}

impl FromStr for FaceAddress {
    type Err = String;

    /// Reads `udp://HOST:PORT` or `tcp://HOST:PORT`; the port is 6363 if there is none.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not the address of a face; write one such as \
                 \"udp://127.0.0.1:{NDN_PORT}\" or \"tcp://127.0.0.1:{NDN_PORT}\""
            )
        };
        let (protocol, host) = text.split_once("://").ok_or_else(wrong)?;
        let protocol = match protocol {
            "udp" | "udp4" | "udp6" => FaceProtocol::Udp,
            "tcp" | "tcp4" | "tcp6" => FaceProtocol::Tcp,
            _ => return Err(wrong()),
        };
        let resolved = match host.to_socket_addrs() {
            Ok(all) => all.collect::<Vec<_>>(),
            Err(_) => {
                let host = host.trim_start_matches('[').trim_end_matches(']');
                (host, NDN_PORT).to_socket_addrs().map_err(|_| wrong())?.collect()
            }
        };
        let address = resolved.first().copied().ok_or_else(wrong)?;
        Ok(Self { protocol, address })
    }
}

impl fmt::Display for FaceAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = match self.protocol {
            FaceProtocol::Udp => "udp",
            FaceProtocol::Tcp => "tcp",
        };
        write!(formatter, "{protocol}://{}", self.address)
    }
}

/// A live NDN forwarder.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    /// Where it listens; default: on UDP and TCP at 127.0.0.1:6363.
    listen: Option<Vec<Located<String>>>,
    /// The content store; default: 4096 packets.
    content_store: Option<ContentStore>,
    /// How it chooses among next hops.
    #[serde(default)]
    strategy: Strategy,
    /// What happens to a congestion mark on an Interest.
    #[serde(default)]
    interest_marks: InterestMarks,
    /// What it is connected with, by names.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Face>")]
    faces: Named<Face>,
    /// What leads where; producers beside it add theirs.
    #[serde(default)]
    routes: Vec<Route>,
}

/// A face with another forwarder, or with a producer that listens.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Face {
    /// What it is connected with, such as `udp://192.0.2.1:6363`.
    remote: Located<String>,
    /// The most bytes of a packet in a datagram: larger ones are fragmented. Default over
    /// UDP: 1472 B, or 8800 B on this machine; over TCP nothing is fragmented.
    mtu: Option<Located<Measured<Bytes>>>,
}

/// A route.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Route {
    /// What begins so …
    prefix: Located<String>,
    /// … goes over this face.
    face: Located<String>,
    /// Among faces for the same prefix, the lower, the better.
    #[serde(default)]
    cost: u64,
}

/// What a live forwarder does.
#[derive(Clone, Debug)]
pub struct ForwarderPlan {
    /// Where it listens.
    pub listen: Vec<FaceAddress>,
    /// What it is connected with.
    pub faces: Vec<FacePlan>,
    /// What leads where.
    pub routes: Vec<RoutePlan>,
    /// How it forwards.
    pub node: NodePlan,
}

/// A face that is there from the start.
#[derive(Clone, Debug)]
pub struct FacePlan {
    /// Its name.
    pub name: String,
    /// What it is connected with.
    pub remote: FaceAddress,
    /// The most bytes of a packet there, if limited otherwise than by default.
    pub mtu: Option<u16>,
}

/// A route that is there from the start.
#[derive(Clone, Debug)]
pub struct RoutePlan {
    /// Its prefix.
    pub prefix: Name<'static>,
    /// The index of its face.
    pub face: usize,
    /// The lower, the better.
    pub cost: u64,
}

/// Reads a forwarder's file; `file` is the name that errors give.
///
/// # Errors
/// [`ScenarioError`] says what is wrong, where, and what would be right.
pub fn read_forwarder(file: &str, text: &str) -> Result<ForwarderPlan, ScenarioError> {
    parse(text).and_then(|it| it.plan()).map_err(|it| it.locate(file, text, None))
}

fn parse(text: &str) -> Result<File, Mistake> {
    let schema = || schemars::schema_for!(File).to_value();
    reader::read(tree::parse(text)?).map_err(|it| explained(it, schema))
}

impl File {
    fn plan(self) -> Result<ForwarderPlan, Mistake> {
        let listen = match &self.listen {
            Some(all) => all.iter().map(address).collect::<Result<_, _>>()?,
            None => [FaceProtocol::Udp, FaceProtocol::Tcp]
                .map(|protocol| FaceAddress {
                    protocol,
                    address: ([127, 0, 0, 1], NDN_PORT).into(),
                })
                .to_vec(),
        };
        let faces = self.faces.iter().map(|(name, it)| it.plan(name.get_ref()));
        let faces = faces.collect::<Result<_, _>>()?;
        let names = Names::of("face", &self.faces);
        let routes = self.routes.iter().map(|it| it.plan(&names)).collect::<Result<_, _>>()?;
        let store = self.content_store.unwrap_or_else(ContentStore::of_a_live_forwarder);
        let node = Node::forwarding(store, self.strategy, self.interest_marks).plan("forwarder");
        Ok(ForwarderPlan { listen, faces, routes, node })
    }
}

fn address(text: &Located<String>) -> Result<FaceAddress, Mistake> {
    text.value.parse().map_err(|error: String| {
        let (message, help) = error.split_once("; ").expect("it says what would be right");
        text.mistake(message).help(help)
    })
}

impl Face {
    fn plan(&self, name: &str) -> Result<FacePlan, Mistake> {
        const LEAST: u64 = LinkService::MINIMUM_MTU as u64;
        let mtu = match &self.mtu {
            None => None,
            Some(mtu) => {
                let bytes = mtu.value.0.0;
                mtu.checked(
                    |_| (LEAST..=65_507).contains(&bytes),
                    || format!("an MTU of {bytes} B is out of range"),
                    &format!("write {LEAST} B to 65507 B, such as mtu = \"1472 B\""),
                )?;
                Some(bytes as u16)
            }
        };
        Ok(FacePlan { name: name.to_owned(), remote: address(&self.remote)?, mtu })
    }
}

impl Route {
    fn plan(&self, faces: &Names<'_>) -> Result<RoutePlan, Mistake> {
        let (prefix, format) = prefixes::parse(&self.prefix)?;
        self.prefix.checked(
            |_| format == PacketFormat::Ndn,
            || format!("`{}` is a name of CCNx", self.prefix.value),
            "write a name of NDN, such as \"/example\"",
        )?;
        Ok(RoutePlan { prefix, face: faces.index(&self.face)?, cost: self.cost })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &str = include_str!("../../../../scenarios/live/ndn.toml");

    #[test]
    fn a_file_says_where_it_listens_and_what_leads_where() {
        let plan = read_forwarder("ndn.toml", VALID).expect("it is right");
        assert_eq!(plan.listen[1].to_string(), "tcp://127.0.0.1:6363");
        assert_eq!((plan.faces[0].mtu, plan.routes[0].cost), (Some(1472), 10));
        assert_eq!((plan.node.cached, plan.node.strategy), (4096, "best-route"));
        let all = read_forwarder("ndn.toml", "").expect("it is right");
        assert_eq!((all.listen, all.node.cached), (plan.listen, 4096));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (old, new, expected) in [
            ("\"udp://127.0.0.1:6364\"", "\"here\"", "not the address of a face"),
            ("\"1472 B\"", "\"100 B\"", "an MTU of 100 B is out of range"),
            ("face = \"north\"", "face = \"nort\"", "there is no face `nort`"),
            ("prefix = \"/north\"", "prefix = \"north\"", "not a valid name"),
            ("prefix = \"/north\"", "prefix = \"ccnx:/north\"", "a name of CCNx"),
            ("\"best-route\"", "\"best\"", "unknown value `best`"),
            ("cost = 10", "costs = 10", "unknown key `costs`"),
            ("listen = [", "listens = [", "unknown key `listens`"),
        ] {
            assert!(VALID.contains(old), "{old} stands there");
            let text = VALID.replacen(old, new, 1);
            let error = read_forwarder("ndn.toml", &text).expect_err("the text is wrong");
            assert!(error.place.is_some(), "{error}");
            assert!(error.to_string().contains(expected), "`{expected}` is not in: {error}");
        }
    }
}
