//! A command whose sockets use a controller.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use windtunnel_controllers::{Failed, Need, Settings};

use super::KernelError;
use super::group::Group;
use super::leader::{Totals, lead};
use super::programs::Programs;
use super::requirements::{check_machine, check_needs};

/// How long a command may take to end after Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);

/// An algorithm in the kernel whose decisions a controller makes, until it is
/// [finished](Self::finish) or dropped.
pub struct Flight {
    programs: Programs,
    group: Group,
    notes: Vec<String>,
    command: Option<Child>,
    stop: Arc<AtomicBool>,
    leader: Option<JoinHandle<Result<Totals, KernelError>>>,
}

impl Flight {
    /// Registers the algorithm.
    ///
    /// # Errors
    /// [`KernelError`] says what is missing.
    pub fn start(settings: &Settings) -> Result<Self, KernelError> {
        let notes = check_needs(settings)?;
        check_machine()?;
        let group = Group::create()?;
        let description = settings.description();
        let needs_ecn = settings.needs().any(|it| it == Need::MarksCounted);
        let (programs, maps) = Programs::load(description.name, needs_ecn, &group)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (settings, stopped) = (settings.clone(), Arc::clone(&stop));
        let leader = std::thread::Builder::new().name("controllers".to_owned());
        let leader = leader.spawn(move || lead(&settings, &maps, &stopped));
        let leader = leader.map_err(|it| KernelError::Refused(it.to_string()))?;
        Ok(Self { programs, group, notes, command: None, stop, leader: Some(leader) })
    }

    /// The algorithm's name: any program may choose it by the socket option `TCP_CONGESTION`.
    #[must_use]
    pub fn algorithm(&self) -> &str {
        self.programs.name()
    }

    /// What the kernel has only in part of what the controller needs.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Starts the command; its output goes to standard error if `quiet`, so that standard output
    /// is free.
    ///
    /// # Errors
    /// [`KernelError::Command`] if it cannot be started.
    pub fn launch(&mut self, command: &[String], quiet: bool) -> Result<(), KernelError> {
        let program = command.first().cloned().unwrap_or_default();
        let failed = |error| KernelError::Command { program, error };
        let mut shell = self.group.command(command);
        if quiet {
            shell.stdout(Stdio::from(std::io::stderr()));
        }
        self.command = Some(shell.spawn().map_err(failed)?);
        Ok(())
    }

    /// Waits for the command's end, but no longer than `patience`. Returns its exit code once it
    /// has ended: 128 and the signal's number if a signal ended it. None without a command.
    ///
    /// # Errors
    /// [`KernelError::Failed`] if a controller failed; the command is ended then.
    pub fn wait(&mut self, patience: Duration) -> Result<Option<i32>, KernelError> {
        let until = Instant::now() + patience;
        loop {
            if self.leader.as_ref().is_some_and(JoinHandle::is_finished) {
                self.group.kill();
                return self.join().map(|_| None);
            }
            let ended = match &mut self.command {
                Some(command) => command.try_wait(),
                None => Ok(None),
            };
            match ended {
                Ok(Some(status)) => return Ok(Some(code(status))),
                Ok(None) if Instant::now() >= until => return Ok(None),
                Ok(None) => std::thread::sleep(Duration::from_millis(5).min(patience)),
                Err(error) => {
                    let program = self.group.path().display().to_string();
                    return Err(KernelError::Command { program, error });
                }
            }
        }
    }

    /// Lets a command that got Ctrl-C end by itself for two seconds, ends all that is left of
    /// it, and says what happened.
    ///
    /// # Errors
    /// [`KernelError::Failed`] if a controller failed.
    pub fn finish(mut self) -> Result<Totals, KernelError> {
        if self.command.is_some() {
            self.wait(GRACE)?;
        }
        self.group.kill();
        self.join()
    }

    fn join(&mut self) -> Result<Totals, KernelError> {
        self.stop.store(true, Ordering::Relaxed);
        let Some(leader) = self.leader.take() else { return Ok(Totals::default()) };
        leader.join().unwrap_or_else(|why| match why.downcast::<Failed>() {
            Ok(failed) => Err(KernelError::Failed(failed.0)),
            Err(other) => std::panic::resume_unwind(other),
        })
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.group.kill();
        if let Some(command) = &mut self.command {
            // It was killed: this ends at once.
            drop(command.wait());
        }
        self.stop.store(true, Ordering::Relaxed);
        if let Some(leader) = self.leader.take() {
            drop(leader.join());
        }
    }
}

fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|it| 128 + it)).unwrap_or(1)
}
