//! What becomes of a guest that fails, and of its process.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use windtunnel_linux::{DEFAULT_KERNEL, Installation, Linux};

use crate::kernel::{linux, path};

/// A kernel that is a script, and has these first files.
fn pretended(name: &str, script: &str) -> Installation {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let kernel = folder.join("linux");
    fs::write(&kernel, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&kernel, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("initramfs.cpio"), "").unwrap();
    Installation::at(&folder).unwrap()
}

/// Why a transfer fails with that kernel.
fn failure(installation: Installation) -> String {
    let outcome = path().duration("5 s").transfer(Linux::new(installation), 1000);
    assert_eq!(outcome.received_bytes, 0);
    outcome.failure().expect("it cannot work").to_owned()
}

#[test]
fn a_kernel_that_ends_is_named_with_its_last_lines() {
    let script = "for line in 1 2 3; do echo line $line; done; echo Kernel panic >&2; exit 3";
    let why = failure(pretended("ends", script));
    let expected =
        "the Linux kernel: it has stopped; its last lines: line 1 | line 2 | line 3 | Kernel panic";
    assert_eq!(why, expected);
}

#[test]
fn a_kernel_that_hangs_is_ended() {
    let begun = Instant::now();
    let why = failure(pretended("hangs", "echo begun; sleep 1000"));
    assert_eq!(why, "the Linux kernel: it has not answered for 20 s; its last lines: begun");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

/// A true kernel without its first program.
#[test]
fn a_kernel_that_panics_says_why() {
    if linux("cubic").is_none() {
        return;
    }
    let true_one = Installation::find(DEFAULT_KERNEL).unwrap();
    let without = pretended("panics", "");
    let why = failure(Installation { kernel: true_one.kernel, files: without.files });
    assert!(why.contains("Kernel panic - not syncing"), "{why}");
}

#[test]
fn a_setting_that_there_is_not_is_named() {
    let Some(cubic) = linux("cubic") else { return };
    let setting = ("net.ipv4.no_such_setting".to_owned(), "1".to_owned());
    let outcome = path().duration("5 s").transfer(cubic.sysctl(&[setting]), 1000);
    let why = outcome.failure().unwrap();
    assert!(why.contains("net.ipv4.no_such_setting") && why.contains("No such file"), "{why}");
}

/// Processes of a group, by what the kernel says of each: `pid (name) state parent group …`.
fn processes() -> Vec<(u32, u32, u32)> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let stats = all.filter_map(|it| fs::read_to_string(it.path().join("stat")).ok());
    let read = |it: String| {
        let id = it.split(' ').next()?.parse().ok()?;
        let mut rest = it.rsplit_once(") ")?.1.split(' ').skip(1);
        Some((id, rest.next()?.parse().ok()?, rest.next()?.parse().ok()?))
    };
    stats.filter_map(read).collect()
}

/// The groups of the guests of a process.
fn groups_of(parent: u32) -> BTreeSet<u32> {
    processes().iter().filter(|it| it.1 == parent).map(|it| it.2).collect()
}

fn left_of(groups: &BTreeSet<u32>) -> usize {
    processes().iter().filter(|it| groups.contains(&it.2)).count()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        sleep(Duration::from_millis(20));
    }
}

/// What [`nothing_is_left_of_a_simulation_that_is_killed`] starts, and kills.
#[test]
#[ignore = "runs until it is killed"]
fn a_simulation_that_is_killed() {
    let Some(cubic) = linux("cubic") else { return };
    let _ = path().transfer(cubic, 100_000_000_000);
}

#[test]
fn nothing_is_left_of_a_simulation_that_is_killed() {
    if linux("cubic").is_none() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("killed");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut simulation = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "failures::a_simulation_that_is_killed"])
        .env("TMPDIR", &folder)
        .spawn()
        .unwrap();
    let id = simulation.id();
    until("it has started two guests", || groups_of(id).len() == 2);
    // They transfer data by now.
    sleep(Duration::from_secs(2));
    let groups = groups_of(id);
    assert!(left_of(&groups) > 2, "a guest has processes of its own");
    simulation.kill().unwrap();
    simulation.wait().unwrap();
    until("the guests have ended", || left_of(&groups) == 0);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}
