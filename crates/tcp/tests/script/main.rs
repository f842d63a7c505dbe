//! Our TCP against scripts in packetdrill's spirit, in virtual time: packets in, packets out,
//! each at its millisecond. Packets are made and read here by others' code than what is tested.

mod line;
mod script;

mod closing;
mod crowds;
mod fuzz;
mod handshake;
mod losses;
mod path_mtu;
mod receiving;
mod validity;
mod windows;
