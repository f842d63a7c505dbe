//! Files of tests as one program, which is linked once.

#[path = "../common/mod.rs"]
mod common;

mod advice;
mod autonomous_systems;
mod bad_input;
mod beginnings;
mod bridges;
mod ccnx;
mod channels;
mod controllers;
mod equal_cases;
mod external;
mod fixed_wireless;
mod flows;
mod messages;
mod multipath;
mod mutations;
mod optical;
mod outages;
mod prague;
mod queues;
mod randomness;
mod recording;
mod region_migration;
mod region_multipath;
mod region_names;
mod region_ndn;
mod region_transports;
mod regions;
mod routing;
mod runs;
mod selfish_routing;
mod sessions;
mod setting_groups;
mod sky;
mod study;
mod tables;
mod tcp_faces;
mod threads;
mod tunnel_room;
mod tunnels;
mod video;
