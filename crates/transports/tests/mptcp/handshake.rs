//! How a connection and its subflows come about, by the segments that are sent.

use windtunnel_packets::multipath::{Multipath, Version};
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::mptcp::PathSettings;

use crate::paths::{Paths, SEGMENT, at, path, settings, tcp};

/// What was sent: by which end, on which path, a SYN or not, the bytes, and what it says.
fn told(paths: &Paths<'_>) -> Vec<(usize, usize, bool, u16, Multipath)> {
    let it = paths.sent.iter().map(|(_, end, path, it)| {
        (*end, *path, it.flags.has(Flags::SYN), it.length, it.multipath().unwrap())
    });
    it.collect()
}

#[test]
fn the_client_s_first_data_has_mp_capable_and_the_second_subflow_joins_after_its_answer() {
    let mut paths = Paths::new(settings(tcp("reno"), "lowest-rtt", 2), vec![path(10, 10, 100); 2]);
    paths.open(0, 100);
    paths.run_until(at(120));
    let join = Multipath::Join { address: 1, backup: false };
    let answered = Multipath::Join { address: 0, backup: false };
    let acknowledged = Multipath::Acknowledgement { acknowledgement: 100 };
    let expected = [
        (0, 0, true, 0, Multipath::Capable),
        (1, 0, true, 0, Multipath::Capable),
        (0, 0, false, 0, Multipath::Capable),
        (0, 0, false, 100, Multipath::Capable),
        (1, 0, false, 0, acknowledged),
        (0, 1, true, 0, join),
        (1, 1, true, 0, answered),
        (0, 1, false, 0, join),
        (1, 1, false, 0, acknowledged),
    ];
    assert_eq!(told(&paths), expected);
    assert_eq!(paths.received(1), 100);
}

/// The sizes that Linux 6.18 sends: a SYN of 64 bytes of IP, its answer and the client's
/// acknowledgement of 72, with data a TCP header of 56 bytes; an acknowledgement of 64.
#[test]
fn segments_have_the_sizes_of_linux() {
    let mut paths = Paths::new(settings(tcp("reno"), "lowest-rtt", 1), vec![path(10, 10, 100)]);
    paths.open(0, 3 * SEGMENT);
    paths.run_until(at(120));
    let sizes: Vec<u16> = paths.sent.iter().map(|(.., it)| 20 + it.size()).collect();
    assert_eq!(sizes[..3], [64, 72, 72]);
    assert_eq!(sizes[3], 20 + 56 + SEGMENT as u16);
    assert_eq!(sizes[4..6], [1500, 1500]);
    assert!(sizes[6..].iter().all(|it| *it == 64), "{sizes:?}");
}

/// Version 0: MP_CAPABLE of 12 bytes on the SYN, and 1428 bytes of data in 1500.
#[test]
fn the_older_version_has_room_for_8_bytes_more() {
    let mut of_tcp = tcp("reno");
    of_tcp.maximum_segment = 1428;
    let mut it = settings(of_tcp, "lowest-rtt", 1);
    it.version = Version::V0;
    let mut paths = Paths::new(it, vec![path(10, 10, 100)]);
    paths.open(0, 2 * 1428);
    paths.run_until(at(120));
    let sizes: Vec<u16> = paths.sent.iter().map(|(.., it)| 20 + it.size()).collect();
    assert_eq!(sizes[..6], [72, 72, 72, 1500, 1500, 60]);
}

#[test]
fn data_of_the_server_waits_for_the_fourth_step_of_a_join() {
    let mut paths = Paths::new(settings(tcp("reno"), "round-robin", 2), vec![path(10, 10, 100); 2]);
    paths.open(1, u64::MAX);
    paths.run_until(at(300));
    let on_second = |end: usize, data: bool| {
        let mut sent = paths.sent.iter();
        let found = sent.find(|(_, from, path, it)| {
            (*from, *path) == (end, 1) && (it.length > 0) == data && !it.flags.has(Flags::SYN)
        });
        found.map(|it| it.0)
    };
    // The client's acknowledgement is on its way before the server sends data.
    assert!(on_second(0, false) < on_second(1, true));
    // The SYN of the second leaves two round trips after that of the first, at the soonest.
    let joins = paths.sent.iter().find(|(_, _, path, _)| *path == 1).unwrap().0;
    assert!(joins >= at(40) && joins < at(45), "{joins:?}");
}

#[test]
fn a_server_with_another_address_tells_it_before_the_client_joins_there() {
    let mut it = settings(tcp("reno"), "lowest-rtt", 2);
    it.paths[1].addresses = [1, 1];
    let mut paths = Paths::new(it, vec![path(10, 10, 100); 2]);
    paths.open(0, 100);
    paths.run_until(at(200));
    let told = told(&paths);
    let place = |wanted: Multipath| told.iter().position(|it| it.4 == wanted);
    let add = |echo| Multipath::AddAddress { address: 1, echo, wide: false };
    let join = Multipath::Join { address: 1, backup: false };
    assert!(place(add(false)) < place(add(true)) && place(add(false)) < place(join), "{told:?}");
    assert!(paths.ends[0].subflows().all(|it| it.0.is_established));
}

/// The address is told, and lost, and told again after two minutes (as Linux does).
#[test]
fn an_address_that_was_lost_is_told_again() {
    let mut it = settings(tcp("reno"), "lowest-rtt", 2);
    it.paths[1].addresses = [1, 1];
    let mut lost = 0;
    let mut paths = Paths::new(it, vec![path(10, 10, 100); 2]).with(|now, _, _, segment| {
        let tells = matches!(segment.multipath(), Some(Multipath::AddAddress { .. }));
        lost += u32::from(tells && now < at(1000));
        !(tells && now < at(1000))
    });
    paths.open(0, 100);
    paths.run_until(at(100_000));
    assert!(!paths.ends[0].subflows().all(|it| it.0.is_established));
    paths.run_until(at(130_000));
    assert!(paths.ends[0].subflows().all(|it| it.0.is_established));
    drop(paths);
    assert_eq!(lost, 1);
}

/// Each step of both handshakes lost once: what follows repeats it.
#[test]
fn a_handshake_survives_the_loss_of_any_of_its_segments() {
    for lost in 0..9 {
        let mut number = 0;
        let it = settings(tcp("reno"), "lowest-rtt", 2);
        let mut paths = Paths::new(it, vec![path(10, 10, 100); 2]).with(|_, _, _, _| {
            number += 1;
            number != lost + 1
        });
        paths.open(0, 100);
        paths.run_until(at(10_000));
        assert_eq!(paths.received(1), 100, "{lost}");
        for end in &paths.ends {
            assert!(end.subflows().all(|it| it.0.is_established), "{lost}");
        }
        // The second carries data too.
        paths.act(0, |it, now, outbox| it.write(now, 1_000_000, outbox));
        paths.run_until(at(20_000));
        assert!(paths.ends[0].subflows().all(|it| it.0.first_bytes > 100_000), "{lost}");
        assert_eq!(paths.received(1), 1_000_100, "{lost}");
    }
}

#[test]
fn a_backup_carries_nothing_while_another_works() {
    for backup in [0, 1] {
        let mut it = settings(tcp("reno"), "lowest-rtt", 2);
        it.paths[backup] = PathSettings { is_backup: true, ..it.paths[backup] };
        let mut paths = Paths::new(it, vec![path(10, 10, 100); 2]);
        paths.open(1, 2_000_000);
        paths.run_until(at(5_000));
        assert_eq!(paths.received(0), 2_000_000, "{backup}");
        let bytes: Vec<u64> = paths.ends[1].subflows().map(|it| it.0.first_bytes).collect();
        // What went before the other had joined: at the most two windows of slow start.
        let most = if backup == 0 { 50 * SEGMENT } else { 0 };
        assert!(bytes[backup] <= most && bytes[1 - backup] > 1_900_000, "{bytes:?}");
    }
}

#[test]
fn a_server_that_does_not_know_it_gets_plain_tcp() {
    let mut it = settings(tcp("reno"), "lowest-rtt", 2);
    it.options.server_is_capable = false;
    let mut paths = Paths::new(it, vec![path(10, 10, 100); 2]);
    paths.open(0, 500_000);
    paths.act(0, |it, now, outbox| it.close(now, outbox));
    paths.act(1, |it, now, outbox| it.close(now, outbox));
    paths.run_until(at(100_000));
    assert_eq!(paths.received(1), 500_000);
    assert!(paths.ends.iter().all(|it| it.is_closed()));
    let multipath = paths.sent.iter().filter(|it| it.3.multipath().is_some()).count();
    assert_eq!(multipath, 1, "only the first SYN asks for it");
    assert!(paths.sent.iter().all(|it| it.2 == 0), "no subflow joins");
}
