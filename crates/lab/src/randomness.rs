//! Whether anything in a plan is random: if nothing is, all its runs are the same.

use windtunnel_applications::OnOffPeriods;
use windtunnel_applications::udp::UdpWorkload;
use windtunnel_controllers::Settings;
use windtunnel_engine::Duration;
use windtunnel_links::{Impairment, Loss, Reordering};
use windtunnel_scenario::Study;
use windtunnel_transports::mptcp::scheduler::SchedulerSettings;
use windtunnel_transports::ndn::consumer::ConsumerWorkload;
use windtunnel_world::{
    ConsumerPlan, DirectionPlan, FlowPlan, LinkChange, LinkPlan, NodePlan, Plan, Transport,
};

/// The cases of a study in which nothing is random, by their place: each of their runs is the
/// same. Of what comes from outside, and of what is made from many draws (channels, orbits,
/// layers), it is not found out: it counts as random.
#[must_use]
pub fn without_randomness(study: &Study) -> Vec<usize> {
    let cases = study.cases.iter().enumerate();
    cases.filter(|(_, it)| !is_random(&it.plan)).map(|(place, _)| place).collect()
}

fn is_random(plan: &Plan) -> bool {
    plan.flows.iter().any(flow)
        || plan.consumers.iter().any(consumer)
        || plan.nodes.iter().any(node)
        || plan.links.iter().any(link)
        || plan.changes.iter().any(|it| change(&it.change))
        || !plan.bridges.is_empty()
        || !plan.sessions.is_empty()
        || plan.domains.is_some()
        || plan.sky.is_some()
}

fn flow(flow: &FlowPlan) -> bool {
    flow.start_within > Duration::ZERO
        || flow
            .multipath
            .as_ref()
            .is_some_and(|it| matches!(it.settings.scheduler, SchedulerSettings::External(_)))
        || match &flow.transport {
            Transport::Tcp { settings, workload } => {
                controller(&settings.controller)
                    || settings.receiver_controller.as_ref().is_some_and(controller)
                    || workload.behaviour().random
            }
            // What it draws from is of its own.
            Transport::Stack { .. } => true,
            Transport::Udp(settings) => match &settings.workload {
                UdpWorkload::Rate { on_off, .. } => on_off.is_some_and(OnOffPeriods::are_random),
                UdpWorkload::Frames(_) => false,
            },
        }
}

/// Only one from outside can be.
fn controller(settings: &Settings) -> bool {
    settings.maker().is_some()
}

/// Its nonces are, but decide nothing.
fn consumer(consumer: &ConsumerPlan) -> bool {
    controller(&consumer.controller)
        || consumer.settings.start_within > Duration::ZERO
        || match consumer.settings.workload {
            ConsumerWorkload::Stream | ConsumerWorkload::File { .. } => false,
            ConsumerWorkload::Catalogue { .. } => true,
        }
}

/// PCON's strategy spreads Interests at random.
fn node(node: &NodePlan) -> bool {
    node.strategy == "pcon" || !node.layers.is_empty()
}

fn link(link: &LinkPlan) -> bool {
    link.channel.is_some() || link.directions.iter().any(direction)
}

fn direction(direction: &DirectionPlan) -> bool {
    direction.physical_layer.is_some()
        || loss(&direction.loss)
        || impairment(&direction.impairment)
        || direction.discipline.description().is_random
}

fn change(change: &LinkChange) -> bool {
    matches!(change, LinkChange::Loss(it) if loss(&it.loss))
}

fn loss(loss: &Loss) -> bool {
    match loss {
        Loss::None | Loss::Listed { .. } => false,
        Loss::Bernoulli(_)
        | Loss::LimitedRuns { .. }
        | Loss::GilbertElliott { .. }
        | Loss::ContinuousGilbertElliott { .. } => true,
    }
}

fn impairment(impairment: &Impairment) -> bool {
    // What is added to a delay by load is no draw.
    let Impairment { corruption, duplication, reordering, mixing, jitter, .. } = impairment;
    loss(corruption)
        || *duplication > 0.0
        || matches!(reordering, Reordering::Independent(it) if *it > 0.0)
        || *mixing > Duration::ZERO
        || jitter.is_some()
}
