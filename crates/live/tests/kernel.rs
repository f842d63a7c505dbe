//! Controllers in the kernel of this machine; skipped, with the reason, where it takes none.
#![cfg(all(target_os = "linux", feature = "kernel"))]

#[path = "common/skipping.rs"]
mod skipping;
mod support;
#[path = "common/waiting.rs"]
mod waiting;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use support::{Network, alone, output, settings, start, value};
use waiting::until;
use windtunnel_controllers::{DESCRIPTIONS, Need, Settings, Value};
use windtunnel_live::kernel;

#[test]
fn a_fixed_window_is_obeyed() {
    let _alone = alone();
    let mut fixed = settings("fixed");
    fixed.set("window", Value::Number(8.0)).expect("a window");
    let Some(network) = Network::new("fixed", None) else { return };
    let Some(mut flight) = start(&fixed) else { return };
    flight.launch(&network.transfer("-t 2"), true).expect("the command starts");
    // Before the first decision a connection follows Reno's rule.
    until("data is sent with a window of 8", || {
        let sockets = network.sockets();
        value(&sockets, "bytes_sent") > Some(1e6) && value(&sockets, "cwnd") == Some(8.0)
    });
    let mut most: f64 = 0.0;
    for _ in 0..20 {
        let sockets = network.sockets();
        assert!(sockets.contains(flight.algorithm()), "{sockets}");
        assert_eq!(value(&sockets, "cwnd"), Some(8.0), "{sockets}");
        most = most.max(value(&sockets, "unacked").unwrap_or(0.0));
        std::thread::sleep(Duration::from_millis(20));
    }
    // A tail loss probe may be one more (RFC 8985, section 7.3).
    assert!(most <= 9.0, "{most} segments in flight");
    let code = flight.wait(Duration::from_secs(10)).expect("no controller fails");
    assert_eq!(code, Some(0));
    let totals = flight.finish().expect("no controller fails");
    println!("{totals:#?}");
    assert!(totals.decisions > 100 && totals.bytes > 1_000_000, "{totals:?}");
}

#[test]
fn every_controller_whose_needs_are_met_carries_data() {
    let _alone = alone();
    let Some(network) = Network::new("every", None) else { return };
    for it in DESCRIPTIONS {
        let met = |need: &Need| !matches!(need, Need::Sinr | Need::SomeCongestion);
        if !it.needs.iter().all(met) {
            continue;
        }
        let Some(mut flight) = start(&Settings::defaults(it)) else { return };
        flight.launch(&network.transfer("-n 2M"), true).expect("the command starts");
        let code = flight.wait(Duration::from_secs(10)).expect("no controller fails");
        assert_eq!(code, Some(0), "{}", it.name);
        let totals = flight.finish().expect("no controller fails");
        assert!(totals.bytes > 1_000_000 && totals.decisions > 5, "{}: {totals:?}", it.name);
    }
}

/// With random marks of probability `p`, DCTCP's window is `2 / p` (Alizadeh et al., Analysis of
/// DCTCP, SIGMETRICS 2011), for it counts them, both ends being in the command.
#[test]
fn marks_are_counted_and_answered_in_proportion() {
    let _alone = alone();
    let Some(network) = Network::new("marks", Some("rate 100mbit burst 3000 limit 600000")) else {
        return;
    };
    if !network.mark(40) {
        return;
    }
    let Some(mut flight) = start(&settings("dctcp")) else { return };
    flight.launch(&network.transfer("-t 5"), true).expect("the command starts");
    std::thread::sleep(Duration::from_secs(2));
    let (mut sum, mut samples) = (0.0, 0.0);
    for _ in 0..50 {
        if let Some(cwnd) = value(&network.sockets(), "cwnd") {
            (sum, samples) = (sum + cwnd, samples + 1.0);
        }
        std::thread::sleep(Duration::from_millis(40));
    }
    assert_eq!(flight.wait(Duration::from_secs(10)).expect("no controller fails"), Some(0));
    let totals = flight.finish().expect("no controller fails");
    let mean = sum / samples;
    assert!((35.0..80.0).contains(&mean), "a mean window of {mean}, not 50; {totals:?}");
}

#[test]
fn what_a_kill_left_is_removed() {
    let _alone = alone();
    let Some(flight) = start(&settings("reno")) else { return };
    let mounts = std::fs::read_to_string("/proc/self/mounts").expect("the mounts");
    let mut mounts = mounts.lines().map(|it| it.split(' ').collect::<Vec<_>>());
    let root = mounts.find(|it| it[2] == "cgroup2").expect("a flight has started")[1].to_owned();
    let of = |process: u32| PathBuf::from(&root).join(format!("windtunnel-{process}"));
    // A process that has ended.
    let mut ended = Command::new("true").spawn().expect("it starts");
    ended.wait().expect("it ends");
    let left = of(ended.id());
    std::fs::create_dir(&left).expect("a control group");
    let script = format!("echo 0 > {}/cgroup.procs && exec sleep 60", left.display());
    let mut sleeps = Command::new("sh").args(["-c", &script]).spawn().expect("it starts");
    until("the process is in the group", || {
        std::fs::read_to_string(left.join("cgroup.procs")).is_ok_and(|it| !it.is_empty())
    });
    // Others may have left some as well.
    assert!(kernel::clean().expect("they may be removed").contains(&left));
    assert!(!left.exists());
    assert!(!sleeps.wait().expect("it was killed").success());
    let own = of(std::process::id());
    assert!(own.exists(), "one in use stays");
    flight.finish().expect("no controller fails");
    assert!(!own.exists(), "it ends with its flight");
}

/// What iperf3 measured of a transfer, in bit/s and microseconds.
fn measured(json: &str) -> (f64, f64) {
    let after = |key: &str| {
        let start = json.rfind(key).unwrap_or_else(|| panic!("no {key} in {json}")) + key.len();
        let text = json[start..].trim_start_matches([':', '"', ' ', '\t']);
        let end = text.find([',', '\n']).unwrap_or(text.len());
        text[..end].parse::<f64>().unwrap_or_else(|_| panic!("{key}: {}", &text[..end]))
    };
    let sum = json.rfind("sum_sent").map_or(json, |it| &json[it..]);
    let start = sum.find("bits_per_second").expect("a sum");
    let rate = sum[start + 17..].trim_start_matches([':', ' ', '\t']);
    let rate = rate.split([',', '\n']).next().and_then(|it| it.parse().ok()).expect("a rate");
    (rate, after("mean_rtt"))
}

/// The bucket holds what passes in 8 ms: where a timer is late by less, no capacity is lost.
///
/// At most 200 kB wait, for 32 ms at 50 Mbps; there is no other delay to speak of. After a loss
/// CUBIC's window is 0.7 of what fills the queue, and grows from there (RFC 9438, section 4.6).
#[test]
fn cubic_fills_a_bottleneck_and_its_queue_as_the_kernels_own() {
    let _alone = alone();
    let shape = "rate 50mbit burst 50000 limit 200000";
    let Some(network) = Network::new("cubic", Some(shape)) else { return };
    let kernels = network.transfer("-t 4 -C cubic");
    let kernels: Vec<&str> = kernels.iter().map(String::as_str).collect();
    let (their_rate, their_rtt) = measured(&output(&kernels));
    let Some(mut flight) = start(&settings("cubic")) else { return };
    let command = network.transfer(&format!("-t 4 -C {}", flight.algorithm()));
    let kept = std::env::temp_dir().join(format!("fly-{}-cubic.json", std::process::id()));
    let script = format!("\"$@\" > {}", kept.display());
    let command = [&["sh", "-c", &script, "sh"].map(str::to_owned)[..], &command].concat();
    flight.launch(&command, true).expect("the command starts");
    let code = flight.wait(Duration::from_secs(15)).expect("no controller fails");
    let totals = flight.finish().expect("no controller fails");
    let json = std::fs::read_to_string(&kept).expect("what iperf3 printed");
    std::fs::remove_file(&kept).expect("it is a file");
    assert_eq!(code, Some(0), "{json}");
    let (our_rate, our_rtt) = measured(&json);
    println!("kernel's {their_rate} bit/s, {their_rtt} µs; ours {our_rate} bit/s, {our_rtt} µs");
    println!("{totals:?}");
    assert!(our_rate > 0.95 * their_rate, "{our_rate} bit/s beside {their_rate}");
    assert!((0.7 * 32e3..32e3).contains(&our_rtt), "{our_rtt} µs beside {their_rtt}");
}
