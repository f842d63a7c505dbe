//! Laws of players, on a host that carries their bytes however it likes.

use std::sync::Arc;

use proptest::prelude::*;
use windtunnel_applications::video::rules::{
    BolaESettings, BolaSettings, Choice, Client, Download, MpcSettings, Oscillation, Rule,
    RuleMaker, RuleSettings, Situation, ThroughputSettings, Utility,
};
use windtunnel_applications::video::{AdaptiveSettings, Ladder};
use windtunnel_applications::{Application, Completed, Host, Setting, Stream, Workload};
use windtunnel_engine::{Duration, Streams, Time};

/// One end of the only stream.
#[derive(Default)]
struct End {
    written: u64,
    received: u64,
    awaited: Option<u64>,
    is_closed: bool,
    begun: usize,
    completed: Vec<Completed>,
}

impl Host for End {
    fn open(&mut self, ordinal: u64) -> Stream {
        assert_eq!(ordinal, 0);
        Stream(0)
    }
    fn write(&mut self, _stream: Stream, bytes: u64) {
        assert!(!self.is_closed);
        self.written += bytes;
    }
    fn close(&mut self, _stream: Stream) {
        self.is_closed = true;
    }
    fn read(&mut self, _stream: Stream, _bytes: u64) {}
    fn await_received(&mut self, _stream: Stream, bytes: u64) {
        self.awaited = Some(bytes);
    }
    fn await_acknowledged(&mut self, _stream: Stream) {}
    fn ordinal(&self, _stream: Stream) -> u64 {
        0
    }
    fn received(&self, _stream: Stream) -> u64 {
        self.received
    }
    fn unacknowledged(&self, _stream: Stream) -> u64 {
        0
    }
    fn is_finished(&self, _stream: Stream) -> bool {
        false
    }
    fn room(&self, _stream: Stream) -> u64 {
        u64::MAX
    }
    fn write_size(&self) -> Option<u64> {
        None
    }

    fn segment(&self) -> u16 {
        1448
    }
    fn begin(&mut self) {
        self.begun += 1;
    }
    fn complete(&mut self, transfer: Completed) {
        self.completed.push(transfer);
    }
    fn deliver(&mut self) {}
}

impl End {
    /// Takes this many bytes in, and calls the application when it has what it waits for.
    fn take_in(&mut self, now: Time, bytes: u64, application: &mut dyn Application) {
        self.received += bytes;
        while let Some(awaited) = self.awaited.filter(|it| *it <= self.received) {
            self.awaited = None;
            application.on_received(now, Stream(0), self);
            assert_ne!(self.awaited, Some(awaited), "it waits for what it has");
        }
    }
}

/// A rule from outside: now this level, now that, and after a while.
#[derive(Clone, Debug)]
struct Restless(usize);

impl Rule for Restless {
    fn choose(&mut self, situation: &Situation<'_>) -> Choice {
        self.0 += 1;
        let delay = 0.3 * (situation.segment % 3) as f64;
        // A level beyond the highest is the highest.
        Choice { level: self.0 * self.0 % 9, delay }
    }

    fn on_download(&mut self, _ladder: &Ladder, _download: &Download) {}
}

impl RuleMaker for Restless {
    fn name(&self) -> &str {
        "restless"
    }

    fn rule(&self, _ladder: &Ladder, _maximum_buffer: f64) -> Box<dyn Rule> {
        // Its first level is the lowest.
        Box::new(Self(8))
    }
}

fn rules() -> impl Strategy<Value = RuleSettings> {
    let bola = |oscillation| RuleSettings::Bola(BolaSettings { gamma_p: 5.0, oscillation });
    let throughput = |client| RuleSettings::Throughput(ThroughputSettings { safety: 0.9, client });
    prop::sample::select(vec![
        throughput(Client::DashJs),
        throughput(Client::Sabre),
        bola(Oscillation::Limited),
        bola(Oscillation::Avoided),
        bola(Oscillation::Allowed),
        RuleSettings::BolaE(BolaESettings { utility: Utility::One }),
        RuleSettings::BolaE(BolaESettings { utility: Utility::Zero }),
        RuleSettings::Mpc(MpcSettings { horizon: 3, robust: false }),
        RuleSettings::Mpc(MpcSettings { horizon: 3, robust: true }),
        RuleSettings::External(Arc::new(Restless(0))),
    ])
}

const STEP: Duration = Duration::from_millis(50);

proptest! {
    #[test]
    fn a_player_of_segments_keeps_its_laws_whatever_the_network_does(
        rule in rules(),
        bitrates in prop::collection::btree_set(1_u32..8000, 1..6),
        segments in 1_usize..30,
        segment_ms in 500_u64..5000,
        room_ms in 1_u64..20_000,
        // The bytes that come in each step; then there is time for the rest.
        paths in prop::collection::vec(0_u64..60_000, 1..400),
    ) {
        let media = Duration::from_millis(segment_ms);
        let bitrates: Vec<f64> = bitrates.iter().map(|it| f64::from(*it) * 1e3).collect();
        let ladder = Arc::new(Ladder::constant(media, bitrates, segments));
        let maximum_buffer = media + Duration::from_millis(room_ms);
        let settings =
            AdaptiveSettings { ladder: Arc::clone(&ladder), rule, maximum_buffer, request: 100 };
        let random = Streams::new(1, 0).stream("player");
        let setting = Setting { start: Time::ZERO, random };
        let [mut server, mut player] = Workload::AdaptiveVideo(settings).applications(&setting);
        let (mut at_server, mut at_player) = (End::default(), End::default());
        server.on_open(Time::ZERO, Stream(0), &mut at_server);
        let steps = paths.iter().copied().chain(std::iter::repeat_n(u64::MAX, 20_000));
        let mut now = Time::ZERO;
        for bytes in steps {
            while player.next_wake() <= now {
                let time = player.next_wake();
                player.wake(time.max(Time::ZERO), &mut at_player);
                prop_assert!(player.next_wake() > time, "time stands still");
            }
            let asked = at_player.written - at_server.received;
            at_server.take_in(now, asked, server.as_mut());
            // One request at a time.
            let received = player.player().unwrap().segments().len() as u64;
            prop_assert!(at_player.written <= 105 * (received + 1));
            let waiting = at_server.written - at_player.received;
            now += STEP;
            at_player.take_in(now, waiting.min(bytes), player.as_mut());
            let playback = player.player().unwrap().playback(now).unwrap();
            prop_assert!(playback.buffer <= maximum_buffer);
        }
        let player = player.player().unwrap();
        let (totals, received) = (player.totals(now), player.segments());
        prop_assert_eq!(received.len(), segments);
        prop_assert!(at_player.is_closed);
        for (number, segment) in received.iter().enumerate() {
            prop_assert_eq!(segment.bytes, ladder.bytes(number, segment.level));
        }
        prop_assert_eq!(received[0].level, 0);
        let bytes: u64 = received.iter().map(|it| it.bytes).sum();
        prop_assert_eq!(bytes, at_player.received);
        prop_assert_eq!(at_player.completed.len(), segments);
        let stalled = received.iter().fold(Duration::ZERO, |sum, it| sum + it.stalled);
        prop_assert_eq!(totals.stalled, Some(stalled));
        prop_assert_eq!(totals.played, Some(media * segments as u64));
    }
}
