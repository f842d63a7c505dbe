//! Files of tests as one program, which is linked once.

mod bridge_message;
mod ccnx;
mod encoding;
mod flow_key;
mod ndn_wire;
mod offload;
mod real;
mod received;
mod region;
mod scion;
mod segment;
mod store;
mod tunnel;
