//! How a connection ends.

use windtunnel_packets::multipath::Multipath;
use windtunnel_packets::tcp::Flags;

use crate::paths::{Paths, at, path, settings, tcp};

/// Both ends write and close; what happens to packets is given.
fn close_both(paths: &mut Paths<'_>, bytes: [u64; 2]) {
    paths.act(0, |it, now, outbox| it.open(now, outbox));
    for end in [0, 1] {
        paths.act(end, |it, now, outbox| {
            it.write(now, bytes[end], outbox);
            it.close(now, outbox);
        });
    }
    paths.run_until(at(1_000_000));
    for end in [0, 1] {
        assert_eq!(paths.received(1 - end), bytes[end]);
        assert!(paths.ends[end].is_finished() && paths.ends[end].is_closed(), "end {end}");
        assert_eq!(paths.ends[end].unacknowledged(), 0);
    }
}

#[test]
fn the_last_data_says_so_and_then_all_subflows_close() {
    let it = settings(tcp("reno"), "lowest-rtt", 2);
    let mut paths = Paths::new(it, vec![path(10, 10, 100); 2]);
    close_both(&mut paths, [200_000, 50_000]);
    for end in [0, 1] {
        let fins = paths.sent.iter().filter(|(_, from, _, it)| {
            *from == end && matches!(it.multipath(), Some(Multipath::Mapping { fin: true, .. }))
        });
        assert_eq!(fins.count(), 1, "end {end}");
        let mut closed: Vec<usize> = paths
            .sent
            .iter()
            .filter(|(_, from, _, it)| *from == end && it.flags.has(Flags::FIN))
            .map(|it| it.2)
            .collect();
        closed.sort_unstable();
        assert_eq!(closed, [0, 1], "end {end}");
    }
}

#[test]
fn an_end_that_writes_nothing_closes_with_a_data_fin_of_its_own() {
    let it = settings(tcp("reno"), "lowest-rtt", 2);
    let mut paths = Paths::new(it, vec![path(10, 10, 100); 2]);
    paths.open(0, 1_000);
    paths.run_until(at(1_000));
    paths.act(0, |it, now, outbox| it.close(now, outbox));
    paths.run_until(at(2_000));
    assert!(paths.ends[1].is_finished() && !paths.ends[0].is_closed());
    paths.act(1, |it, now, outbox| it.close(now, outbox));
    paths.run_until(at(10_000));
    assert!(paths.ends.iter().all(|it| it.is_closed()));
    let alone = paths.sent.iter().filter(|(.., it)| {
        it.length == 0 && matches!(it.multipath(), Some(Multipath::Mapping { fin: true, .. }))
    });
    assert_eq!(alone.count(), 2);
}

#[test]
fn a_connection_closes_whichever_segment_is_lost() {
    for lost in 0..60 {
        let mut number = 0;
        let it = settings(tcp("reno"), "round-robin", 2);
        let mut paths = Paths::new(it, vec![path(10, 10, 100); 2]).with(|_, _, _, _| {
            number += 1;
            number != lost + 1
        });
        close_both(&mut paths, [15_000, 5_000]);
    }
}

#[test]
fn a_subflow_that_is_dead_does_not_keep_the_connection_open() {
    let it = settings(tcp("reno"), "lowest-rtt", 2);
    let mut paths = Paths::new(it, vec![path(10, 10, 100); 2])
        .with(|now, path, _, _| path == 0 || now < at(200));
    close_both(&mut paths, [2_000_000, 0]);
}
