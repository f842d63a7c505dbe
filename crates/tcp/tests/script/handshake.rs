//! How connections open: RFC 9293, sections 3.5 and 3.10.7; what is agreed on: section 3.7.1,
//! RFC 2018, section 2, RFC 7323, sections 2 and 3.

use crate::script::run;

#[test]
fn a_connection_is_accepted_with_all_options_that_the_peer_offers() {
    run("
        0    listen
        0    < S 0(0) win 65535 <mss 1460, sackOK, TS 100 0, wscale 7>
        0    > S. 0(0) ack 1 win 65535 <mss 1460, sackOK, TS 0 100, wscale 7>
        100  < . 1(0) ack 1 win 1000 <TS 200 0>
        100  accept
        100  status established
        100  write 1449
        # 12 of the 1460 bytes are the timestamps'.
        100  > . 1(1448) ack 1 <TS 100 200>
        100  > P. 1449(1) ack 1 <TS 100 200>
    ");
}

#[test]
fn a_peer_that_offers_nothing_gets_nothing_but_our_segment_size() {
    run("
        0    listen
        0    < S 0(0) win 65535
        0    > S. 0(0) ack 1 win 65535 <mss 1460>
        100  < . 1(0) ack 1 win 65535
        100  accept
        100  write 1000
        # RFC 9293, section 3.7.1: 536 bytes where nothing is said.
        100  > . 1(536) ack 1 win 65535 <>
        100  > P. 537(464) ack 1 win 65535 <>
    ");
}

#[test]
fn each_option_is_agreed_on_by_itself() {
    run("
        0    listen
        0    < S 0(0) win 65535 <mss 1000, TS 7 0>
        0    > S. 0(0) ack 1 <mss 1460, TS 0 7>
        9    < . 1(0) ack 1 win 65535 <TS 16 0>
        9    accept
        9    write 1000
        9    > . 1(988) ack 1 <TS 9 16>
        9    > P. 989(12) ack 1
    ");
    run("
        0    listen
        0    < S 0(0) win 65535 <mss 1000, sackOK>
        0    > S. 0(0) ack 1 <mss 1460, sackOK>
    ");
    run("
        0    listen
        0    < S 0(0) win 65535 <mss 1000, wscale 3>
        0    > S. 0(0) ack 1 <mss 1460, wscale 7>
    ");
}

#[test]
fn we_offer_everything_and_keep_to_what_is_answered() {
    run("
        0    connect
        0    > S 0(0) win 65535 <mss 1460, sackOK, TS 0 0, wscale 7>
        50   < S. 0(0) ack 1 win 500 <mss 300>
        50   > . 1(0) ack 1 win 65535 <>
        50   status established
        50   write 700
        # The window of 500 is not scaled, and a part of a segment waits.
        50   > . 1(300) ack 1 <>
        100  < . 1(0) ack 301 win 500
        100  > . 301(300) ack 1 <>
        100  > P. 601(100) ack 1 <>
    ");
}

/// RFC 9293, section 3.7.1, has no least size; Linux's `tcp_min_snd_mss` is 48 bytes of data.
#[test]
fn a_segment_size_of_nothing_is_not_believed() {
    run("
        0    listen
        0    < S 0(0) win 65535 <mss 0>
        0    > S. 0(0) ack 1
        9    < . 1(0) ack 1 win 65535
        9    accept
        9    write 100
        9    > . 1(60) ack 1
        9    > P. 61(40) ack 1
    ");
}

/// RFC 6298, section 2.1: one second at first, then twice as long each time.
#[test]
fn syns_and_answers_are_sent_again() {
    run("
        0    connect
        0    > S 0(0)
        1000 > S 0(0)
        3000 > S 0(0)
        3100 < S. 0(0) ack 1 win 65535 <mss 1460>
        3100 > . 1(0) ack 1
    ");
    run("
        0    listen
        0    < S 0(0) win 65535
        0    > S. 0(0) ack 1
        500  < S 0(0) win 65535
        500  > S. 0(0) ack 1
        2500 > S. 0(0) ack 1
        2600 < . 1(0) ack 1 win 65535
        2600 accept
    ");
}

#[test]
fn nobody_answers_for_ever() {
    run("
        0      connect
        0      > S 0(0)
        1000   > S 0(0)
        3000   > S 0(0)
        7000   > S 0(0)
        15000  > S 0(0)
        31000  > S 0(0)
        63000  > S 0(0)
        # At most 60 s between two (RFC 6298, rule 2.5).
        123000 > S 0(0)
        180000 status timed-out
        180000 > R. 1(0)
        400000 status timed-out
    ");
}

#[test]
fn the_last_step_may_bring_data_and_a_lost_one_is_made_up_for_by_data() {
    run("
        0    listen
        0    < S 0(0) win 65535 <mss 1460>
        0    > S. 0(0) ack 1
        100  < P. 1(100) ack 1 win 65535
        100  accept
        100  read 100
        140  > . 1(0) ack 101
    ");
}

/// RFC 9293, section 3.10.7.3, first: if the ACK is not acceptable, a reset.
#[test]
fn an_answer_to_another_syn_is_refused_and_the_right_one_is_waited_for() {
    run("
        0    connect
        0    > S 0(0)
        50   < S. 0(0) ack 777 win 65535 <mss 1460>
        50   > R 777(0)
        60   < . 5(0) ack 99 win 65535
        60   > R 99(0)
        100  < S. 0(0) ack 1 win 65535 <mss 1460>
        100  > . 1(0) ack 1
        100  status established
    ");
}

/// RFC 9293, section 3.10.7.3, second.
#[test]
fn while_a_syn_is_under_way_only_a_reset_that_acknowledges_it_counts() {
    run("
        0    connect
        0    > S 0(0)
        10   < R 0(0)
        10   < R. 0(0) ack 2
        10   status opening
        20   < R. 0(0) ack 1
        20   status reset
    ");
}

/// RFC 9293, section 3.5, figure 7.
#[test]
fn both_ends_may_open_at_once() {
    run("
        0    connect
        0    > S 0(0)
        50   < S 0(0) win 65535 <mss 1460, sackOK, TS 9 0, wscale 7>
        50   > S. 0(0) ack 1 win 65535 <mss 1460, sackOK, TS 50 9, wscale 7>
        100  < S. 0(0) ack 1 win 65535 <mss 1460, sackOK, TS 59 0, wscale 7>
        100  > . 1(0) ack 1
        100  status established
        100  write 10
        100  > P. 1(10) ack 1
    ");
}

/// RFC 9293, section 3.10.7.4, fifth, in SYN-RECEIVED.
#[test]
fn a_last_step_that_acknowledges_something_else_is_refused() {
    run("
        0    listen
        0    < S 0(0) win 65535 <mss 1460>
        0    > S. 0(0) ack 1
        100  < . 1(0) ack 2 win 65535
        100  > R 2(0)
        200  < . 1(0) ack 1 win 65535
        200  accept
    ");
}

/// RFC 9293, section 3.10.7.1.
#[test]
fn where_nobody_listens_there_is_a_reset_for_everything_but_resets() {
    run("
        0    < S 0(0) win 65535
        0    > R. 0(0) ack 1
    ");
    run("
        0    < R 0(0)
        0    < R. 0(0) ack 1
        0    < .S 10(0) ack 5 win 65535
        0    > R 5(0)
        0    < P. 10(100) ack 6 win 65535
        0    > R 6(0)
        0    < F 10(100) win 65535
        0    > R. 0(0) ack 111
    ");
}

/// RFC 9293, section 3.10.7.2: a listener opens nothing for what is not a SYN.
#[test]
fn a_listener_refuses_what_is_no_syn() {
    run("
        0    listen
        0    < . 10(0) ack 5 win 65535
        0    > R 5(0)
        0    < S. 10(0) ack 5 win 65535
        0    > R 5(0)
    ");
}

/// RFC 9293, section 3.10.7.2: an acknowledgement is refused, all else that is no SYN is dropped.
#[test]
fn what_does_not_open_a_connection_is_dropped_where_one_is_waited_for() {
    run("
        0    listen
        0    < F 0(0) win 20000
        0    < P 5(100) win 20000
        0    < R 5(0) win 20000
        0    < . 5(0) ack 7 win 20000
        0    > R 7(0)
        100  < S 10(0) win 20000 <mss 1000>
        100  > S. 0(0) ack 11
    ");
}

/// RFC 9293, section 3.10.7.1: the reset acknowledges all of the segment, data and FIN.
#[test]
fn a_syn_that_is_refused_is_refused_with_its_data() {
    run("
        0    < S 0(3) win 20000 <mss 1000>
        0    > R. 0(0) ack 4
        10   < SF 0(3) win 20000 <mss 1000>
        10   > R. 0(0) ack 5
    ");
}
