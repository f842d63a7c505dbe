//! What the kernel, its user and a controller's needs must be, before anything is loaded.

use std::fs;
use std::path::Path;

use caps::{CapSet, Capability};
use windtunnel_controllers::{Need, Settings};

use super::KernelError;

/// Types of the kernel, which the programs are fitted to when they are loaded.
const TYPES: &str = "/sys/kernel/btf/vmlinux";
/// The type that a kernel has if programs can be congestion controllers.
const STRUCT_OPS: &[u8] = b"bpf_struct_ops_tcp_congestion_ops";
/// Since then `cong_control` has four arguments.
const LEAST_RELEASE: (u32, u32) = (6, 10);

/// Checks that the kernel takes congestion controllers from this user.
///
/// # Errors
/// [`KernelError::Missing`] names the first that is missing.
pub(super) fn check_machine() -> Result<(), KernelError> {
    let missing = |what: &str| Err(KernelError::Missing(what.to_owned()));
    if !Path::new("/proc/sys/kernel/unprivileged_bpf_disabled").exists() {
        return missing("it was built without CONFIG_BPF_SYSCALL");
    }
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    if parse_release(&release).is_none_or(|it| it < LEAST_RELEASE) {
        return missing(&format!("it is Linux {}; 6.10 or later is needed", release.trim()));
    }
    let Ok(types) = fs::read(TYPES) else {
        return missing(&format!("{TYPES} does not exist; CONFIG_DEBUG_INFO_BTF is needed"));
    };
    if !types.windows(STRUCT_OPS.len()).any(|it| it == STRUCT_OPS) {
        return missing(
            "it takes no congestion controllers as programs (struct_ops); CONFIG_BPF_JIT and \
             CONFIG_INET are needed",
        );
    }
    let holds = |it| caps::has_cap(None, CapSet::Effective, it).unwrap_or(false);
    let may_load = holds(Capability::CAP_SYS_ADMIN)
        || holds(Capability::CAP_PERFMON) && holds(Capability::CAP_BPF);
    if !holds(Capability::CAP_NET_ADMIN) || !may_load {
        return missing("run it as root, or with CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN");
    }
    Ok(())
}

/// Checks that the kernel reports what the controller needs. Returns what it has only in part.
///
/// # Errors
/// [`KernelError::Need`] names the first need that it cannot meet.
pub(super) fn check_needs(settings: &Settings) -> Result<Vec<String>, KernelError> {
    let controller = settings.description().name;
    let refuse = |need: &str| {
        Err(KernelError::Need { controller: controller.to_owned(), need: need.to_owned() })
    };
    let mut notes = Vec::new();
    for need in settings.needs() {
        match need {
            // On a single path there are no siblings.
            Need::Pacing | Need::DeliveryRate | Need::Siblings => {}
            Need::OneWayDelay => {
                if number("/proc/sys/net/ipv4/tcp_timestamps") == Some(0) {
                    return refuse("timestamps (sysctl net.ipv4.tcp_timestamps=1)");
                }
            }
            Need::MarksCounted => notes.push(format!(
                "{controller} counts marks: both ends must use it, or accurate ECN (RFC 8257)"
            )),
            Need::ScalableMarking => notes.push(format!(
                "{controller} expects frequent marks: the kernel sends ECT(0), which routers with \
                 L4S treat as classic traffic"
            )),
            Need::SomeCongestion => return refuse("the mark of some congestion (SCE)"),
            Need::Sinr => return refuse("reports of a radio's SINR"),
        }
    }
    Ok(notes)
}

fn number(path: &str) -> Option<u32> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The first two numbers of a kernel's release.
fn parse_release(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|it: char| !it.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use windtunnel_controllers::DESCRIPTIONS;

    use super::*;

    #[test]
    fn releases_are_compared_as_numbers() {
        assert_eq!(parse_release("6.18.44-fc-v595\n"), Some((6, 18)));
        assert!(parse_release("6.9.1").is_some_and(|it| it < LEAST_RELEASE));
        assert_eq!(parse_release("unknown"), None);
    }

    #[test]
    fn only_controllers_of_radios_and_of_some_congestion_are_refused() {
        let refused =
            DESCRIPTIONS.iter().filter(|it| check_needs(&Settings::defaults(it)).is_err());
        let refused: Vec<_> = refused.map(|it| it.name).collect();
        let expected = DESCRIPTIONS
            .iter()
            .filter(|it| it.needs(Need::Sinr) || it.needs(Need::SomeCongestion))
            .map(|it| it.name);
        assert_eq!(refused, expected.collect::<Vec<_>>());
        assert!(refused.contains(&"reno-sce"), "{refused:?}");
    }
}
