//! Faces over TCP: links over which NDN and CCNx forwarders talk through a connection.

use toml::Spanned;
use windtunnel_world::{ConsumerPlan, TcpTunnelPlan, TunnelCarrier, TunnelPlan};

use crate::network::links::Link;
use crate::network::nodes::Names;
use crate::network::stages::Routed;
use crate::reading::error::Mistake;
use crate::reading::located::{Located, Named};
use crate::traffic::controllers::Controllers;
use crate::traffic::flows::{self, FlowContext};
use crate::traffic::tunnels::TcpTunnel;

/// The faces of a scenario's links, each as a tunnel of the link's name; `tunnels` are all others.
pub(crate) fn plans(
    links: &Named<Link>,
    nodes: &Names<'_>,
    link_names: &Names<'_>,
    controllers: &Controllers<'_>,
    routed: &Routed,
    tunnels: &[TunnelPlan],
) -> Result<Vec<TunnelPlan>, Mistake> {
    let context = FlowContext::new(nodes, link_names, controllers, routed, tunnels);
    let mut faces = Vec::new();
    for (link, (name, it)) in links.iter().enumerate() {
        let Some(face) = it.tcp_face() else { continue };
        check(face, name, &routed.content.consumers, tunnels)?;
        let settings = flows::of_face((name, &face.value.tcp), link, &context)?;
        let carrier = TcpTunnelPlan { face: Some(link), settings, buffer: face.value.buffer()? };
        let (name, ends) = (name.get_ref().clone(), routed.network.links[link].nodes);
        faces.push(TunnelPlan { name, ends, carrier: TunnelCarrier::Tcp(carrier) });
    }
    Ok(faces)
}

fn check(
    face: &Located<TcpTunnel>,
    name: &Spanned<String>,
    consumers: &[ConsumerPlan],
    tunnels: &[TunnelPlan],
) -> Result<(), Mistake> {
    face.checked(
        |_| !consumers.is_empty(),
        || "`tcp_face` requires NDN or CCNx packets, but the scenario has no consumers".to_owned(),
        "remove it, or write a table such as [consumers.c1]",
    )?;
    face.checked(
        |_| tunnels.iter().all(|it| it.name != *name.get_ref()),
        || {
            format!(
                "link `{}`, which has a `tcp_face`, has the same name as a tunnel",
                name.get_ref()
            )
        },
        "give one of them another name: both are rows of one table",
    )
}
