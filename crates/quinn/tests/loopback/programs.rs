//! The example as a program.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// The program, which `cargo test` builds with all targets.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let path = built.join("examples/transfer").with_extension(std::env::consts::EXE_EXTENSION);
    let name = path.display();
    assert!(path.exists(), "no file {name}; `cargo test -p windtunnel-quinn` builds it");
    path
}

/// The server, which ends with the test.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) fn start() -> Self {
        let mut command = Command::new(program());
        let mut child = command.args(["--server", "0"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let address: SocketAddr = said["listening"].as_str().unwrap().parse().unwrap();
        assert!(address.ip().is_loopback());
        Self { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs it to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    Command::new(program()).args(arguments).output().unwrap()
}

/// Sends something, and returns what the client reports.
pub(crate) fn send(to: SocketAddr, arguments: &[&str]) -> Value {
    let to = to.to_string();
    let output = run(&[&["--connect", &to], arguments].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap()
}
