//! The SSRF corpus (R17): URLs with the verdict the default policy gives them
//! before any name is resolved. Names that resolve badly are in `names.rs`.

use weft_egress::{EgressErrorKind, EgressPolicy, Sent};

use crate::servers::{Scripted, client, get};

/// `None` = allowed; otherwise the word of the expected refusal.
type Row = (&'static str, Option<&'static str>);

const A: Option<&str> = None;
const ADDRESS: Option<&str> = Some("address");
const CHARACTER: Option<&str> = Some("url-character");
const HOST: Option<&str> = Some("host-syntax");
const NAME: Option<&str> = Some("host-name");
const PORT: Option<&str> = Some("port");
const SCHEME: Option<&str> = Some("scheme");
const PLAIN: Option<&str> = Some("plain-http");
const SYNTAX: Option<&str> = Some("url-syntax");
const USER: Option<&str> = Some("user-info");

// R-EGR-01: schemes.
const SCHEMES: &[Row] = &[
    ("https://example.com/", A),
    ("HTTPS://example.com/", A),
    ("https://example.com", A),
    ("https://example.com?x=1", A),
    ("https://example.com/a#part", A),
    ("http://example.com/", PLAIN),
    ("HTTP://example.com/", PLAIN),
    ("http://93.184.216.34/", PLAIN),
    ("file:///etc/passwd", SCHEME),
    ("FILE:///etc/passwd", SCHEME),
    ("gopher://example.com/", SCHEME),
    ("ftp://example.com/", SCHEME),
    ("data:text/plain,hello", SCHEME),
    ("javascript:alert(1)", SCHEME),
    ("ws://example.com/", SCHEME),
    ("wss://example.com/", SCHEME),
    ("ldap://example.com/", SCHEME),
    ("dict://example.com:11211/", SCHEME),
    ("blob:https://example.com/1", SCHEME),
    ("view-source:https://example.com/", SCHEME),
    ("jar:https://example.com!/", SCHEME),
    ("httpsx://example.com/", SCHEME),
    ("https+unix://example.com/", SCHEME),
    (" https://example.com/", CHARACTER),
    ("https://example.com/ ", CHARACTER),
    ("\thttps://example.com/", CHARACTER),
    ("ht\ntps://example.com/", CHARACTER),
    ("example.com", SYNTAX),
    ("//example.com/", SYNTAX),
    ("/path", SYNTAX),
    ("", SYNTAX),
    ("https:", SYNTAX),
    ("https:example.com", SYNTAX),
    ("https:/example.com", SYNTAX),
    ("https://", SYNTAX),
    ("https:///example.com/", SYNTAX),
    ("https://?x", SYNTAX),
];

// R-EGR-01, R-EGR-06: loopback and "this host" in every spelling.
const LOOPBACK: &[Row] = &[
    ("https://127.0.0.1/", ADDRESS),
    ("https://127.0.0.1:8443/", ADDRESS),
    ("https://127.1/", ADDRESS),
    ("https://127.0.1/", ADDRESS),
    ("https://127.255.255.254/", ADDRESS),
    ("https://2130706433/", ADDRESS),
    ("https://0x7f000001/", ADDRESS),
    ("https://0x7F.0.0.1/", ADDRESS),
    ("https://0x7f.1/", ADDRESS),
    ("https://0177.0.0.1/", ADDRESS),
    ("https://017700000001/", ADDRESS),
    ("https://0177.0x0.0.1/", ADDRESS),
    ("https://[::1]/", ADDRESS),
    ("https://[::1]:8443/", ADDRESS),
    ("https://[0:0:0:0:0:0:0:1]/", ADDRESS),
    ("https://[0000:0000:0000:0000:0000:0000:0000:0001]/", ADDRESS),
    ("https://[::]/", ADDRESS),
    ("https://0.0.0.0/", ADDRESS),
    ("https://0/", ADDRESS),
    ("https://0x0/", ADDRESS),
    ("https://localhost/", NAME),
    ("https://localhost:8443/", NAME),
    ("https://LOCALHOST/", NAME),
    ("https://sub.localhost/", NAME),
    ("https://a.b.localhost/", NAME),
    ("https://localhost.localdomain/", NAME),
    ("https://ip6-localhost/", NAME),
    ("https://ip6-loopback/", NAME),
    ("https://localhost./", HOST),
    ("https://example.com./", HOST),
    ("https://127.0.0.1./", HOST),
    ("http://localhost/", PLAIN),
    ("http://127.0.0.1/", ADDRESS),
];

// R-EGR-01: private and link-local blocks with their outer edges.
const PRIVATE: &[Row] = &[
    ("https://10.0.0.0/", ADDRESS),
    ("https://10.255.255.255/", ADDRESS),
    ("https://9.255.255.255/", A),
    ("https://11.0.0.0/", A),
    ("https://172.15.255.255/", A),
    ("https://172.16.0.0/", ADDRESS),
    ("https://172.31.255.255/", ADDRESS),
    ("https://172.32.0.0/", A),
    ("https://192.167.255.255/", A),
    ("https://192.168.0.1/", ADDRESS),
    ("https://192.168.255.255/", ADDRESS),
    ("https://192.169.0.0/", A),
    ("https://3232235521/", ADDRESS),
    ("https://0xc0a80001/", ADDRESS),
    ("https://0300.0250.0.1/", ADDRESS),
    ("https://10.1/", ADDRESS),
    ("https://169.254.0.0/", ADDRESS),
    ("https://169.254.255.255/", ADDRESS),
    ("https://169.253.255.255/", A),
    ("https://169.255.0.0/", A),
    ("https://[fc00::1]/", ADDRESS),
    ("https://[fdff:ffff::1]/", ADDRESS),
    ("https://[fe80::1]/", ADDRESS),
    ("https://[febf::1]/", ADDRESS),
    ("https://[fec0::1]/", ADDRESS),
    ("https://[fe80::1%25eth0]/", HOST),
    ("https://[fe80::1%eth0]/", HOST),
    ("https://printer.local/", NAME),
    ("https://nas.lan/", NAME),
    ("https://router.home.arpa/", NAME),
    ("https://db.internal/", NAME),
    ("https://api.svc/", NAME),
    ("https://hidden.onion/", NAME),
    ("https://intranet/", NAME),
    ("https://host.docker.internal/", NAME),
];

// R-EGR-04: everything else that the registries call special.
const SPECIAL: &[Row] = &[
    ("https://100.63.255.255/", A),
    ("https://100.64.0.1/", ADDRESS),
    ("https://100.100.100.200/", ADDRESS),
    ("https://100.127.255.255/", ADDRESS),
    ("https://100.128.0.0/", A),
    ("https://192.0.0.1/", ADDRESS),
    ("https://192.0.0.171/", ADDRESS),
    ("https://192.0.1.1/", A),
    ("https://192.0.2.1/", ADDRESS),
    ("https://192.88.99.1/", ADDRESS),
    ("https://198.17.255.255/", A),
    ("https://198.18.0.0/", ADDRESS),
    ("https://198.19.255.255/", ADDRESS),
    ("https://198.20.0.0/", A),
    ("https://198.51.100.7/", ADDRESS),
    ("https://203.0.113.7/", ADDRESS),
    ("https://223.255.255.255/", A),
    ("https://224.0.0.1/", ADDRESS),
    ("https://239.255.255.250/", ADDRESS),
    ("https://240.0.0.1/", ADDRESS),
    ("https://255.255.255.255/", ADDRESS),
    ("https://4294967295/", ADDRESS),
    ("https://[ff02::1]/", ADDRESS),
    ("https://[2001:db8::1]/", ADDRESS),
    ("https://[3fff::1]/", ADDRESS),
    ("https://[2001::1]/", ADDRESS),
    ("https://[2001:20::1]/", ADDRESS),
    ("https://[100::1]/", ADDRESS),
    ("https://[64:ff9b:1::1]/", ADDRESS),
    ("https://[5f00::1]/", ADDRESS),
    ("https://[4000::1]/", ADDRESS),
    ("https://[2606:2800:220:1:248:1893:25c8:1946]/", A),
    ("https://[2001:4860:4860::8888]/", A),
    ("https://93.184.216.34/", A),
    ("https://1.1.1.1/", A),
    ("https://8.8.8.8:853/", A),
];

// R-EGR-01: cloud metadata services, by address and by name.
const METADATA: &[Row] = &[
    ("https://169.254.169.254/latest/meta-data/", ADDRESS),
    ("https://2852039166/", ADDRESS),
    ("https://0xa9fea9fe/", ADDRESS),
    ("https://0251.0376.0251.0376/", ADDRESS),
    ("https://169.254.43518/", ADDRESS),
    ("https://[fd00:ec2::254]/", ADDRESS),
    ("https://[::ffff:a9fe:a9fe]/", ADDRESS),
    ("https://169.254.170.2/", ADDRESS),
    ("https://metadata.google.internal/", NAME),
    ("https://METADATA.google.internal/", NAME),
    ("https://metadata.goog/", NAME),
    ("https://metadata/", NAME),
    ("https://instance-data/", NAME),
    ("https://instance-data.ec2.internal/", NAME),
    ("https://metadata.azure.internal/", NAME),
];

// R-EGR-02, R-EGR-03: IPv4 inside IPv6.
const INNER: &[Row] = &[
    ("https://[::ffff:127.0.0.1]/", ADDRESS),
    ("https://[::ffff:7f00:1]/", ADDRESS),
    ("https://[::FFFF:7F00:0001]/", ADDRESS),
    ("https://[0:0:0:0:0:ffff:7f00:1]/", ADDRESS),
    ("https://[::ffff:10.0.0.1]/", ADDRESS),
    ("https://[::ffff:192.168.1.1]/", ADDRESS),
    ("https://[::ffff:93.184.216.34]/", A),
    ("https://[::ffff:5db8:d822]/", A),
    ("https://[::127.0.0.1]/", ADDRESS),
    ("https://[::7f00:1]/", ADDRESS),
    ("https://[::93.184.216.34]/", A),
    ("https://[::2]/", ADDRESS),
    ("https://[64:ff9b::7f00:1]/", ADDRESS),
    ("https://[64:ff9b::127.0.0.1]/", ADDRESS),
    ("https://[64:ff9b::a9fe:a9fe]/", ADDRESS),
    ("https://[64:ff9b::5db8:d822]/", A),
    ("https://[2002:7f00:1::]/", ADDRESS),
    ("https://[2002:a00:1::1]/", ADDRESS),
    ("https://[2002:c0a8:101::1]/", ADDRESS),
    ("https://[2002:a9fe:a9fe::1]/", ADDRESS),
    ("https://[2002:5db8:d822::1]/", A),
    ("https://[::ffff:0:7f00:1]/", ADDRESS),
];

// R-EGR-06: texts that two parsers read differently.
const TRICKS: &[Row] = &[
    ("https://good@127.0.0.1/", USER),
    ("https://good:secret@example.com/", USER),
    ("https://@example.com/", USER),
    ("https://:@example.com/", USER),
    ("https://example.com@10.0.0.1:443/", USER),
    ("https://a@b@example.com/", USER),
    ("https://example.com/?mail=a@b.example", A),
    ("https://example.com\\@127.0.0.1/", CHARACTER),
    ("https:\\\\example.com/", CHARACTER),
    ("https://example.com\\.attacker.com/", CHARACTER),
    ("https://exa\tmple.com/", CHARACTER),
    ("https://127.0.0.1\n.example.com/", CHARACTER),
    ("https://example.com\r\nHost: x/", CHARACTER),
    ("https://exam ple.com/", CHARACTER),
    ("https://example.com/\u{0}", CHARACTER),
    ("https://example.com/\u{7f}", CHARACTER),
    ("https://example.com/\u{85}", CHARACTER),
    ("https://127.0.0.1%00.example.com/", HOST),
    ("https://%31%32%37.0.0.1/", HOST),
    ("https://127%2e0%2e0%2e1/", HOST),
    ("https://%2531%2532%2537.0.0.1/", HOST),
    ("https://ex%61mple.com/", HOST),
    ("https://１２７.０.０.１/", ADDRESS),
    ("https://①②⑦.⓪.⓪.①/", ADDRESS),
    ("https://127。0。0。1/", ADDRESS),
    ("https://127．0．0．1/", ADDRESS),
    ("https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", NAME),
    ("https://ｌocalhost/", NAME),
    ("https://local\u{ad}host/", NAME),
    ("https://localhost。/", HOST),
    ("https://b\u{fc}cher.example.com/", A),
    ("https://xn--bcher-kva.example.com/", A),
    ("https://xn--/", HOST),
    ("https://example.com:/", PORT),
    ("https://example.com:0/", PORT),
    ("https://example.com:65536/", PORT),
    ("https://example.com:-1/", PORT),
    ("https://example.com:443x/", PORT),
    ("https://example.com:443/", A),
    ("https://example.com:1/", A),
    ("https://example.com:65535/", A),
    ("https://[::1]:/", PORT),
    ("https://#@127.0.0.1/", SYNTAX),
    ("https://example.com#@127.0.0.1/", SYNTAX),
    ("https://127.0.0.1#.example.com/", SYNTAX),
    ("https://127.0.0.1?.example.com/", ADDRESS),
    ("https://example..com/", HOST),
    ("https://.example.com/", HOST),
    ("https://[::1/", HOST),
    ("https://[example.com]/", HOST),
    ("https://[::1].example.com/", HOST),
    ("https://256.256.256.256/", HOST),
    ("https://1.2.3.4.5/", HOST),
    ("https://0x/", ADDRESS),
    ("https://exa$mple.com/", HOST),
    ("https://exa|mple.com/", HOST),
    ("https://exa<mple.com/", HOST),
];

const CORPUS: &[&[Row]] = &[SCHEMES, LOOPBACK, PRIVATE, SPECIAL, METADATA, INNER, TRICKS];

/// Witnesses R-EGR-01, R-EGR-02, R-EGR-03, R-EGR-04, R-EGR-06.
#[test]
fn every_url_of_the_corpus_gets_its_verdict() {
    let policy = EgressPolicy::public_only();
    let rows = || CORPUS.iter().flat_map(|group| group.iter());
    assert!(rows().count() >= 150, "R17 asks for at least 150 urls");
    let wrong: Vec<String> = rows()
        .filter_map(|(url, expected)| {
            let got = policy.judge_url(url).err().map(|refusal| refusal.word());
            (got != *expected).then(|| format!("{url:?}: got {got:?}, expected {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Witnesses R-EGR-05, R-EGR-07: what is refused at registration is refused at
/// delivery too, before a name is looked up.
#[tokio::test]
async fn every_refused_url_is_refused_at_delivery() {
    let resolver = Scripted::new(&[&["93.184.216.34"]]);
    let client = client(&[], resolver.clone());
    for (url, _) in CORPUS.iter().flat_map(|group| group.iter()).filter(|row| row.1.is_some()) {
        let error = client.send(get(*url)).await.expect_err(url);
        assert_eq!((error.kind(), error.sent()), (EgressErrorKind::Denied, Sent::No), "{url}");
    }
    assert_eq!(resolver.asked.load(std::sync::atomic::Ordering::SeqCst), 0);
}

// R-EGR-06: a text longer than the limit is not even parsed.
#[test]
fn an_endless_url_is_refused() {
    let url = format!("https://example.com/{}", "a".repeat(9_000));
    let refusal = EgressPolicy::public_only().judge_url(&url).expect_err("too long");
    assert_eq!(refusal.word(), "url-too-long");
    let label = format!("https://{}.com/", "a".repeat(64));
    let refusal = EgressPolicy::public_only().judge_url(&label).expect_err("label too long");
    assert_eq!(refusal.word(), "host-syntax");
}

/// Witnesses R-EGR-08: a listed network is permitted, also over `http:`, and
/// nothing next to it is.
#[test]
fn a_listed_network_is_permitted_and_nothing_else() {
    let listed = vec!["127.0.0.0/8".parse().expect("cidr"), "10.1.0.0/16".parse().expect("cidr")];
    let policy = EgressPolicy::with_allowed(listed);
    for url in [
        "http://127.0.0.1:8080/",
        "https://127.0.0.1/",
        "http://2130706433/",
        "http://[::ffff:127.0.0.1]/",
        "http://10.1.2.3/",
        "http://policy:8080/",
        "http://policy.internal/",
        "https://example.com/",
    ] {
        assert!(policy.judge_url(url).is_ok(), "{url}");
    }
    for (url, word) in [
        ("http://10.2.0.1/", "address"),
        ("http://[::1]/", "address"),
        ("http://[64:ff9b::7f00:1]/", "address"),
        ("http://localhost:8080/", "host-name"),
        ("http://a.localhost/", "host-name"),
        ("http://metadata.google.internal/", "host-name"),
        ("http://93.184.216.34/", "plain-http"),
        ("ftp://127.0.0.1/", "scheme"),
    ] {
        let got = policy.judge_url(url).err().map(|refusal| refusal.word());
        assert_eq!(got, Some(word), "{url}");
    }
}
