//! What each of many flows takes of memory, from the text of its scenario to the end of its run.

#![allow(unsafe_code, reason = "an allocator is unsafe by its nature; this one only counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;

use windtunnel_engine::Control;
use windtunnel_scenario::{Extensions, Outside, Study, Unreadable};
use windtunnel_world::World;

/// The system's allocator, counting for each thread by itself the bytes in use.
struct Counting;

thread_local! {
    static IN_USE: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

fn take(bytes: usize) {
    let in_use = IN_USE.get().wrapping_add(bytes);
    IN_USE.set(in_use);
    MOST.set(MOST.get().max(in_use));
}

fn give_back(bytes: usize) {
    IN_USE.set(IN_USE.get().wrapping_sub(bytes));
}

// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give_back(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        give_back(layout.size());
        take(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const FLOWS: usize = 10_000;

/// A thousand flows between each of ten pairs of hosts, over a link of 1 Mbps for each flow whose
/// queue holds one bandwidth-delay product.
fn scenario() -> String {
    let mut text = r#"
        duration = "300 ms"
        recording = { flows = false, links = false, channels = false, routes = false }
        [defaults.flow]
        controller = "new-reno"
        [links]
        core = { nodes = ["left", "right"], rate = "10 Gbps", delay = "8 ms", queue = { kind = "drop-tail", limit = "16640 packets" } }
    "#
    .to_owned();
    let access = r#"rate = "10 Gbps", delay = "1 ms""#;
    for host in 0..10 {
        writeln!(text, r#"near{host} = {{ nodes = ["sender{host}", "left"], {access} }}"#).unwrap();
        writeln!(text, r#"far{host} = {{ nodes = ["right", "receiver{host}"], {access} }}"#)
            .unwrap();
    }
    text.push_str("[nodes]\nleft = {}\nright = {}\n");
    (0..10).for_each(|it| writeln!(text, "sender{it} = {{}}\nreceiver{it} = {{}}").unwrap());
    text.push_str("[flows]\n");
    for flow in 0..FLOWS {
        let (host, start) = (flow % 10, flow as f64 / 1e5);
        let ends = format!(r#"from = "sender{host}", to = "receiver{host}""#);
        writeln!(text, r#"flow{flow} = {{ {ends}, start = "{start:.5} s" }}"#).unwrap();
    }
    text
}

fn read(text: &str) -> Study {
    let files = &mut |_: &str| -> Result<String, Unreadable> { unreachable!("it names none") };
    let outside = Outside { extensions: &Extensions::default(), files };
    Study::read("memory", text, &[], outside).unwrap()
}

/// The most bytes in use at a time since the last call, for each flow, and those in use now.
fn bytes_a_flow() -> [usize; 2] {
    let (most, in_use) = (MOST.get(), IN_USE.get());
    MOST.set(in_use);
    [most, in_use].map(|it| it / FLOWS)
}

/// While a scenario is read, its flows are in memory as the text says it, and as they are planned.
/// While it runs, a flow has its plan, of half a kibibyte, both ends of its connection, of
/// less than 2.5 KiB, and what it has in flight: records of some tens of segments, of 88 bytes each,
/// and its packets in queues and on links. With what the allocator adds and the results, that is
/// less than 8 KiB of the system's memory.
#[test]
fn a_flow_takes_at_most_7_kib_from_its_text_to_the_end_of_its_run() {
    let study = read(&scenario());
    let [reading, planned] = bytes_a_flow();
    assert!(reading <= 3584, "{reading} bytes a flow while the scenario is read");
    assert!(planned <= 640, "{planned} bytes a flow of the plan and its text");
    let mut world = World::new(&study.cases[0].of_run(0)).expect("there are paths");
    let [_, built] = bytes_a_flow();
    assert!(built <= planned + 640, "{built} bytes a flow before it has begun");
    let (_, events) = world.run(&Control::default(), None);
    assert!(events > 10 * FLOWS as u64, "each sends at least an initial window");
    let [running, _] = bytes_a_flow();
    assert!(running <= 7168, "{running} bytes a flow while it runs");
}
