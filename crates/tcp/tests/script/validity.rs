//! What is taken in, and what is answered instead: RFC 9293, section 3.10.7.4; RFC 5961; RFC
//! 7323, section 5.

use crate::script::run;

/// An accepted connection, at 100 ms, with timestamps and windows of at most 65,535 bytes.
const ACCEPTED: &str = "
    0    listen
    0    < S 0(0) win 65535 <mss 1460, sackOK, TS 1000 0>
    0    > S. 0(0) ack 1
    100  < . 1(0) ack 1 win 65535 <TS 1100 0>
    100  accept
";

fn accepted(script: &str) {
    run(&format!("{ACCEPTED}\n{script}"));
}

/// RFC 5961, section 3.2.
#[test]
fn only_the_reset_that_is_expected_next_resets() {
    accepted(
        "
        200  < R 1(0)
        200  status reset
    ",
    );
    accepted(
        "
        # In the window: a challenge.
        200  < R 2(0)
        200  > . 1(0) ack 1
        # Before it and beyond it: nothing.
        300  < R 100000(0)
        300  < R 4294800000(0)
        300  < R 0(0)
        300  < R 65536(0)
        300  status established
        # The peer, if it has reset the connection, answers the challenge.
        400  < R 1(0)
        400  status reset
    ",
    );
}

/// RFC 5961, sections 4.2 and 7: challenges, but not for each one.
#[test]
fn a_syn_in_a_connection_is_challenged_at_most_twice_a_second() {
    accepted(
        "
        200  < S 0(0) win 65535 <mss 1460>
        200  > . 1(0) ack 1
        300  < S 5000(0) win 65535 <mss 1460>
        699  < S. 1(0) ack 1 win 65535 <mss 1460>
        700  < S 1(0) win 65535 <mss 1460>
        700  > . 1(0) ack 1
        700  status established
    ",
    );
}

/// RFC 9293, section 3.10.7.4, fifth: what was not sent; RFC 5961, section 5.2: what was
/// acknowledged more than a window ago.
#[test]
fn acknowledgements_that_cannot_be_are_challenged() {
    accepted(
        "
        200  < . 1(100) ack 2 win 65535 <TS 1200 100>
        200  > . 1(0) ack 1
        800  < . 1(100) ack 4294900000 win 65535 <TS 1800 100>
        800  > . 1(0) ack 1
        # A window ago, and less.
        900  write 100
        900  > P. 1(100) ack 1
        1000 < . 1(0) ack 101 win 65535 <TS 2000 900>
        1100 < P. 1(100) ack 4294901862 win 65535 <TS 2100 900>
        1140 > . 101(0) ack 101
        1140 read 100
    ",
    );
}

/// RFC 9293, section 3.10.7.4, first: an acknowledgement says what is expected.
#[test]
fn data_beyond_the_window_is_answered_and_not_kept() {
    accepted(
        "
        200  < P. 100000(100) ack 1 win 65535 <TS 1200 100>
        200  > . 1(0) ack 1 win 65535
        # It begins inside, and ends outside.
        800  < P. 65436(101) ack 1 win 65535 <TS 1800 100>
        800  > . 1(0) ack 1 win 65535
        900  < P. 65436(100) ack 1 win 65535 <TS 1900 100>
        900  > . 1(0) ack 1 win 65535 <TS 900 1100, sack 65436:65536>
    ",
    );
}

/// RFC 9293, section 3.10.7.4, fifth: without ACK, dropped.
#[test]
fn segments_without_an_acknowledgement_are_dropped() {
    accepted(
        "
        200  < P 1(100) win 65535 <TS 1200 100>
        900  status established
    ",
    );
}

/// RFC 7323, section 5.3: what is older than what came in order.
#[test]
fn a_segment_from_long_ago_is_not_taken_for_data() {
    accepted(
        "
        200  < P. 1(100) ack 1 win 65535 <TS 1200 100>
        240  > . 1(0) ack 101 <TS 240 1200>
        300  < P. 101(100) ack 1 win 65535 <TS 1198 100>
        300  > . 1(0) ack 101 <TS 300 1200>
        # A tick of the clock before what came in order is taken in; its timestamp is not echoed.
        400  < P. 101(100) ack 1 win 65535 <TS 1199 100>
        440  > . 1(0) ack 201 <TS 440 1200>
        440  read 200
    ",
    );
    // A reset is not judged by its age.
    accepted(
        "
        200  < R 1(0) <TS 5 0>
        200  status reset
    ",
    );
}

/// RFC 9293, section 3.8.5: the data is there; RFC 6093: where it is is not relied on.
#[test]
fn urgent_data_is_data() {
    accepted(
        "
        200  < PU. 1(100) ack 1 win 65535 <TS 1200 100>
        240  > . 1(0) ack 101
        240  read 100
    ",
    );
}
