//! What a consumer does when something happens: each choice of the scenario and what it
//! is in the protocol.

use windtunnel_reading::choice;
use windtunnel_transports::ndn::consumer;

choice! {
    /// What a fraction of a segment in the window allows.
    WindowFraction as consumer::WindowFraction {
        /// Nothing: what is in flight never exceeds the window.
        Waits,
        /// One more Interest, as in ndnSIM.
        Sends,
    }
}

choice! {
    /// How a consumer reacts to a congestion signal.
    Reaction as consumer::Reaction {
        /// One decrease per round trip.
        OncePerRoundTrip,
        /// A decrease each time.
        Every,
        /// Not at all; marked Data counts like any other.
        Ignore,
    }
}

choice! {
    /// What a timeout means to the controller.
    TimeoutMeaning as consumer::TimeoutMeaning {
        /// A loss: the ordinary decrease.
        Loss,
        /// Start again from the initial window.
        Restart,
    }
}

choice! {
    /// How much one measured round trip moves the smoothed one.
    RttGain as consumer::RttGain {
        /// The gains of RFC 6298, shared among the samples of a round trip, as in
        /// ndn-cxx.
        PerRoundTrip,
        /// The gains of RFC 6298 for each sample, as in ndnSIM.
        PerSample,
    }
}

choice! {
    /// When a timeout doubles the timeout.
    Backoff as consumer::Backoff {
        /// Once for all Interests that were sent before it was doubled last.
        OncePerRoundTrip,
        /// Once for all Interests found timed out at the same time.
        EachEvent,
        /// For each Interest, as in ndnSIM.
        EachInterest,
    }
}

choice! {
    /// What Data does whose Interest timed out and was not sent again yet.
    LateData as consumer::LateData {
        /// Its round trip is measured, which lengthens a timeout that was too short.
        Measures,
        /// It lowers the number in flight once more, as its timeout did, and its round trip
        /// is not measured, as in ndnSIM.
        LowersInFlight,
    }
}
