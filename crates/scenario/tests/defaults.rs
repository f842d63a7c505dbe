//! What a file does not say is what the transport does by itself.

use windtunnel_controllers::{DESCRIPTIONS, Settings};
use windtunnel_scenario::{Extensions, Outside, Study, Unreadable};
use windtunnel_transports::tcp::TcpSettings;
use windtunnel_world::Transport;

fn settings_of_a_flow(controller: &str) -> TcpSettings {
    let text = format!(
        "duration = \"1 s\"\nnodes = {{ a = {{}}, b = {{}} }}\n\
         links.l = {{ nodes = [\"a\", \"b\"], rate = \"1 Mbps\", delay = \"1 ms\" }}\n\
         flows.f = {{ from = \"a\", to = \"b\", controller = \"{controller}\" }}\n"
    );
    let mut text_of =
        |_: &str| Err(Unreadable { why: "no such file".into(), help: "there is none".into() });
    let extensions = Extensions::default();
    let outside = Outside { extensions: &extensions, files: &mut text_of };
    let study = Study::read("memory", &text, &[], outside).expect("it is right");
    let Transport::Tcp { settings, .. } = &study.cases[0].plan.flows[0].transport else {
        panic!("it is over TCP")
    };
    (**settings).clone()
}

#[test]
fn a_flow_that_says_nothing_behaves_as_the_transport_does_by_itself() {
    for name in ["cubic", "bbr3", "dctcp", "prague", "ledbat"] {
        let description = DESCRIPTIONS.iter().find(|it| it.name == name).expect("it is there");
        let own = TcpSettings::new(Settings::defaults(description));
        assert_eq!(format!("{:?}", settings_of_a_flow(name)), format!("{own:?}"));
    }
}
