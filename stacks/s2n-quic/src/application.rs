//! A connection and its streams, as an application of s2n-quic has them.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use s2n_quic::client::ConnectionAttempt;
use s2n_quic::connection::{Handle, StreamAcceptor};
use s2n_quic::stream::{BidirectionalStream, ReceiveStream, SendStream};
use s2n_quic::{Client, Connection, Server};
use windtunnel_stack::{Event, Read, content};

use crate::tasks::{Task, Tasks};

/// Where connections come from.
pub(crate) enum Source {
    /// It is attempted; the endpoint goes on as long as there is a client.
    Client(#[expect(dead_code, reason = "it is only kept")] Client, ConnectionAttempt),
    /// It is waited for.
    Server(Server),
}

/// An application, with at most one connection.
pub(crate) struct Application {
    source: Source,
    connection: Option<(Handle, StreamAcceptor)>,
    /// By number.
    streams: BTreeMap<u64, Stream>,
    tasks: Tasks,
    events: VecDeque<Event>,
}

/// A stream that is not over.
struct Stream {
    sending: SendStream,
    receiving: ReceiveStream,
    written: u64,
    read: u64,
    is_acknowledged: bool,
    is_complete: bool,
    reads: Waker,
    writes: Waker,
    closes: Waker,
}

impl Application {
    /// One that has not begun.
    pub(crate) fn new(source: Source) -> Self {
        let tasks = Tasks::default();
        tasks.waker(Task::Connect).wake();
        Self { source, connection: None, streams: BTreeMap::new(), tasks, events: VecDeque::new() }
    }

    /// Whether there is anything to do or to tell.
    pub(crate) fn is_idle(&self) -> bool {
        self.events.is_empty() && self.tasks.is_empty()
    }

    /// What has happened; none if nothing has.
    pub(crate) fn next_event(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            match self.tasks.next()? {
                Task::Connect => self.connect(),
                Task::Accept => self.accept(),
                Task::Open => self.events.push_back(Event::Available),
                Task::Read(number) => self.events.push_back(Event::Readable(number)),
                Task::Write(number) => self.events.push_back(Event::Writable(number)),
                Task::Close(number) => self.close(number),
            }
        }
    }

    fn connect(&mut self) {
        let waker = self.tasks.waker(Task::Connect);
        let context = &mut Context::from_waker(&waker);
        let connected = match &mut self.source {
            _ if self.connection.is_some() => return,
            Source::Client(_, attempt) => Pin::new(attempt).poll(context).map(|it| it.map_err(why)),
            Source::Server(server) => {
                server.poll_accept(context).map(|it| it.ok_or_else(|| "it is over".to_owned()))
            }
        };
        match connected {
            Poll::Pending => {}
            Poll::Ready(Ok(connection)) => self.begin(connection),
            Poll::Ready(Err(why)) => self.events.push_back(Event::Failed(why)),
        }
    }

    fn begin(&mut self, connection: Connection) {
        self.connection = Some(connection.split());
        self.events.extend([Event::Connected, Event::Available]);
        self.accept();
    }

    /// Takes the streams that the peer has opened.
    fn accept(&mut self) {
        let waker = self.tasks.waker(Task::Accept);
        let context = &mut Context::from_waker(&waker);
        while let Some((_, acceptor)) = &mut self.connection {
            match acceptor.poll_accept_bidirectional_stream(context) {
                Poll::Pending => break,
                Poll::Ready(Ok(Some(stream))) => {
                    self.events.push_back(Event::Opened(number_of(&stream)));
                    self.insert(stream);
                }
                Poll::Ready(Ok(None)) => return self.fail("the peer has closed it".to_owned()),
                Poll::Ready(Err(error)) => return self.fail(why(error)),
            }
        }
    }

    fn fail(&mut self, why: String) {
        self.connection = None;
        self.events.push_back(Event::Failed(why));
    }

    fn insert(&mut self, stream: BidirectionalStream) {
        let number = number_of(&stream);
        let (receiving, sending) = stream.split();
        let (reads, writes) = (Task::Read(number), Task::Write(number));
        let stream = Stream {
            sending,
            receiving,
            written: 0,
            read: 0,
            is_acknowledged: false,
            is_complete: false,
            reads: self.tasks.waker(reads),
            writes: self.tasks.waker(writes),
            closes: self.tasks.waker(Task::Close(number)),
        };
        self.streams.insert(number, stream);
        // Reading says when there will be more.
        self.events.push_back(Event::Readable(number));
    }

    /// Opens a stream, if the peer allows another one; returns its number.
    pub(crate) fn open(&mut self) -> Option<u64> {
        let waker = self.tasks.waker(Task::Open);
        let (handle, _) = self.connection.as_mut()?;
        match handle.poll_open_bidirectional_stream(&mut Context::from_waker(&waker)) {
            Poll::Ready(Ok(stream)) => {
                let number = number_of(&stream);
                self.insert(stream);
                Some(number)
            }
            // Why there is none is what accepting streams says.
            Poll::Ready(Err(_)) | Poll::Pending => None,
        }
    }

    /// Takes as many of `bytes` more as there is room for; returns how many.
    pub(crate) fn write(&mut self, number: u64, bytes: u64) -> u64 {
        let Some(stream) = self.streams.get_mut(&number) else { return 0 };
        let context = &mut Context::from_waker(&stream.writes);
        let mut left = bytes;
        while left > 0 {
            let Poll::Ready(Ok(room)) = stream.sending.poll_send_ready(context) else { break };
            let piece = content::piece(stream.written, left.min(room as u64));
            if stream.sending.send_data(Bytes::from_static(piece)).is_err() {
                break;
            }
            stream.written += piece.len() as u64;
            left -= piece.len() as u64;
        }
        bytes - left
    }

    /// Nothing more will be written; it is told when all of it is acknowledged.
    pub(crate) fn close(&mut self, number: u64) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        let closed = stream.sending.poll_close(&mut Context::from_waker(&stream.closes));
        if matches!(closed, Poll::Ready(Ok(()))) && !stream.is_acknowledged {
            stream.is_acknowledged = true;
            self.events.push_back(Event::Acknowledged(number));
            self.drop_if_over(number);
        }
    }

    /// Reads what has arrived in order.
    pub(crate) fn read(&mut self, number: u64) -> Read {
        let mut read = Read::default();
        let Some(stream) = self.streams.get_mut(&number) else { return read };
        let context = &mut Context::from_waker(&stream.reads);
        loop {
            match stream.receiving.poll_receive(context) {
                Poll::Ready(Ok(Some(bytes))) => {
                    if !content::are_right(stream.read, &bytes) {
                        let what = format!("stream {number} brought other bytes than were sent");
                        self.events.push_back(Event::Failed(what));
                    }
                    stream.read += bytes.len() as u64;
                    read.bytes += bytes.len() as u64;
                }
                Poll::Ready(Ok(None)) => {
                    read.is_end = true;
                    stream.is_complete = true;
                    break;
                }
                Poll::Ready(Err(_)) | Poll::Pending => break,
            }
        }
        self.drop_if_over(number);
        read
    }

    /// Nothing is kept of what is over in both directions.
    fn drop_if_over(&mut self, number: u64) {
        if self.streams.get(&number).is_some_and(|it| it.is_acknowledged && it.is_complete) {
            self.streams.remove(&number);
        }
    }
}

/// Streams of the end that connects are 0, 4, 8 and so on (RFC 9000, section 2.1).
fn number_of(stream: &BidirectionalStream) -> u64 {
    stream.id() / 4
}

fn why(error: s2n_quic::connection::Error) -> String {
    error.to_string()
}
