//! Named Data Networking: the consumer and the producer.

pub mod consumer;
pub mod producer;
