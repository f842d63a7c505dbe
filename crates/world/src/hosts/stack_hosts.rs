//! The hosts of the ends of flows over stacks: of one end each, or of all at a node that share a host, such
//! as a kernel. When an end of a host was called, all of them are: what one has received may have
//! another one send.

use smallvec::{SmallVec, smallvec};
use windtunnel_engine::Time;
use windtunnel_stack::HostCommand;

use super::stack_ends::{StackEnd, guarded, outside};
use super::stack_host::EndOf;
use super::state::Hosts;
use crate::event::{Event, Kind};
use crate::network::Network;
use crate::side::Side;

impl Hosts {
    /// The host of an end, by its place.
    fn host_of(&self, (stack, side): EndOf) -> u32 {
        self.stacks[stack as usize].hosts[side as usize]
    }

    /// An end, which begins now with its host if it has not.
    pub(super) fn begun_end(&mut self, now: Time, (stack, side): EndOf) -> &mut StackEnd {
        if self.stack_end(stack, side).is_none() {
            self.begin_host(now, self.host_of((stack, side)));
        }
        self.stack_end(stack, side).expect("an end begins with its host")
    }

    /// All ends of a host begin now.
    #[cold]
    fn begin_host(&mut self, now: Time, host: u32) {
        let ends = self.stack_hosts[host as usize].ends.clone();
        let places =
            ends.iter().map(|(stack, side)| self.stacks[*stack as usize].place(now, *side));
        let mut places: Vec<_> = places.collect();
        let roles: Vec<_> = places.iter().map(|it| it.role).collect();
        let maker = |(stack, side): &EndOf| self.stacks[*stack as usize].settings.maker_of(*side);
        let first = maker(&ends[0]);
        let made = guarded(|| match first.shares_host() {
            false => Ok(vec![first.make(outside(now), places.remove(0))?]),
            true => {
                let made = first.make_together(outside(now), places)?;
                let each = made.into_iter().zip(ends.iter().zip(roles));
                Ok(each.map(|(it, (end, role))| maker(end).adopt(it, role)).collect())
            }
        });
        let (made, why) = match made.and_then(|it| it) {
            Ok(made) => (made, "it makes fewer ends than there are".to_owned()),
            Err(why) => (Vec::new(), why),
        };
        let mut made = made.into_iter();
        for (stack, side) in ends {
            let made = made.next().ok_or_else(|| why.clone());
            self.stacks[stack as usize].begin(now, side, made);
        }
    }

    /// Hosts on these nodes that begin with the run are woken then.
    pub(super) fn start_hosts(&mut self, network: &mut Network, is_here: impl Fn(usize) -> bool) {
        for host in 0..self.stack_hosts.len() {
            let end = self.stack_hosts[host].ends[0];
            let stacks = &self.stacks[end.0 as usize];
            let begins = stacks.settings.maker_of(end.1).begins_with_the_run();
            if begins && is_here(self.node_of_host(host as u32)) {
                self.wake_host_at(network, Time::ZERO, end);
            }
        }
    }

    /// The node of a host.
    pub(crate) fn node_of_host(&self, host: u32) -> usize {
        let (stack, side) = self.stack_hosts[host as usize].ends[0];
        self.stacks[stack as usize].nodes[side as usize] as usize
    }

    /// The commands that hosts have run, with the nodes of these.
    pub(crate) fn commands(&self) -> impl Iterator<Item = (usize, HostCommand)> {
        (0..self.stack_hosts.len() as u32).flat_map(move |host| {
            let (stack, side) = self.stack_hosts[host as usize].ends[0];
            let end = self.stacks[stack as usize].ends[side as usize].as_ref();
            let commands = end.map(StackEnd::commands).unwrap_or_default();
            commands.into_iter().map(move |it| (self.node_of_host(host), it))
        })
    }

    /// Has the host of an end woken at a time, if it is not before.
    pub(super) fn wake_host_at(&mut self, network: &mut Network, time: Time, end: EndOf) {
        let host = self.host_of(end);
        if self.stack_hosts[host as usize].alarm.set(time) {
            network.schedule(time, Event::new(Kind::Stack, host));
        }
    }

    /// The ends of a host send or have read what they were at work on, read what has arrived, or check
    /// their timers.
    pub(crate) fn wake_stack(&mut self, network: &mut Network, now: Time, host: u32) {
        let host = &mut self.stack_hosts[host as usize];
        if !host.alarm.rings(now) {
            return;
        }
        let ends = host.ends.clone();
        self.begun_end(now, ends[0]);
        for end in &ends {
            self.wake_end(network, now, *end);
        }
        let (stack, side) = ends[0];
        self.settle(network, now, stack, side);
    }

    /// Does what follows when an end was called: the applications of its host learn of what has happened,
    /// what the ends send leaves, and the next wake-up is scheduled.
    pub(super) fn settle(&mut self, network: &mut Network, now: Time, stack: u32, side: Side) {
        if self.stack_end(stack, side).is_none() {
            return;
        }
        let host = self.host_of((stack, side)) as usize;
        if std::mem::replace(&mut self.stack_hosts[host].is_busy, true) {
            return;
        }
        let ends = self.stack_hosts[host].ends.clone();
        for (stack, side) in &ends {
            self.stack_end(*stack, *side).into_iter().for_each(|it| it.open(now));
        }
        // What happened and was sent at this instant, by end.
        let mut counts: SmallVec<[(u64, u64); 1]> = smallvec![(0, 0); ends.len()];
        let mut goes_on = true;
        while std::mem::take(&mut goes_on) {
            for ((stack, side), (happened, sent)) in ends.iter().copied().zip(&mut counts) {
                while let Some(event) =
                    self.stack_end(stack, side).and_then(|it| it.next_event(happened))
                {
                    self.on_event(network, now, (stack, side), event);
                    // What its application does may have others of the host send.
                    goes_on |= ends.len() > 1;
                }
                goes_on |= self.send_from_stack(network, now, (stack, side), sent);
            }
        }
        self.stack_hosts[host].is_busy = false;
        let next = ends.iter().filter_map(|it| self.next_wake_of(now, *it)).min();
        if let Some(time) = next {
            self.wake_host_at(network, time, ends[0]);
        }
    }

    /// When an end is to be woken, if ever.
    fn next_wake_of(&mut self, now: Time, (stack, side): EndOf) -> Option<Time> {
        let stacks = &mut self.stacks[stack as usize];
        let migrates = stacks.next_migration(side);
        let end = stacks.ends[side as usize].as_mut()?;
        // An alarm keeps the earliest times only: that of reading is set again.
        let reads = Some(end.reads_at).filter(|it| *it > now && *it < Time::NEVER);
        end.next_work(now).into_iter().chain(reads).chain(migrates).min()
    }
}
