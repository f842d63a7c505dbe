//! What the peer sends is what the script has, byte for byte: read back by what the host sends
//! again.

use windtunnel_packetdrill::{Script, Verdict, play};

/// A host that listens echoes what it was asked for: its options answer those of the SYN.
#[test]
fn options_of_the_peer_reach_the_host_over_both_versions_of_ip() {
    for (version, largest) in [("ipv4", 1460), ("ipv6", 1440)] {
        let text = format!(
            "--ip_version={version}\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n0 listen(3, 1) = 0\n\
             0 < S 7:7(0) win 1000 <mss 600,sackOK,TS val 77 ecr 0,nop,wscale 3>\n\
             0 > S. 0:0(0) ack 8 <mss {largest},sackOK,TS val 9 ecr 77,nop,wscale 7>\n\
             .1 < . 8:8(0) ack 1 win 125 <nop,nop,TS val 99 ecr 9>\n0 accept(3, ..., ...) = 4\n\
             .1 write(4, ..., 588) = 588\n+0 > P. 1:589(588) ack 8 <nop,nop,TS val 109 ecr 99>\n\
             +.1 < . 108:118(10) ack 589 win 125 <nop,nop,TS val 199 ecr 109>\n\
             +0 > . 589:589(0) ack 8 <nop,nop,TS val 209 ecr 99,nop,nop,sack 108:118>\n"
        );
        let script = Script::read("script.pkt", &text).unwrap_or_else(|it| panic!("{it}"));
        assert_eq!(play(&script).verdict, Verdict::Passes, "{version}");
    }
}

#[test]
fn reports_of_routers_reach_the_host_over_both_versions_of_ip() {
    for (version, largest, mtu, left) in [("ipv4", 1460, 1200, 1160), ("ipv6", 1440, 1300, 1240)] {
        let word = if version == "ipv4" { "unreachable frag_needed" } else { "packet_too_big" };
        let (end, length) = (largest + 1, largest);
        let text = format!(
            "--ip_version={version}\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n0 listen(3, 1) = 0\n\
             0 < S 0:0(0) win 60000 <mss {largest}>\n0 > S. 0:0(0) ack 1 <mss {largest}>\n\
             .1 < . 1:1(0) ack 1 win 60000\n0 accept(3, ..., ...) = 4\n\
             .1 write(4, ..., {length}) = {length}\n+0 > P. 1:{end}({length}) ack 1\n\
             +.05 < icmp {word} mtu {mtu} [1:{end}({length})]\n\
             +0 > . 1:{}({left}) ack 1\n+0 > P. {}:{end}({}) ack 1\n",
            left + 1,
            left + 1,
            length - left,
        );
        let script = Script::read("script.pkt", &text).unwrap_or_else(|it| panic!("{it}"));
        assert_eq!(play(&script).verdict, Verdict::Passes, "{version}");
    }
}
