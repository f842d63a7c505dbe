//! Files from our producer across our forwarder to our consumer.

use std::fs;

use windtunnel_live::ndn::Verifier;

use crate::support::{Folder, bytes, digest, fetch, forward, put};

#[test]
fn a_file_crosses_a_forwarder_over_udp_and_tcp() {
    let folder = Folder::new("crosses");
    let size = 1_000_001;
    let file = folder.file(size);
    let (forwarder, addresses) = forward("");
    for address in &addresses {
        let producer = put(file.clone(), *address, digest());
        for consumer in &addresses {
            let out = folder.0.join("out");
            let report = fetch(*consumer, out.clone(), "cubic", Verifier::default()).unwrap();
            assert!(fs::read(&out).unwrap() == bytes(size), "{address} to {consumer}");
            assert_eq!((report.bytes, report.segments), (size as u64, 770));
            assert_eq!((report.verified >= 770, report.unverified), (true, 0));
            println!("{report:?}");
        }
        producer.end();
    }
    println!("{:?}", forwarder.end());
}
