//! Files from our producer across our forwarder to our consumer.

use std::fs;
use std::net::{SocketAddr, UdpSocket};

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{EncodePrivateKey, EncodePublicKey};
use windtunnel_controllers::DESCRIPTIONS;
use windtunnel_live::ndn::{
    GetSettings, PutSettings, Putting, SignatureAlgorithm, Signer, Verifier,
};
use windtunnel_scenario::{FaceAddress, lone_consumer};

use crate::support::{Folder, bytes, digest, fetch, forging, forward, forward_at, lossy, put};

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
        }
        let counted = producer.end();
        assert!(counted.data <= 770 + 20, "the content store answers the second: {counted:?}");
    }
    let report = forwarder.end();
    assert_eq!((report.malformed, report.commands), (0, 4));
}

#[test]
fn every_controller_that_consumers_can_use_fetches_a_file() {
    let folder = Folder::new("controllers");
    let size = 300_000;
    let file = folder.file(size);
    let (_forwarder, addresses) = forward("");
    let _producer = put(file, addresses[0], digest());
    let can = |it: &&str| lone_consumer("test", it, 1300).is_ok();
    let names: Vec<&str> = DESCRIPTIONS.iter().map(|it| it.name).filter(can).collect();
    assert!(names.len() >= 20, "{names:?}");
    for name in names {
        let out = folder.0.join("out");
        let report = fetch(addresses[0], out.clone(), name, Verifier::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(fs::read(&out).unwrap() == bytes(size), "{name}");
        assert_eq!(report.controller, name);
    }
}

#[test]
fn what_udp_loses_is_asked_for_again() {
    let folder = Folder::new("lossy");
    let size = 400_000;
    let file = folder.file(size);
    let (_forwarder, addresses) = forward("");
    let _producer = put(file, addresses[0], digest());
    let (_relay, address) = lossy(addresses[0].address, 20);
    let relayed = FaceAddress { address, ..addresses[0] };
    let out = folder.0.join("out");
    let report = fetch(relayed, out.clone(), "cubic", Verifier::default()).unwrap();
    assert!(fs::read(&out).unwrap() == bytes(size));
    let consumer = report.consumer;
    assert!(consumer.retransmissions >= 5 && consumer.decreases >= 1, "{consumer:?}");
}

#[test]
fn what_is_forged_is_asked_for_again_and_given_up_by_count() {
    let folder = Folder::new("forged");
    let size = 400_000;
    let file = folder.file(size);
    let (_forwarder, addresses) = forward("");
    let _producer = put(file, addresses[0], digest());
    let out = folder.0.join("out");
    // Few at a time, so that no buffer overflows.
    let controller = "{ kind = \"fixed\", window = 8 }";
    let get = |each| {
        let (_relay, address) = forging(addresses[0].address, each);
        let relayed = FaceAddress { address, ..addresses[0] };
        fetch(relayed, out.clone(), controller, Verifier::default())
    };
    let report = get(21).unwrap();
    assert!(fs::read(&out).unwrap() == bytes(size));
    assert!(report.rejected >= 5, "{}", report.rejected);
    // What is asked for again at once does not wait for a timeout.
    let consumer = report.consumer;
    assert!(consumer.retransmissions >= 5 && consumer.timeouts < report.rejected, "{consumer:?}");
    let error = get(1).expect_err("all Data is forged").to_string();
    assert!(error.contains("is not accepted"), "{error}");
}

/// A private key and its public one, in PEM, of each algorithm.
fn keys(seed: u8) -> [(SignatureAlgorithm, String, String); 2] {
    let ed25519 = ed25519_dalek::SigningKey::from_bytes(&[seed; 32]);
    let ecdsa = p256::ecdsa::SigningKey::from_slice(&[seed; 32]).expect("it is a key");
    let private = [
        ed25519.to_pkcs8_pem(LineEnding::LF).expect("it can be written"),
        ecdsa.to_pkcs8_pem(LineEnding::LF).expect("it can be written"),
    ];
    let public = [
        ed25519.verifying_key().to_public_key_pem(LineEnding::LF).expect("it can be written"),
        ecdsa.verifying_key().to_public_key_pem(LineEnding::LF).expect("it can be written"),
    ];
    let [ed25519, ecdsa] = private.map(|it| it.as_str().to_owned());
    let [ed25519_public, ecdsa_public] = public;
    [
        (SignatureAlgorithm::Ed25519, ed25519, ed25519_public),
        (SignatureAlgorithm::Ecdsa, ecdsa, ecdsa_public),
    ]
}

#[test]
fn signatures_are_accepted_from_the_right_key_alone() {
    let folder = Folder::new("signed");
    let file = folder.file(20_000);
    let (right, wrong) = (keys(1), keys(2));
    for (index, (algorithm, private, public)) in right.iter().enumerate() {
        let (_forwarder, addresses) = forward("");
        let signer = Signer::new(*algorithm, Some(private)).expect("it is such a key");
        let _producer = put(file.clone(), addresses[1], signer);
        let get = |verifier| fetch(addresses[1], folder.0.join("out"), "aimd", verifier);
        let verifier = |key: &str| Verifier::with_key(key).expect("it is a key");
        let report = get(verifier(public)).expect("the key is right");
        assert_eq!((report.verified, report.unverified), (16, 0));
        let report = get(Verifier::default()).expect("nothing is checked without a key");
        assert_eq!((report.verified, report.unverified), (0, 16));
        let error = get(verifier(&right[1 - index].2)).expect_err("the key is of another kind");
        assert!(error.to_string().contains("not signed by a key of that kind"), "{error}");
        let error = get(verifier(&wrong[index].2)).expect_err("it is another key");
        assert!(error.to_string().contains("its signature is not by that key"), "{error}");
        assert!(Signer::new(*algorithm, Some(&right[1 - index].1)).is_err());
    }
}

#[test]
fn a_producer_can_listen_and_be_reached_by_a_route_or_alone() {
    let folder = Folder::new("listens");
    let size = 50_000;
    let file = folder.file(size);
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let settings = PutSettings {
        prefix: "/example".parse().unwrap(),
        file,
        segment_size: 8000,
        signer: digest(),
        connect: None,
        bind: Some(any),
    };
    let putting = Putting::open(settings).expect("it can listen");
    let [udp, _] = putting.addresses() else { panic!("it listens over UDP and TCP") };
    let text = format!(
        "[faces.there]\nremote = \"{udp}\"\n[[routes]]\nprefix = \"/example\"\nface = \"there\""
    );
    let addresses = putting.addresses().to_vec();
    let _producer = crate::support::serve(putting);
    let (_forwarder, forwarders) = forward(&text);
    for address in [forwarders[0], forwarders[1], addresses[0], addresses[1]] {
        let out = folder.0.join("out");
        fetch(address, out.clone(), "cubic", Verifier::default()).unwrap();
        assert!(fs::read(&out).unwrap() == bytes(size), "{address}");
    }
}

#[test]
fn packets_larger_than_a_link_takes_cross_it_in_fragments() {
    let folder = Folder::new("fragments");
    let size = 50_000;
    let file = folder.file(size);
    let far = UdpSocket::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let route = "[[routes]]\nprefix = \"/example\"\nface = \"far\"";
    let (near, addresses) =
        forward(&format!("[faces.far]\nremote = \"udp://{far}\"\nmtu = \"600 B\"\n{route}"));
    let back = format!("[faces.near]\nremote = \"{}\"\nmtu = \"600 B\"", addresses[0]);
    let (_far, far) = forward_at(far.port(), &back);
    let _producer = put(file, far[1], digest());
    let out = folder.0.join("out");
    fetch(addresses[1], out.clone(), "cubic", Verifier::default()).unwrap();
    assert!(fs::read(&out).unwrap() == bytes(size));
    let links = near.end().links;
    // All segments but the last are in three parts.
    assert!(links.reassembled >= 39 && links.fragments_in >= 3 * 38 + 2, "{links:?}");
}

#[test]
fn what_cannot_be_had_is_said_and_leaves_no_file() {
    let folder = Folder::new("missing");
    let (_forwarder, addresses) = forward("");
    let out = folder.0.join("out");
    let get = |controller: &str| fetch(addresses[0], out.clone(), controller, Verifier::default());
    let error = get("cubic").expect_err("nobody serves it").to_string();
    assert!(error.contains("no route leads there"), "{error}");
    let error = get("cubik").expect_err("there is no such controller").to_string();
    assert!(error.contains("there is no controller `cubik`"), "{error}");
    let settings = GetSettings {
        name: "/example".parse().unwrap(),
        connect: "tcp://127.0.0.1:1".parse().unwrap(),
        bind: None,
        out: out.clone(),
        controller: "cubic".into(),
        verifier: Verifier::default(),
    };
    let error = windtunnel_live::ndn::get(&settings, || true).expect_err("nobody listens there");
    assert!(error.to_string().contains("cannot connect to tcp://127.0.0.1:1"), "{error}");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);
}
