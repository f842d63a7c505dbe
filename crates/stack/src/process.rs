//! Ends of a library in processes of their own, so that one that crashes ends its flow and not the run.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::interface::NONE;
use crate::loaded::{Library, Loaded};
use crate::messages::{Call, Message, Parts};
use crate::{
    Datagram, Departure, Event, Failure, MakeStack, Place, Read, Stack, StackKind, State,
    StreamStack,
};

/// How often, and how long apart, it is looked whether a process has ended that does not answer: a
/// core dump may take a second.
const ENDING_POLLS: u32 = 200;
const ENDING_POLL: Duration = Duration::from_millis(10);
/// How long in real time a process is waited for: it answers in microseconds, if it does not loop for
/// ever.
const PATIENCE: Duration = Duration::from_secs(60);

impl Library {
    /// Its stack, under a name in scenarios, each end in a process of its own: `command` is a program
    /// and its arguments that calls [`serve`] with this library.
    #[must_use]
    pub fn in_processes(self, name: &str, command: Vec<OsString>) -> Arc<dyn StackKind> {
        Arc::new(Kind { library: self, name: name.to_owned(), command: command.into() })
    }
}

#[derive(Debug)]
struct Kind {
    library: Library,
    name: String,
    command: Arc<[OsString]>,
}

impl StackKind for Kind {
    fn name(&self) -> &str {
        &self.name
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        Ok(self.library.controllers())
    }

    fn maker(&self, controller: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        let loaded = self.library.loaded(&self.name, controller)?;
        let (command, controller) = (Arc::clone(&self.command), controller.map(str::to_owned));
        Ok(Arc::new(Started { loaded, command, controller }))
    }
}

/// Starts processes.
#[derive(Debug)]
struct Started {
    /// The same in this process, which says the sizes of datagrams.
    loaded: Loaded,
    command: Arc<[OsString]>,
    controller: Option<String>,
}

impl MakeStack for Started {
    fn name(&self) -> &str {
        self.loaded.name()
    }

    fn largest_datagram(&self) -> u16 {
        self.loaded.largest_datagram()
    }

    fn first_datagram(&self) -> u16 {
        self.loaded.first_datagram()
    }

    fn is_deterministic(&self) -> bool {
        self.loaded.is_deterministic()
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let [program, arguments @ ..] = &self.command[..] else {
            return Err("there is no command".to_owned());
        };
        let mut command = Command::new(program);
        command.args(arguments);
        let started = Process::start(command, PATIENCE);
        let process = started.map_err(|it| format!("its process does not start: {it}"))?;
        let name = self.name().to_owned();
        let end = End { name, process: RefCell::new(process), failure: Failure::default() };
        let request = Message::request(Call::Create).time(now);
        let request = request.place(place, self.controller.as_deref());
        let answer = end.process.borrow_mut().ask(&request);
        let mut answer = answer.map_err(|why| end.said(Call::Create, &why))?;
        match answer.text().unwrap_or_default() {
            why if why.is_empty() => Ok(Box::new(end)),
            why => Err(why),
        }
    }
}

/// A process and what it is talked to over.
#[derive(Debug)]
struct Process {
    child: Child,
    input: BufWriter<UnixStream>,
    output: BufReader<UnixStream>,
    patience: Duration,
}

impl Process {
    /// Starts one that is waited for so long in real time.
    fn start(mut command: Command, patience: Duration) -> io::Result<Self> {
        let (own, its) = UnixStream::pair()?;
        own.set_read_timeout(Some(patience))?;
        own.set_write_timeout(Some(patience))?;
        command.stdin(OwnedFd::from(its.try_clone()?)).stdout(OwnedFd::from(its));
        let (child, input) = (command.spawn()?, own.try_clone()?);
        // The command goes, and with it this process's copies of the other side: when the child ends,
        // so does what it says.
        Ok(Self { child, input: BufWriter::new(input), output: BufReader::new(own), patience })
    }

    fn ask(&mut self, request: &Message) -> Result<Parts, String> {
        let asked = request.write(&mut self.input).and_then(|()| Parts::read(&mut self.output));
        asked.map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                format!("its process has not answered for {:?}", self.patience)
            }
            _ => match self.ended() {
                Some(status) => format!("its process ended: {status}"),
                None => format!("its process does not answer: {error}"),
            },
        })
    }

    /// How it ended that does not answer any more; none if it has not.
    fn ended(&mut self) -> Option<ExitStatus> {
        for _ in 0..ENDING_POLLS {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(ENDING_POLL);
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One end of a connection.
#[derive(Debug)]
struct End {
    /// The stack's.
    name: String,
    process: RefCell<Process>,
    failure: Failure,
}

impl End {
    fn said(&self, call: Call, why: &str) -> String {
        format!("{}: {}: {why}", self.name, call.name())
    }

    /// What an end answers; nothing once it has failed.
    fn ask(&self, call: Call, request: impl FnOnce(Message) -> Message) -> Parts {
        if self.failure.is_set() {
            return Parts::default();
        }
        let answer = self.process.borrow_mut().ask(&request(Message::request(call)));
        answer.unwrap_or_else(|why| {
            self.failure.set(|| self.said(call, &why));
            Parts::default()
        })
    }
}

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        self.ask(Call::Receive, |it| it.time(now).datagrams(datagrams));
    }

    fn wake(&mut self, now: Duration) {
        self.ask(Call::Wake, |it| it.time(now));
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        self.ask(Call::Send, |it| it.time(now)).departure(buffer)
    }

    fn next_wake(&mut self) -> Option<Duration> {
        let time = self.ask(Call::NextWake, |it| it).number().filter(|it| *it != NONE);
        self.failure.wake(time.map(Duration::from_nanos))
    }

    fn state(&self) -> State {
        let state = self.ask(Call::State, |it| it).state();
        state.as_ref().map(State::from).unwrap_or_default()
    }

    fn secrets(&self) -> String {
        self.ask(Call::Secrets, |it| it).text().unwrap_or_default()
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        self.ask(Call::Open, |it| it.time(now)).number().filter(|it| *it != NONE)
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        let mut taken = self.ask(Call::Write, |it| it.time(now).number(stream).number(bytes));
        taken.number().unwrap_or_default()
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        self.ask(Call::Finish, |it| it.time(now).number(stream));
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        let mut read = self.ask(Call::Read, |it| it.time(now).number(stream));
        let (bytes, is_end) = (read.number().unwrap_or_default(), read.number() == Some(1));
        Read { bytes, is_end }
    }

    fn next_event(&mut self) -> Option<Event> {
        let event = self.ask(Call::NextEvent, |it| it).event();
        self.failure.event().or(event)
    }
}

/// Makes and calls one end of a library's stack as the messages on the standard input say, until there
/// are no more, and answers on the standard output. What the library prints goes to the standard error.
///
/// # Errors
/// If the library cannot be loaded, or what comes is not a message.
pub fn serve(file: &Path) -> io::Result<()> {
    let library = Library::open(file).map_err(io::Error::other)?;
    let (mut input, mut output) = (BufReader::new(io::stdin()), BufWriter::new(own_output()?));
    let mut end = None;
    loop {
        let mut request = match Parts::read(&mut input) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            other => other?,
        };
        let call = request.number().and_then(Call::of);
        let answer = match (call, &mut end) {
            (Some(Call::Create), None) => create(library, &mut request, &mut end),
            (Some(call), Some(end)) => request.answer(call, end.as_mut()),
            _ => None,
        };
        answer.ok_or_else(|| io::Error::other("this is not a message"))?.write(&mut output)?;
    }
}

/// Makes the end; the answer is why there is none, or empty.
fn create(
    library: Library,
    request: &mut Parts,
    end: &mut Option<Box<dyn StreamStack>>,
) -> Option<Message> {
    let (now, (place, controller)) = (request.time()?, request.place()?);
    let made = library.loaded(&library.name(), controller.as_deref());
    let why = match made.and_then(|it| it.make(now, place)) {
        Ok(made) => {
            *end = Some(made);
            String::new()
        }
        Err(why) => why,
    };
    Some(Message::default().data(why.as_bytes()))
}

/// The standard output for answers alone: what else is printed there goes to the standard error. An
/// interruption ends the process whatever it does.
fn own_output() -> io::Result<File> {
    // SAFETY: these are the standard streams of the process, and a new one that nobody else has.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_DFL);
        let own = libc::dup(1);
        if own < 0 || libc::dup2(2, 1) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(File::from_raw_fd(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(program: &str, patience: Duration) -> String {
        let mut command = Command::new("sh");
        command.args(["-c", program]);
        let mut process = Process::start(command, patience).expect("there is a shell");
        process.ask(&Message::request(Call::NextWake)).expect_err("it is no stack")
    }

    #[test]
    fn one_that_loops_for_ever_is_given_up() {
        let why = asked("while :; do :; done", Duration::from_millis(200));
        assert_eq!(why, "its process has not answered for 200ms");
    }

    #[test]
    fn one_that_ends_is_not_waited_for() {
        let why = asked("exit 3", PATIENCE);
        assert_eq!(why, "its process ended: exit status: 3");
    }
}
