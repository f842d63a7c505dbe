//! How connections end: RFC 9293, section 3.6 and figures 12 and 13; RFC 1337; RFC 6191.

use crate::script::run;

const ACCEPTED: &str = "
    0    listen
    0    < S 0(0) win 65535 <mss 1000>
    0    > S. 0(0) ack 1
    100  < . 1(0) ack 1 win 65535
    100  accept
";

fn accepted(script: &str) {
    run(&format!("{ACCEPTED}\n{script}"));
}

/// FIN-WAIT-1, FIN-WAIT-2, TIME-WAIT.
#[test]
fn we_close_first_and_answer_for_a_while_what_comes_again() {
    accepted(
        "
        200    close
        200    > F. 1(0) ack 1
        300    < . 1(0) ack 2 win 65535
        # Half closed: data still comes.
        400    < P. 1(10) ack 2 win 65535
        440    > . 2(0) ack 11
        440    read 10
        500    < F. 11(0) ack 2 win 65535
        500    > . 2(0) ack 12
        500    end
        500    status closed
        500    forget
        # The peer's FIN again: the answer was lost.
        1500   < F. 11(0) ack 2 win 65535
        1500   > . 2(0) ack 12
        # RFC 1337: a reset does not end the wait.
        1600   < R 12(0)
        61400  < F. 11(0) ack 2 win 65535
        61400  > . 2(0) ack 12
        # 60 seconds after the last one nothing is known any more.
        121401 idle
        121401 < F. 11(0) ack 2 win 65535
        121401 > R 2(0)
    ",
    );
}

/// CLOSE-WAIT, LAST-ACK: then nothing is remembered.
#[test]
fn the_peer_closes_first() {
    accepted(
        "
        200    < F. 1(0) ack 1 win 65535
        200    > . 1(0) ack 2
        200    end
        300    write 10
        300    > P. 1(10) ack 2
        400    close
        400    > F. 11(0) ack 2
        500    < . 2(0) ack 12 win 65535
        500    status closed
        500    forget
        500    idle
    ",
    );
}

/// CLOSING.
#[test]
fn both_close_at_once() {
    accepted(
        "
        200    close
        200    > F. 1(0) ack 1
        210    < F. 1(0) ack 1 win 65535
        210    > . 2(0) ack 2
        210    status established
        300    < . 2(0) ack 2 win 65535
        300    status closed
        300    forget
        400    < F. 1(0) ack 1 win 65535
        400    > . 2(0) ack 2
        60400  idle
    ",
    );
}

/// FIN-WAIT-1 straight to TIME-WAIT.
#[test]
fn a_fin_may_acknowledge_ours() {
    accepted(
        "
        200    close
        200    > F. 1(0) ack 1
        300    < F. 1(0) ack 2 win 65535
        300    > . 2(0) ack 2
        300    status closed
        300    forget
        60300  idle
    ",
    );
}

#[test]
fn a_fin_goes_with_the_last_data_and_again_until_it_is_acknowledged() {
    run("
        0    connect
        0    > S 0(0)
        100  < S. 0(0) ack 1 win 1500 <mss 1000>
        100  > . 1(0) ack 1
        100  write 1800
        100  > . 1(1000) ack 1
        100  close
        200  < . 1(0) ack 1001 win 1500
        200  > FP. 1001(800) ack 1
        # The data is acknowledged, the FIN is not.
        300  < . 1(0) ack 1801 win 1500
        600  > F. 1801(0) ack 1
        700  < . 1(0) ack 1802 win 1500
        9000 status established
    ");
}

#[test]
fn a_fin_waits_for_the_data_before_it() {
    accepted(
        "
        200    < FP. 11(10) ack 1 win 65535
        200    > . 1(0) ack 1
        300    < . 1(10) ack 1 win 65535
        300    > . 1(0) ack 22
        300    read 20
        300    end
        # Behind a FIN there is nothing.
        400    < P. 22(10) ack 1 win 65535
        400    > . 1(0) ack 22
        500    < F. 30(0) ack 1 win 65535
        500    > . 1(0) ack 22
        500    end
    ",
    );
}

/// A FIN before data that came already cannot be.
#[test]
fn a_fin_in_the_midst_of_data_is_not_believed() {
    accepted(
        "
        200    < . 11(10) ack 1 win 65535
        200    > . 1(0) ack 1
        300    < F. 5(0) ack 1 win 65535
        300    > . 1(0) ack 1
        400    < . 1(10) ack 1 win 65535
        400    > . 1(0) ack 21
        400    read 20
        500    < F. 21(0) ack 1 win 65535
        500    > . 1(0) ack 22
        500    end
    ",
    );
}

/// RFC 9293, section 3.10.5.
#[test]
fn we_reset_and_answer_what_comes_afterwards_by_resets() {
    accepted(
        "
        200    write 10
        200    > P. 1(10) ack 1
        300    reset
        300    > R. 11(0) ack 1
        300    status reset
        400    < P. 1(10) ack 5 win 65535
        400    > R 5(0)
        400    forget
        400    idle
    ",
    );
}

/// RFC 9293, section 3.10.7.4: a SYN beyond what came opens the next connection.
#[test]
fn the_next_connection_between_the_same_ends_need_not_wait() {
    accepted(
        "
        200    close
        200    > F. 1(0) ack 1
        300    < F. 1(0) ack 2 win 65535
        300    > . 2(0) ack 2
        300    forget
        # Not beyond: what is expected instead.
        400    < S 0(0) win 65535 <mss 1000>
        400    > . 2(0) ack 2
        1000   < S 100000(0) win 65535 <mss 1000>
        1000   > S. 0(0) ack 100001
    ",
    );
}

/// A connection that is over is no connection (RFC 9293, section 3.10.7.1), also before the application
/// has noticed: the next SYN between the same ends is for the listener.
#[test]
fn the_next_connection_does_not_wait_for_the_application() {
    let reset = "400    < R 1(0)";
    let closed = "
        200    < F. 1(0) ack 1 win 65535
        200    > . 1(0) ack 2
        300    close
        300    > F. 1(0) ack 2
        400    < . 2(0) ack 2 win 65535
    ";
    for (end, status) in [(reset, "reset"), (closed, "closed")] {
        accepted(&format!(
            "
            {end}
            400    < S 100000(0) win 65535 <mss 1000>
            400    > S. 0(0) ack 100001
            400    status {status}
            400    forget
            500    < . 100001(0) ack 1 win 65535
            500    accept
            500    status established
        "
        ));
    }
}

/// TIME-WAIT ends also where the application goes on holding the connection.
#[test]
fn what_the_application_holds_is_not_woken_for_ever() {
    accepted(
        "
        200    close
        200    > F. 1(0) ack 1
        300    < F. 1(0) ack 2 win 65535
        300    > . 2(0) ack 2
        61000  status closed
        61000  end
        61000  forget
        61000  idle
    ",
    );
}

/// A peer that has closed is heard as long as it acknowledges what it is sent.
#[test]
fn the_peer_closes_first_and_acknowledges_for_minutes() {
    let sent_again = |times: &[u32]| -> String {
        times.iter().map(|it| format!("{it} > P. 1(1) ack 2\n")).collect()
    };
    accepted(&format!(
        "
        200    < F. 1(0) ack 1 win 65535
        200    > . 1(0) ack 2
        300    write 1
        300    > P. 1(1) ack 2
        {}
        100000 < . 2(0) ack 1 win 65535
        {}
        200000 status established
    ",
        sent_again(&[600, 1200, 2400, 4800, 9600, 19_200, 38_400, 76_800]),
        sent_again(&[136_800, 196_800]),
    ));
}
