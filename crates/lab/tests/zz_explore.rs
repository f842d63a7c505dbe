use windtunnel_lab::Study;
const BASE: &str = r#"duration = "1 s"
nodes = { a = {}, b = {}, c = {} }
[links]
first = { nodes = ["a", "b"], rate = "10 Mbps", delay = "1 ms" }
second = { nodes = ["b", "c"], rate = "10 Mbps", delay = "1 ms" }
[producers.p]
node = "c"
prefix = "/p"
[consumers.v]
node = "a"
prefix = "/p"
controller = "cubic"
"#;
fn t(what: &str, text: &str) { 
    let started = std::time::Instant::now();
    match Study::read("file.toml", text, &[]) {
    Ok(s) => println!("== {what}: OK {} cases {:?}", s.cases.len(), started.elapsed()),
    Err(e) => { let e = e.to_string(); println!("== {what} {:?} ({} chars): {}", started.elapsed(), e.len(), e.chars().take(900).collect::<String>()) } } }
fn r(what: &str, a: &str, b: &str) { assert!(BASE.contains(a), "{a}"); t(what, &BASE.replacen(a, b, 1)) }
#[test]
fn explore() {
    t("base", BASE);
    t("empty", "");
    r("unit", "10 Mbps", "10 MB");
    r("nounit", "\"10 Mbps\"", "10");
    r("int delay", "\"1 ms\"", "1");
    r("neg", "1 ms", "-1 ms");
    r("rate0", "10 Mbps", "0 Mbps");
    r("rate0.1", "10 Mbps", "0.1 bps");
    r("missing node", "\"a\", \"b\"", "\"a\", \"bb\"");
    r("consumer node", "node = \"a\"", "node = \"aa\"");
    r("self", "\"a\", \"b\"", "\"a\", \"a\"");
    r("three", "\"a\", \"b\"", "\"a\", \"b\", \"c\"");
    r("unknown key", "prefix = \"/p\"\n[cons", "prefx = \"/p\"\n[cons");
    r("unknown top", "duration", "duratoin");
    r("no duration", "duration = \"1 s\"\n", "");
    r("no nodes", "nodes = { a = {}, b = {}, c = {} }\n", "");
    r("two names", "b = {}", "a = {}");
    r("controller", "cubic", "cubik");
    r("controller param", "\"cubic\"", "{ kind = \"cubic\", bet = 0.7 }");
    r("controller param value", "\"cubic\"", "{ kind = \"cubic\", beta = 7 }");
    r("controller param type", "\"cubic\"", "{ kind = \"cubic\", beta = \"x\" }");
    r("controller int", "\"cubic\"", "5");
    r("controller nokind", "\"cubic\"", "{ beta = 0.7 }");
    r("controller param array", "\"cubic\"", "{ kind = \"cubic\", beta = [1] }");
    r("disconnected", "\"b\", \"c\"", "\"a\", \"b\"");
    r("no producer", "prefix = \"/p\"\n[cons", "prefix = \"/q\"\n[cons");
    r("bad name", "prefix = \"/p\"\n[cons", "prefix = \"p p%zz\"\n[cons");
    t("compare path", &format!("{BASE}[compare.x]\none = {{ \"links.frist.rate\" = \"1 Mbps\" }}\n"));
    t("compare value", &format!("{BASE}[compare.x]\none = {{ \"links.first.rate\" = \"1 Mb\" }}\n"));
    t("compare key", &format!("{BASE}[compare.x]\none = {{ \"links.first.rat\" = \"1 Mbps\" }}\n"));
    t("compare newdefault", &format!("{BASE}[compare.x]\none = {{ \"defaults.link.queue\" = 5 }}\n"));
    t("compare not path", &format!("{BASE}[compare.x]\none = {{ \"a b\" = 5 }}\n"));
    t("compare empty", &format!("{BASE}[compare.x]\n"));
    t("compare column", &format!("{BASE}[compare.marks]\na={{}}\n"));
    for (p, v) in [("links.frist.rate", "1 Mbps"), ("links.first.rate", "1 Mb"), ("links.first.rat", "1 Mbps"), ("seed", "abc"), ("", "1"), ("a..b", "1"), ("links", "5"), ("duration.x", "5"), ("seed", "-1"), ("nodes.z", "{}"), ("duration", "0 s")] {
        match Study::read("file.toml", BASE, &[(p.into(), v.into())]) { Ok(_) => println!("== set {p}={v} ok"), Err(e) => println!("== set {p}={v}: {e}") }
    }
    r("runs0", "duration = \"1 s\"", "duration = \"1 s\"\nruns = 0");
    r("runs many", "duration = \"1 s\"", "duration = \"1 s\"\nruns = 4000000000");
    r("runs float", "duration = \"1 s\"", "duration = \"1 s\"\nruns = 1.5");
    r("seed neg", "duration = \"1 s\"", "duration = \"1 s\"\nseed = -1");
    r("duration 0", "\"1 s\"", "\"0 s\"");
    r("duration long", "\"1 s\"", "\"5000 h\"");
    r("interval 0", "duration = \"1 s\"", "duration = \"1 s\"\ninterval = \"0 s\"");
    r("long delay", "\"1 ms\" }\nsecond = { nodes = [\"b\", \"c\"], rate = \"10 Mbps\", delay = \"1 ms\"", "\"5000 h\" }\nsecond = { nodes = [\"b\", \"c\"], rate = \"10 Mbps\", delay = \"5000 h\"");
    r("initial_timeout", "controller = \"cubic\"", "controller = \"cubic\"\ninitial_timeout = \"0 s\"");
    r("maximum_timeout", "controller = \"cubic\"", "controller = \"cubic\"\nmaximum_timeout = \"0 s\"");
    r("same node", "node = \"a\"\nprefix", "node = \"c\"\nprefix");
    r("window", "controller = \"cubic\"", "controller = \"cubic\"\ninitial_window = \"1000000000 segments\"");
    r("window0", "controller = \"cubic\"", "controller = \"cubic\"\ninitial_window = \"0 segments\"");
    r("longname", "prefix = \"/p\"\n[cons", &format!("prefix = \"/{}\"\n[cons", "x".repeat(9000)));
    r("lifetime", "controller = \"cubic\"", "controller = \"cubic\"\ninterest_lifetime = \"0 ms\"");
    r("exponent", "controller = \"cubic\"", "controller = \"cubic\"\nworkload = { kind = \"catalogue\", objects = 10, exponent = nan }");
    r("exponent inf", "controller = \"cubic\"", "controller = \"cubic\"\nworkload = { kind = \"catalogue\", objects = 10, exponent = inf }");
    r("objects", "controller = \"cubic\"", "controller = \"cubic\"\nworkload = { kind = \"catalogue\", objects = 0 }");
    r("objects neg", "controller = \"cubic\"", "controller = \"cubic\"\nworkload = { kind = \"catalogue\", objects = -5 }");
    r("file nosize", "controller = \"cubic\"", "controller = \"cubic\"\nworkload = { kind = \"file\" }");
    r("file wrong", "controller = \"cubic\"", "controller = \"cubic\"\nworkload = { kind = \"files\" }");
    t("syntax", "duration = \n");
    t("syntax2", &BASE.replacen("{ a =", "{ a = = ", 1));
    t("nul", "\u{0}");
    t("bom", &format!("\u{feff}{BASE}"));
    t("crlf", &BASE.replace('\n', "\r\n"));
    t("deep", &format!("x = {}{}", "[".repeat(100_000), "]".repeat(100_000)));
    t("deep2", &format!("x = {}1{}", "{a=".repeat(100_000), "}".repeat(100_000)));
}
#[test]
fn explore_big() {
    t("deepkey", &format!("{} = 1", vec!["a"; 100_000].join(".")));
    t("deepheader", &format!("[{}]\n", vec!["a"; 100_000].join(".")));
    t("large", &"#".repeat(17 << 20));
    t("large1", &format!("x = \"{}\"", "y".repeat(10 << 20)));
    let axes: String = (0..9).map(|a| format!("[compare.a{a}]\n") + &(0..10).map(|c| format!("c{c} = {{ seed = {c} }}\n")).collect::<String>()).collect();
    println!("axes {}", axes.len());
}
