//! Losses and their repair: RFC 6298; RFC 5681, section 3.2; RFC 6582; RFC 8985.

use windtunnel_transports::tcp::Recovery;

use crate::script::{run, run_with};

/// Ten segments at 100 ms, the window of the peer scaled.
const SENDING: &str = "
    0    connect
    0    > S 0(0)
    100  < S. 0(0) ack 1 win 65535 <mss 1000, sackOK>
    100  > . 1(0) ack 1
    100  write 5000
    100  > . 1(1000) ack 1
    100  > . 1001(1000) ack 1
    100  > . 2001(1000) ack 1
    100  > . 3001(1000) ack 1
    100  > P. 4001(1000) ack 1
";

/// RFC 6298, sections 2 and 5: a round trip of 100 ms, a variation of 50 ms, for which 200 ms
/// count at least; then twice as long.
#[test]
fn what_is_not_acknowledged_goes_again_after_the_timeout_and_twice_the_time() {
    run_with(
        &format!(
            "{SENDING}
        400  > . 1(1000) ack 1
        1000 > . 1(1000) ack 1
        2200 > . 1(1000) ack 1
        2300 < . 1(0) ack 5001 win 65535
        9000 status established
    "
        ),
        |it| it.recovery = Recovery::Sack,
    );
}

/// RFC 8985, section 7: the last segment goes again after two round trips.
#[test]
fn a_lost_tail_is_probed_for() {
    run(&format!(
        "{SENDING}
        200  < . 1(0) ack 4001 win 65535
        # One segment may be acknowledged late: 200 ms more, but not after the timeout.
        500  > P. 4001(1000) ack 1
        600  < . 1(0) ack 5001 win 65535
        9000 status established
    "
    ));
}

/// RFC 5681, section 3.2: the third duplicate.
#[test]
fn three_duplicates_without_sack_bring_the_first_segment_again() {
    let without = SENDING.replace(", sackOK>", ">");
    run(&format!(
        "{without}
        200  < . 1(0) ack 1 win 65535
        201  < . 1(0) ack 1 win 65535
        202  < . 1(0) ack 1 win 65535
        202  > . 1(1000) ack 1
        203  < . 1(0) ack 1 win 65535
        302  < . 1(0) ack 5001 win 65535
        9000 status established
    "
    ));
}

/// RFC 8985, section 6.2: what was sent before what has arrived is lost, with a margin of a
/// quarter of the round trip where nothing says that order is kept.
#[test]
fn blocks_of_sack_bring_the_segments_between_them_again() {
    run(&format!(
        "{SENDING}
        200  < . 1(0) ack 1 win 65535 <sack 1001:2001>
        201  < . 1(0) ack 1 win 65535 <sack 1001:2001 3001:4001>
        202  < . 1(0) ack 1 win 65535 <sack 3001:5001 1001:2001>
        202  > . 1(1000) ack 1
        # No more than what has arrived (RFC 9937, section 6).
        302  < . 1(0) ack 2001 win 65535 <sack 3001:5001>
        302  > . 2001(1000) ack 1
        402  < . 1(0) ack 5001 win 65535
        9000 status established
    "
    ));
}

/// Blocks that cannot be are of no effect: of what was not sent, of nothing, of what was
/// acknowledged.
#[test]
fn blocks_that_cannot_be_are_ignored() {
    run_with(
        &format!(
            "{SENDING}
        200  < . 1(0) ack 1001 win 65535 <sack 5001:9001 4001:3001 1001:2001>
        9000 status established
    "
        )
        .replace(
            "9000 status",
            "500 > . 1001(1000) ack 1\n 510 < . 1(0) ack 5001 win 65535\n 9000 status",
        ),
        |it| it.recovery = Recovery::Sack,
    );
}

/// An acknowledgement may end within a segment: what goes again begins there.
#[test]
fn a_part_of_a_segment_that_was_acknowledged_does_not_go_again() {
    run_with(
        &format!(
            "{SENDING}
        200  < . 1(0) ack 501 win 65535
        500  > . 501(500) ack 1
        600  < . 1(0) ack 5001 win 65535
        9000 status established
    "
        ),
        |it| it.recovery = Recovery::Sack,
    );
}
