//! A first-in-first-out queue is a list, and a limit is a limit.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Handle, Store, Time};
use windtunnel_packets::{Dscp, Ecn};
use windtunnel_queues::{Backlog, Fifo, QueueLimit, Waiting};

/// Which of these packets one after another find room.
fn admitted<const COUNT: usize>(limit: QueueLimit, sizes: [u32; COUNT]) -> [bool; COUNT] {
    let mut backlog = Backlog::default();
    sizes.map(|size| {
        let admitted = limit.admits(backlog, size);
        if admitted {
            backlog.add(size);
        }
        assert!(!limit.is_exceeded_by(backlog));
        admitted
    })
}

#[test]
fn a_limit_by_packets_admits_so_many_and_not_one_more() {
    let limit = QueueLimit::Packets(3);
    assert_eq!(admitted(limit, [9000, 1, 1500, 1]), [true, true, true, false]);
    assert!(limit.is_exceeded_by(Backlog { packets: 4, bytes: 4 }));
}

#[test]
fn a_limit_by_bytes_admits_so_many_and_not_one_more() {
    let limit = QueueLimit::Bytes(3000);
    assert_eq!(admitted(limit, [1500, 1499, 2, 1, 1]), [true, true, false, true, false]);
    assert!(limit.is_exceeded_by(Backlog { packets: 1, bytes: 3001 }));
}

proptest! {
    /// What was taken in comes out in its order, and the backlog is what is in
    /// between. `None` takes one out.
    #[test]
    fn a_queue_is_a_list(
        operations in vec(proptest::option::weighted(0.6, 1..3000_u32), 0..200),
    ) {
        let (mut store, mut queue) = (Store::default(), Fifo::default());
        let mut model: Vec<(Handle, u32)> = Vec::new();
        for operation in operations {
            match operation {
                Some(size) => {
                    let packet = store.insert(size);
                    let ecn = Ecn::Capable;
                    let (arrived, dscp) = (Time::ZERO, Dscp::DEFAULT);
                    queue.push(Waiting { packet, size, arrived, ecn, dscp });
                    model.push((packet, size));
                }
                None => {
                    let expected = (!model.is_empty()).then(|| model.remove(0));
                    let popped = queue.pop().map(|it| (it.packet, it.size));
                    prop_assert_eq!(popped, expected);
                }
            }
            let bytes = model.iter().map(|(_, size)| u64::from(*size)).sum();
            let backlog = Backlog { packets: model.len() as u32, bytes };
            prop_assert_eq!(queue.backlog(), backlog);
            prop_assert_eq!(queue.head().map(|it| it.packet), model.first().map(|it| it.0));
        }
    }
}
