//! Closed windows: RFC 9293, sections 3.8.6.1 and 3.8.6.2.

use windtunnel_transports::tcp::TcpSettings;

use crate::script::{run, run_with};

/// RFC 9293, section 3.8.6.1: the first probe after a retransmission timeout, the next after
/// twice the time. The round trip of 100 ms gives 300 ms.
#[test]
fn a_closed_window_is_probed_ever_less_often_until_it_opens() {
    run("
        0    connect
        0    > S 0(0)
        100  < S. 0(0) ack 1 win 1000 <mss 1000>
        100  > . 1(0) ack 1
        100  write 3000
        100  > . 1(1000) ack 1
        200  < . 1(0) ack 1001 win 0
        500  > . 1000(0) ack 1
        510  < . 1(0) ack 1001 win 0
        1100 > . 1000(0) ack 1
        2300 > . 1000(0) ack 1
        # A lost update of the window is found by a probe.
        2400 < . 1(0) ack 1001 win 1500
        2400 > . 1001(1000) ack 1
        2500 < . 1(0) ack 2001 win 1500
        2500 > P. 2001(1000) ack 1
        # Probes have not made the timeout longer.
        2800 > P. 2001(1000) ack 1
    ");
}

/// RFC 9293, section 3.8.6.2.1: a part of a segment only where nothing is under way, and less than
/// half of the largest window only after a retransmission timeout.
#[test]
fn a_window_smaller_than_a_segment_is_filled_once_nothing_is_under_way() {
    run("
        0    connect
        0    > S 0(0)
        100  < S. 0(0) ack 1 win 1500 <mss 1000>
        100  > . 1(0) ack 1
        100  write 3000
        100  > . 1(1000) ack 1
        200  < . 1(0) ack 1001 win 500
        500  > . 1001(500) ack 1
        600  < . 1(0) ack 1501 win 60000
        600  > . 1501(1000) ack 1
        600  > P. 2501(500) ack 1
    ");
}

fn small_buffer(settings: &mut TcpSettings) {
    settings.buffers.receive = Some(3000);
}

/// RFC 9293, section 3.8.6.2.2: the window does not shrink, and opens by a segment at least.
#[test]
fn our_window_closes_and_opens_as_the_application_reads() {
    run_with(
        "
        0    listen
        0    < S 0(0) win 65535 <mss 1000>
        0    > S. 0(0) ack 1 win 3000
        10   < . 1(0) ack 1 win 65535
        10   accept
        20   < . 1(1000) ack 1 win 65535
        21   < . 1001(1000) ack 1 win 65535
        21   > . 1(0) ack 2001 win 1000
        22   < P. 2001(1000) ack 1 win 65535
        62   > . 1(0) ack 3001 win 0
        # Probes are answered: with a byte of data, and without one.
        100  < . 3001(1) ack 1 win 65535
        100  > . 1(0) ack 3001 win 0
        300  < . 3000(0) ack 1 win 65535
        300  > . 1(0) ack 3001 win 0
        400  read 500
        500  read 1000
        500  > . 1(0) ack 3001 win 1500
        600  < . 3001(1000) ack 1 win 65535
        640  > . 1(0) ack 4001 win 500
        # What was promised is held to.
        700  < . 4001(500) ack 1 win 65535
        740  > . 1(0) ack 4501 win 0
        740  read 3000
        740  > . 1(0) ack 4501 win 3000
    ",
        small_buffer,
    );
}

/// A FIN needs no room, and afterwards none is offered: the peer may be gone.
#[test]
fn a_fin_comes_through_a_closed_window() {
    run_with(
        "
        0    listen
        0    < S 0(0) win 65535 <mss 1460>
        0    > S. 0(0) ack 1 win 3000
        10   < . 1(0) ack 1 win 65535
        10   accept
        20   < . 1(1460) ack 1 win 65535
        21   < P. 1461(1460) ack 1 win 65535
        21   > . 1(0) ack 2921 win 80
        22   < P. 2921(80) ack 1 win 65535
        62   > . 1(0) ack 3001 win 0
        70   < F. 3001(0) ack 1 win 65535
        70   > . 1(0) ack 3002 win 0
        80   read 3000
        80   end
    ",
        small_buffer,
    );
}

/// RFC 9293, section 3.8.6.2.1 (MUST-38): less than half of the largest window is not filled at
/// once.
#[test]
fn a_silly_window_is_filled_only_when_nothing_opens_it() {
    let accepted = "
        0    listen
        0    < S 0(0) win 20000 <mss 1000>
        0    > S. 0(0) ack 1
        100  < . 1(0) ack 1 win 10
        100  accept
        100  write 5000
    ";
    // It opens within the retransmission timeout.
    run(&format!(
        "{accepted}
        150  < . 1(0) ack 1 win 5000
        150  > . 1(1000) ack 1
        150  > . 1001(1000) ack 1
        150  > . 2001(1000) ack 1
        150  > . 3001(1000) ack 1
        150  > P. 4001(1000) ack 1
    "
    ));
    // It does not: the retransmission timeout, 300 ms here, is the override timeout.
    run(&format!(
        "{accepted}
        400  > . 1(10) ack 1
        500  < . 1(0) ack 11 win 0
        500  status established
    "
    ));
}
