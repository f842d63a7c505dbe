//! One file over one stream, which is then closed.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Time;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::sizes::{MOST_FILE, within};
use windtunnel_reading::units::{Bytes, Measured};

use crate::keys::{Keys, WorkloadContext};
use crate::{Application, Before, Behaviour, Completed, Host, Maker, Setting, Stream};

/// One file, over one stream, which is then closed.
#[derive(Clone, Copy, Debug)]
pub struct FileSettings {
    /// Its size in bytes.
    pub bytes: u64,
}

impl Maker for FileSettings {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let (start, bytes) = (setting.start, self.bytes);
        [Box::new(FileSender::new(start, bytes)), Box::new(FileReceiver::new(start, bytes))]
    }

    fn behaviour(&self) -> Behaviour {
        Behaviour { transfers: true, ..Behaviour::STEADY }
    }
}

/// Sends the file.
#[derive(Clone, Debug)]
pub(crate) struct FileSender {
    bytes: u64,
    next: Time,
}

impl FileSender {
    pub(crate) fn new(start: Time, bytes: u64) -> Self {
        Self { bytes, next: start }
    }
}

impl Application for FileSender {
    fn next_wake(&self) -> Time {
        self.next
    }

    fn wake(&mut self, _now: Time, host: &mut dyn Host) {
        self.next = Time::NEVER;
        send(host, 0, self.bytes);
    }
}

/// Sends a file over a stream of its own.
pub(crate) fn send(host: &mut dyn Host, ordinal: u64, bytes: u64) {
    host.begin();
    let stream = host.open(ordinal);
    host.write(stream, bytes);
    host.close(stream);
}

/// Receives the file, whose size and time it knows.
#[derive(Clone, Debug)]
pub(crate) struct FileReceiver {
    bytes: u64,
    start: Time,
}

impl FileReceiver {
    pub(crate) fn new(start: Time, bytes: u64) -> Self {
        Self { bytes, start }
    }
}

impl Application for FileReceiver {
    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.await_received(stream, self.bytes);
    }

    fn on_received(&mut self, _now: Time, _stream: Stream, host: &mut dyn Host) {
        let before = Before::Opening;
        host.complete(Completed { number: 0, bytes: self.bytes, start: self.start, before });
    }
}

/// One file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FlowFile")]
pub struct FileKeys {
    /// Its size.
    size: Located<Measured<Bytes>>,
}

impl Keys for FileKeys {
    type Workload = FileSettings;

    fn workload(&self, _context: &mut WorkloadContext<'_, '_>) -> Result<FileSettings, Mistake> {
        Ok(FileSettings { bytes: within(&self.size, MOST_FILE, "size")? })
    }
}
