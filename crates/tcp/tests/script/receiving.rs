//! What is acknowledged, and when: RFC 5681, section 4.2; RFC 9293, section 3.8.6.3; RFC 2018;
//! RFC 2883.

use crate::script::run;

const ACCEPTED: &str = "
    0    listen
    0    < S 0(0) win 65535 <mss 1000, sackOK>
    0    > S. 0(0) ack 1 <mss 1460, sackOK>
    100  < . 1(0) ack 1 win 65535
    100  accept
";

fn accepted(script: &str) {
    run(&format!("{ACCEPTED}\n{script}"));
}

#[test]
fn every_second_full_segment_is_acknowledged_and_a_single_one_a_little_later() {
    accepted(
        "
        200  < . 1(1000) ack 1 win 65535
        201  < . 1001(1000) ack 1 win 65535
        201  > . 1(0) ack 2001 <>
        300  < P. 2001(10) ack 1 win 65535
        340  > . 1(0) ack 2011
        340  read 2010
    ",
    );
}

#[test]
fn gaps_are_reported_at_once_the_latest_first() {
    accepted(
        "
        200  < . 1001(1000) ack 1 win 65535
        200  > . 1(0) ack 1 <sack 1001:2001>
        210  < . 3001(1000) ack 1 win 65535
        210  > . 1(0) ack 1 <sack 3001:4001 1001:2001>
        220  < . 5001(1000) ack 1 win 65535
        220  > . 1(0) ack 1 <sack 5001:6001 3001:4001 1001:2001>
        230  < . 1(1000) ack 1 win 65535
        230  > . 1(0) ack 2001 <sack 5001:6001 3001:4001>
        230  read 2000
        240  < . 2001(1000) ack 1 win 65535
        240  > . 1(0) ack 4001 <sack 5001:6001>
        250  < . 4001(1000) ack 1 win 65535
        250  > . 1(0) ack 6001 <>
        250  read 4000
    ",
    );
}

/// RFC 2883, section 4.
#[test]
fn what_comes_twice_is_reported_once() {
    accepted(
        "
        200  < . 1(1000) ack 1 win 65535
        201  < . 1(1000) ack 1 win 65535
        201  > . 1(0) ack 1001 <sack 1:1001>
        210  < . 2001(1000) ack 1 win 65535
        210  > . 1(0) ack 1001 <sack 2001:3001>
        220  < . 2001(1000) ack 1 win 65535
        220  > . 1(0) ack 1001 <sack 2001:3001 2001:3001>
    ",
    );
}

/// RFC 2883, section 4.2: a part beyond a gap, as the gap is filled.
#[test]
fn what_comes_twice_of_a_segment_that_fills_a_gap_is_reported() {
    accepted(
        "
        200  < . 1001(1000) ack 1 win 65535
        200  > . 1(0) ack 1 <sack 1001:2001>
        210  < . 1(1500) ack 1 win 65535
        210  > . 1(0) ack 2001 <sack 1001:1501>
        210  read 2000
    ",
    );
}

/// RFC 2018, section 3: without timestamps there is room for four blocks; RFC 2883, section 4: the
/// first may be of what came twice.
#[test]
fn four_gaps_are_reported_at_once() {
    accepted(
        "
        200  < . 1001(1000) ack 1 win 65535
        200  > . 1(0) ack 1 <sack 1001:2001>
        210  < . 3001(1000) ack 1 win 65535
        210  > . 1(0) ack 1 <sack 3001:4001 1001:2001>
        220  < . 5001(1000) ack 1 win 65535
        220  > . 1(0) ack 1 <sack 5001:6001 3001:4001 1001:2001>
        230  < . 7001(1000) ack 1 win 65535
        230  > . 1(0) ack 1 <sack 7001:8001 5001:6001 3001:4001 1001:2001>
        240  < . 9001(1000) ack 1 win 65535
        240  > . 1(0) ack 1 <sack 9001:10001 7001:8001 5001:6001 3001:4001>
        250  < . 3001(1000) ack 1 win 65535
        250  > . 1(0) ack 1 <sack 3001:4001 3001:4001 9001:10001 7001:8001>
    ",
    );
}

/// Our own sender reads four blocks.
#[test]
fn what_four_blocks_report_is_not_sent_again() {
    run("
        0    connect
        0    > S 0(0)
        100  < S. 0(0) ack 1 win 65535 <mss 1000, sackOK>
        100  > . 1(0) ack 1
        100  write 9000
        100  > . 1(1000) ack 1
        100  > . 1001(1000) ack 1
        100  > . 2001(1000) ack 1
        100  > . 3001(1000) ack 1
        100  > . 4001(1000) ack 1
        100  > . 5001(1000) ack 1
        100  > . 6001(1000) ack 1
        100  > . 7001(1000) ack 1
        100  > P. 8001(1000) ack 1
        200  < . 1(0) ack 1 win 65535 <sack 8001:9001 5001:6001 3001:4001 1001:2001>
        200  > . 1(1000) ack 1
        200  > . 2001(1000) ack 1
        200  > . 4001(1000) ack 1
        200  > . 6001(1000) ack 1
        250  < . 1(0) ack 9001 win 65535
    ");
}

/// Parts of what is there already, in other segments.
#[test]
fn segments_that_overlap_bring_each_byte_once() {
    accepted(
        "
        200  < . 1(1000) ack 1 win 65535
        201  < . 501(1500) ack 1 win 65535
        201  > . 1(0) ack 2001 <sack 501:1001>
        210  < . 3001(1000) ack 1 win 65535
        210  > . 1(0) ack 2001 <sack 3001:4001>
        220  < . 1501(1600) ack 1 win 65535
        220  > . 1(0) ack 4001 <sack 1501:2001>
        220  read 4000
    ",
    );
}

/// RFC 9293, section 3.8.4, and Linux's keep-alive: a segment that was acknowledged already.
#[test]
fn a_keep_alive_is_answered() {
    accepted(
        "
        200  < . 0(0) ack 1 win 65535
        200  > . 1(0) ack 1
        300  < . 1(1) ack 1 win 65535
        340  > . 1(0) ack 2
        400  < . 1(1) ack 1 win 65535
        400  > . 1(0) ack 2
    ",
    );
}
