//! Quantities as users write them: a number and its unit, such as `"10 ms"`.
//!
//! A [`Quantity`] has its units, and the range of its values. [`Measured`] is one in a file; a
//! field of a plain type is read and written like one by serde's `with`, with [`As`]:
//!
//! ```
//! use windtunnel_engine::Duration;
//! use windtunnel_units::{As, Bytes};
//!
//! #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
//! struct Buffer {
//!     #[serde(with = "As::<Bytes>")]
//!     size: u64,
//!     #[serde(with = "As::<Duration>")]
//!     timeout: Duration,
//! }
//!
//! let text = r#"{"size":"64 KiB","timeout":"20 ms"}"#;
//! let buffer: Buffer = serde_json::from_str(text).unwrap();
//! assert_eq!((buffer.size, buffer.timeout), (65_536, Duration::from_millis(20)));
//! assert_eq!(serde_json::to_string(&buffer).unwrap(), text);
//! ```

mod kinds;
mod measured;
mod quantity;

pub use kinds::{Bytes, PacketCount, PositiveDuration, Segments, Share};
pub use measured::{As, Measured};
pub use quantity::{Quantity, parse, parse_usual, written};
