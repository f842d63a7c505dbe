//! Named Data Networking: the consumer and the producer.

mod blocking_read;
pub mod consumer;
pub mod producer;
mod reads;

pub use blocking_read::BlockingRead;
pub use reads::Reads;
