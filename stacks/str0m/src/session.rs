//! A session of str0m with one video, without signalling: both ends know the same constants.

use std::sync::Arc;
use std::time::Instant;

use str0m::bwe::Bitrate;
use str0m::crypto::from_feature_flags;
use str0m::media::{Frequency, MediaKind, MediaTime, Pt};
use str0m::{Candidate, IceCreds, Rtc, RtcError};
use windtunnel_stack::{Place, Role};

use crate::encoder::{Frame, LARGEST_RATE};

/// What the estimate begins with, as in WebRTC.
pub(crate) const FIRST_RATE: u64 = 300_000;
/// The name of the video, and the numbers of its stream and of what is sent again of it.
const VIDEO: &str = "video";
const STREAM: u32 = 1;
const REPAIR: u32 = 2;
/// What VP8 has by default in str0m.
const PAYLOAD_TYPE: u8 = 96;

/// A session that begins now, of an end that sends the video if it connects, and receives it if not.
pub(crate) fn begun(place: &Place, now: Instant) -> Result<Rtc, String> {
    let connects = place.role == Role::Client;
    let mut rtc = Rtc::builder()
        .set_crypto_provider(Arc::new(from_feature_flags()))
        .set_local_ice_credentials(credentials(connects))
        // There is nobody who could tell the fingerprint of a certificate.
        .set_fingerprint_verification(false)
        .clear_codecs()
        .enable_vp8(true)
        .enable_bwe(connects.then_some(Bitrate::bps(FIRST_RATE)))
        .set_stats_interval(Some(std::time::Duration::from_millis(100)))
        .build(now);
    let candidate = |it| Candidate::host(it, "udp").map_err(|it| it.to_string());
    rtc.add_local_candidate(candidate(place.own)?);
    rtc.add_remote_candidate(candidate(place.peer)?);
    describe(&mut rtc, connects).map_err(|it| it.to_string())?;
    Ok(rtc)
}

/// What signalling would have agreed upon.
fn describe(rtc: &mut Rtc, connects: bool) -> Result<(), RtcError> {
    let mut session = rtc.direct_api();
    session.set_ice_controlling(connects);
    session.set_remote_ice_credentials(credentials(!connects));
    let fingerprint = session.local_dtls_fingerprint().clone();
    session.set_remote_fingerprint(fingerprint);
    session.start_dtls(connects)?;
    session.enable_twcc_feedback();
    session.declare_media(VIDEO.into(), MediaKind::Video);
    if connects {
        session.declare_stream_tx(STREAM.into(), Some(REPAIR.into()), VIDEO.into(), None);
        rtc.bwe().set_bitrate(Bitrate::ZERO, Bitrate::bps(LARGEST_RATE));
    } else {
        session.expect_stream_rx(STREAM.into(), Some(REPAIR.into()), VIDEO.into(), None);
    }
    Ok(())
}

/// Those of an end (RFC 8445, section 5.3).
fn credentials(connects: bool) -> IceCreds {
    let name = if connects { "client" } else { "server" };
    IceCreds { ufrag: name.to_owned(), pass: name.repeat(4) }
}

/// Hands a frame over.
pub(crate) fn write(rtc: &mut Rtc, now: Instant, frame: &Frame) -> Result<(), RtcError> {
    let time = MediaTime::new(frame.ticks, Frequency::NINETY_KHZ);
    match rtc.writer(VIDEO.into()) {
        Some(video) => {
            video.write(Pt::new_with_value(PAYLOAD_TYPE), now, time, vec![0; frame.size])
        }
        None => Ok(()),
    }
}
