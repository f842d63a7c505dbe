//! The hot loop allocates nothing once warm: a run twice as long allocates no
//! more, whatever the network.

#![allow(unsafe_code, reason = "an allocator is unsafe by its nature; this one only counts")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::{Dumbbell, adaptive, ask, chain, direction, disciplines, dumbbell, join, serve};
use windtunnel_engine::{Control, Duration};
use windtunnel_protocols::rtt::RtoLimits;
use windtunnel_world::{DirectionPlan, Loss, Paths, Plan, World};

/// The system's allocator, counting for each thread by itself.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.with(|it| it.set(it.get() + 1));
}

// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often a run of so many seconds allocates, from its building on. It is
/// sampled once.
fn allocations(plan: &Plan, seconds: u64) -> (u64, u64) {
    let duration = Duration::from_secs(seconds);
    let plan = Plan { duration, interval: duration, ..plan.clone() };
    let before = ALLOCATIONS.get();
    let mut world = World::new(&plan).expect("every consumer reaches a producer");
    let (_, events) = world.run(&Control::default(), None);
    (ALLOCATIONS.get() - before, events)
}

fn assert_warm_after(seconds: u64, plan: &Plan, what: &str) {
    let (warm_up, some) = allocations(plan, seconds);
    let (all, more) = allocations(plan, 2 * seconds);
    assert!(more > some + 1_000, "{what}: something happens after {seconds} s");
    assert_eq!(all, warm_up, "{what}: allocations in the second {seconds} s");
}

#[test]
fn a_window_on_a_chain_allocates_nothing_once_warm() {
    for discipline in disciplines() {
        let link = DirectionPlan { discipline, ..direction(100, 5) };
        let mut plan = chain(3, &link, 200);
        // What is dropped is asked for again.
        plan.consumers[0].settings.timeout_limits = RtoLimits::default();
        assert_warm_after(10, &plan, &format!("{:?}", link.discipline));
    }
}

#[test]
fn consumers_that_lose_and_ask_again_allocate_nothing_once_warm() {
    for name in ["aimd", "cubic", "ec-elastic"] {
        let mut plan = chain(2, &direction(20, 5), 1);
        plan.links[1].directions[1].loss = Loss::Bernoulli(0.005);
        adaptive(&mut plan.consumers[0], name);
        assert_warm_after(30, &plan, name);
    }
}

/// Six consumers wait for the same segments at the router: entries with many
/// records, and a content store that is always full.
#[test]
fn shared_content_and_caching_allocate_nothing_once_warm() {
    for cached in [0, 100] {
        let Dumbbell { mut plan, consumers, producers } =
            dumbbell(6, &direction(100, 2), &direction(50, 5));
        plan.nodes[0].cached = cached;
        serve(&mut plan, producers[0], "/shared");
        for node in consumers {
            ask(&mut plan, node, "/shared", 30);
        }
        assert_warm_after(2, &plan, &format!("{cached} packets cached"));
    }
}

/// Three consumers of the same content on a network with two circles.
fn with_circles(strategy: &'static str) -> Plan {
    let Dumbbell { mut plan, consumers, producers } =
        dumbbell(3, &direction(100, 2), &direction(20, 5));
    for pair in 0..2 {
        join(&mut plan, consumers[pair], producers[pair], &direction(10, 20));
    }
    plan.routing.paths = Paths::All;
    plan.nodes.iter_mut().for_each(|it| it.strategy = strategy);
    serve(&mut plan, producers[0], "/shared");
    for node in consumers {
        ask(&mut plan, node, "/shared", 20);
    }
    plan
}

/// Several next hops, refusals, and nonces that are remembered for 6 s.
#[test]
fn interests_over_many_faces_allocate_nothing_once_warm() {
    for strategy in ["best-route", "multicast"] {
        assert_warm_after(30, &with_circles(strategy), strategy);
    }
}

/// One Interest in a thousand is sent twice. Its entry needs more room than the
/// others, once for each place in the table that such an Interest comes to.
#[test]
fn pcons_probes_allocate_ever_more_rarely() {
    let plan = with_circles("pcon");
    let [(early, few), (late, many)] = [60, 120].map(|seconds| allocations(&plan, seconds));
    assert!((late - early) * 10_000 < many - few, "{} in {} events", late - early, many - few);
}
