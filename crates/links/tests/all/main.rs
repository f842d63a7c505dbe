//! Files of tests as one program, which is linked once.

mod atmosphere;
mod fixed_wireless;
mod fixed_wireless_link;
mod impairment;
mod opportunities;
mod optical;
