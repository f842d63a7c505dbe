//! Compiles the BPF programs of `bpf`, where the feature `kernel` asks for them.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=bpf");
    if env::var_os("CARGO_FEATURE_KERNEL").is_none() || !env_is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    let variable = |name| env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let object = Path::new(&variable("OUT_DIR")).join("controller.bpf.o");
    let architecture = match variable("CARGO_CFG_TARGET_ARCH").as_str() {
        "x86_64" => "x86",
        "aarch64" => "arm64",
        "riscv64" => "riscv",
        other => panic!("the feature `kernel` does not know the processor {other}"),
    };
    let order = if env_is("CARGO_CFG_TARGET_ENDIAN", "big") { "bpfeb" } else { "bpfel" };
    let compiled = Command::new("clang")
        .args(["-target", order, "-g", "-O2", "-Wall", "-Werror"])
        .arg(format!("-D__TARGET_ARCH_{architecture}"))
        // libbpf's headers: those of the copy that is linked.
        .arg(format!("-I{}", variable("DEP_BPF_INCLUDE")))
        .args(["-c", "bpf/controller.bpf.c", "-o"])
        .arg(&object)
        .status();
    match compiled {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang could not compile bpf/controller.bpf.c: {status}"),
        Err(error) => panic!(
            "clang: {error}; the feature `kernel` needs it: \
             apt-get install clang libelf-dev zlib1g-dev pkg-config make"
        ),
    }
}

fn env_is(name: &str, value: &str) -> bool {
    env::var_os(name).is_some_and(|it| it == value)
}
