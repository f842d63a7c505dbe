//! What others make of the packets that we send.

use std::fs::File;
use std::process::Command;
use std::time::Duration;

use pcap_file::DataLink;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};

use crate::common::skipping::skipped;
use crate::exchange::{Exchange, exchange};
use crate::impaired::Impaired;
use crate::network::{Network, Version};
use crate::recorder::Recorder;

#[test]
fn tshark_finds_no_fault_with_what_we_send() {
    if Command::new("tshark").arg("--version").output().is_err() {
        skipped("there is no tshark");
        return;
    }
    let Some(network) = Network::new() else { return };
    network.set("tcp_ecn", "1");
    let mut packets = Vec::new();
    for version in [Version::V4, Version::V6] {
        let mut host = network.host("prague", 1500);
        let wire = Impaired::new(&network.interface, network.clock, 3);
        let (to_kernel, to_us) = (1_000_000, 1_000_000);
        let it = Exchange { version, to_kernel, to_us, ..Exchange::default() };
        exchange(&network, &mut host, Recorder::new(wire, &mut packets), it);
    }
    let file = std::env::temp_dir().join(format!("tcp-wire-{}.pcap", std::process::id()));
    let header = PcapHeader { datalink: DataLink::RAW, ..PcapHeader::default() };
    let mut writer = PcapWriter::with_header(File::create(&file).unwrap(), header).unwrap();
    let ours: Vec<_> = packets.iter().filter(|it| it.is_ours).collect();
    for it in &ours {
        let time = Duration::from_nanos(it.time.as_nanos());
        let packet = PcapPacket::new(time, it.bytes.len() as u32, &it.bytes);
        writer.write_packet(&packet).unwrap();
    }
    drop(writer);
    let tshark = |filter: &str| {
        let output = Command::new("tshark")
            .args(["-r", file.to_str().unwrap(), "-Y", filter])
            .args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"])
            // Our port may be that of a protocol which it knows, and the data is random.
            .args(["-d", "tcp.port==1-65535,data"])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
    };
    let found = tshark(
        "tcp.checksum.status == 0 || ip.checksum.status == 0 || _ws.malformed || \
         _ws.expert.severity == error || tcp.options.unknown",
    );
    let read = tshark("tcp").lines().filter(|it| it.contains("TCP")).count();
    std::fs::remove_file(&file).unwrap();
    let found: Vec<&str> = found.lines().filter(|it| it.contains("TCP")).collect();
    assert_eq!(found, [""; 0]);
    assert_eq!(read, ours.len());
}
