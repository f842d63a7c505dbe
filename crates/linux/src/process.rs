//! The process of a guest, in a group of its own, which ends when this process does.

use std::collections::VecDeque;
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// The first number of the files that a guest has: a fixed one, since the paths of its devices enter
/// its random numbers.
pub(crate) const FIRST_FILE: RawFd = 1000;
/// How many bytes of its console are kept.
const CONSOLE: usize = 16384;
/// Where a guest may keep its memory.
const FOLDERS: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// A guest.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pub(crate) console: PipeReader,
    said: VecDeque<u8>,
}

impl Process {
    /// Starts a kernel with these parameters, in which `files` have numbers from [`FIRST_FILE`] on.
    pub(crate) fn start(
        kernel: &Path,
        parameters: &[String],
        files: Vec<OwnedFd>,
    ) -> io::Result<Self> {
        if files.iter().any(|it| it.as_raw_fd() >= FIRST_FILE) {
            return Err(io::Error::other("this process has too many files open"));
        }
        let (console, output) = io::pipe()?;
        fcntl(&console, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        let mut command = Command::new(kernel);
        command.args(parameters).env_clear().process_group(0).stdin(Stdio::null());
        command.envs(FOLDERS.iter().filter_map(|it| Some((it, std::env::var_os(it)?))));
        command.stdout(output.try_clone()?).stderr(output);
        // SAFETY: what it calls in the child is safe between fork and exec.
        unsafe { command.pre_exec(move || prepare(&files)) };
        let child = spawn(command)?;
        Ok(Self { child, console, said: VecDeque::new() })
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|it| it.is_some())
    }

    /// Takes what it has written to its console.
    pub(crate) fn listen(&mut self) {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = self.console.read(&mut bytes) {
            self.said.extend(&bytes[..count]);
            let surplus = self.said.len().saturating_sub(CONSOLE);
            self.said.drain(..surplus);
        }
    }

    /// The last lines that it wrote to its console.
    pub(crate) fn last_lines(&mut self) -> String {
        self.listen();
        let said: Vec<u8> = self.said.iter().copied().collect();
        let said = String::from_utf8_lossy(&said);
        // What is indented is a trace of calls.
        let lines = said.lines().filter(|it| !it.is_empty() && !it.starts_with(' '));
        let lines: Vec<&str> = lines.map(str::trim_end).collect();
        lines[lines.len().saturating_sub(12)..].join(" | ")
    }

    /// Ends it, and all that it has started.
    pub(crate) fn kill(&mut self) {
        let group = i32::try_from(self.child.id()).map(Pid::from_raw);
        if let Ok(group) = group {
            let _ = killpg(group, Signal::SIGKILL);
        }
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Between fork and exec: the guest's files get their numbers, it ends with its parent, and it gets no
/// random numbers from outside: its own are then the same in each run.
fn prepare(files: &[OwnedFd]) -> io::Result<()> {
    for (file, number) in files.iter().zip(FIRST_FILE..) {
        // SAFETY: it copies a file's number.
        if unsafe { libc::dup2(file.as_raw_fd(), number) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    let code = |code: u32| code as u16;
    let statement = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    // Where the call's number is; whether it is `getrandom`; if so it does not exist; all else may be.
    let mut filter = [
        statement(code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS), 0, 0, 0),
        statement(
            code(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K),
            0,
            1,
            libc::SYS_getrandom as u32,
        ),
        statement(code(libc::BPF_RET), 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        statement(code(libc::BPF_RET), 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    let ends_with_parent = libc::SIGKILL as libc::c_ulong;
    let mode = libc::SECCOMP_MODE_FILTER as libc::c_ulong;
    // SAFETY: they change this process alone, and `program` lives until the call is over.
    let has_failed = unsafe {
        // Where it lies in memory decides how much memory it finds.
        libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) < 0
            || libc::prctl(libc::PR_SET_PDEATHSIG, ends_with_parent) != 0
            || libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) != 0
    };
    if has_failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// What an error of a guest's socket means.
pub(crate) fn told(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionReset => "it has stopped".to_owned(),
        _ => error.to_string(),
    }
}

type Task = Box<dyn FnOnce() + Send>;

/// Starts a process from a thread that lives as long as this process does: what is started ends with the
/// thread that started it.
fn spawn(mut command: Command) -> io::Result<Child> {
    static STARTER: Mutex<Option<(u32, Sender<Task>)>> = Mutex::new(None);
    let own = std::process::id();
    let (answer, answered) = channel();
    let task: Task = Box::new(move || drop(answer.send(command.spawn())));
    let mut starter = STARTER.lock().map_err(|_| io::Error::other("a thread has panicked"))?;
    // A fork of this process has no such thread.
    if starter.as_ref().is_none_or(|it| it.0 != own) {
        let (sender, tasks) = channel::<Task>();
        std::thread::Builder::new().spawn(move || tasks.into_iter().for_each(|it| it()))?;
        *starter = Some((own, sender));
    }
    if let Some((_, sender)) = &*starter {
        sender.send(task).map_err(|_| io::Error::other("no thread to start it"))?;
    }
    drop(starter);
    answered.recv().map_err(|_| io::Error::other("no thread to start it"))?
}
