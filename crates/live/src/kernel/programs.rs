//! The programs of `bpf/controller.bpf.c`, loaded and in use until they are dropped: nothing is
//! pinned, so that they vanish with this process.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use libbpf_rs::{
    Link, MapCore, MapFlags, MapHandle, MapType, Object, ObjectBuilder, PrintLevel, ProgramType,
};

use super::KernelError;
use super::group::Group;

const PROGRAMS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/controller.bpf.o"));

/// The longest name of an algorithm, in bytes (`TCP_CA_NAME_MAX` less the zero at the end).
const LONGEST_NAME: usize = 15;
/// Of what libbpf says, this many bytes are told, the last.
const MOST_SAID: usize = 2_000;
/// `struct tcp_congestion_ops` of `bpf/kernel_types.h`: where its flags are, and the flag that
/// asks for ECN.
const FLAGS: usize = 16;
const NEEDS_ECN: u8 = 2;

/// The algorithm, registered in the kernel.
pub(super) struct Programs {
    name: String,
    // The links end before the programs.
    _links: [Link; 2],
    _object: Object,
}

/// The maps of the programs.
#[derive(Debug)]
pub(super) struct Maps {
    pub(super) reports: MapHandle,
    pub(super) decisions: MapHandle,
    pub(super) heartbeat: MapHandle,
    pub(super) counters: MapHandle,
}

impl Programs {
    /// Registers the algorithm for the controller of that name, and has the sockets of `group`
    /// use it. The maps are what it shares with user space.
    pub(super) fn load(
        controller: &str,
        needs_ecn: bool,
        group: &Group,
    ) -> Result<(Self, Maps), KernelError> {
        libbpf_rs::set_print(Some((PrintLevel::Warn, keep)));
        said().clear();
        let name = name_of(controller, group.number());
        let mut open = ObjectBuilder::default().open_memory(PROGRAMS).map_err(refused)?;
        for mut map in open.maps_mut() {
            let is_algorithm = map.map_type() == MapType::StructOps;
            let is_constants = map.name().to_string_lossy().ends_with(".rodata");
            if !is_algorithm && !is_constants {
                continue;
            }
            let Some(value) = map.initial_value_mut() else { continue };
            // The name is at the beginning of both.
            value[..name.len()].copy_from_slice(name.as_bytes());
            if is_algorithm && needs_ecn {
                value[FLAGS] |= NEEDS_ECN;
            }
        }
        let mut object = open.load().map_err(refused)?;
        let mut algorithm = None;
        for mut map in object.maps_mut() {
            if map.map_type() == MapType::StructOps {
                algorithm = Some(map.attach_struct_ops().map_err(refused)?);
            }
        }
        let directory = File::open(group.path()).map_err(|error| group.error(error))?;
        let mut chooser = None;
        for program in object.progs_mut() {
            if program.prog_type() == ProgramType::SockOps {
                let link = program.attach_cgroup(directory.as_raw_fd()).map_err(refused)?;
                chooser = Some(link);
            }
        }
        let lacks = || KernelError::Refused("a program is not in the object".to_owned());
        let links = [chooser.ok_or_else(lacks)?, algorithm.ok_or_else(lacks)?];
        let map = |name: &str| {
            let found = object.maps().find(|it| it.name() == name).ok_or_else(lacks)?;
            MapHandle::try_from(&found).map_err(refused)
        };
        let maps = Maps {
            reports: map("reports")?,
            decisions: map("decisions")?,
            heartbeat: map("heartbeat")?,
            counters: map("counters")?,
        };
        Ok((Self { name, _links: links, _object: object }, maps))
    }

    /// The algorithm's name, for `TCP_CONGESTION`.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Maps {
    /// The counters of the programs: connections, reports dropped, fallbacks, and connections
    /// for whose decisions there was no room.
    pub(super) fn counters(&self) -> [u64; 4] {
        [0_u32, 1, 2, 3].map(|which| {
            let read = self.counters.lookup(&which.to_ne_bytes(), MapFlags::ANY);
            let bytes = read.ok().flatten().and_then(|it| it.try_into().ok());
            bytes.map_or(0, u64::from_ne_bytes)
        })
    }
}

/// The error of libbpf, with what it said of it last: of a program that the kernel refuses, why.
fn refused(error: libbpf_rs::Error) -> KernelError {
    let said = said();
    let from = said.len().saturating_sub(MOST_SAID);
    let from = (from..said.len()).find(|it| said.is_char_boundary(*it)).unwrap_or(said.len());
    KernelError::Refused(format!("{error:#}\n{}", said[from..].trim_end()))
}

/// Keeps what libbpf says.
fn keep(_: PrintLevel, line: String) {
    said().push_str(&line);
}

/// What libbpf said since programs were loaded last.
fn said() -> MutexGuard<'static, String> {
    static SAID: Mutex<String> = Mutex::new(String::new());
    SAID.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name that no other process has: of the controller and the process.
fn name_of(controller: &str, process: u32) -> String {
    let suffix = format!("_{process}");
    // Other characters are not valid in names of programs.
    let plain = controller.replace('-', "_");
    let plain = plain.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '_');
    plain.take(LONGEST_NAME - suffix.len()).collect::<String>() + &suffix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_and_differ_by_process() {
        assert_eq!(name_of("copa", 17), "copa_17");
        assert_eq!(name_of("ledbat-plus-plus", 4_194_304), "ledbat__4194304");
        assert_eq!(name_of("ein höfliches", 1), "einhfliches_1");
    }
}
