//! Address classes: which addresses are reachable by everybody on the internet.
//!
//! One row for each block that the IANA special-purpose address registries do
//! not mark as globally reachable (R-EGR-04). Where a registry carves a few
//! reachable addresses out of a reserved block, the whole block stays refused:
//! no web service lives there, and a shorter table is easier to check.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// What an address is for, as far as an outbound call cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressClass {
    /// Globally reachable unicast.
    Public,
    /// A special-purpose address; the text names its block for logs.
    Special(&'static str),
}

/// Classifies an address. An IPv6 form that carries an IPv4 address is judged
/// by the inner address (R-EGR-02, R-EGR-03), because that is where a packet
/// sent to it ends up.
#[must_use]
pub(crate) fn classify(address: IpAddr) -> AddressClass {
    match address {
        IpAddr::V4(v4) => classify_v4(v4),
        IpAddr::V6(v6) => match embedded_v4(v6) {
            Some(inner) => classify_v4(inner),
            None => classify_v6(v6),
        },
    }
}

/// The IPv4 address inside an IPv4-mapped, IPv4-compatible, NAT64 (well-known
/// prefix) or 6to4 address. `::` and `::1` are their own addresses, not
/// compatible forms.
#[must_use]
pub(crate) fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = address.to_bits();
    let low = Ipv4Addr::from_bits((bits & 0xffff_ffff) as u32);
    let mapped = MAPPED.contains(&address);
    let compatible = COMPATIBLE.contains(&address) && bits > 1;
    if mapped || compatible || NAT64.contains(&address) {
        Some(low)
    } else if SIX_TO_FOUR.contains(&address) {
        Some(Ipv4Addr::from_bits(((bits >> 80) & 0xffff_ffff) as u32))
    } else {
        None
    }
}

/// The address a socket would really use: the IPv4-mapped form is the same
/// socket as its inner address, every other form is a route of its own.
#[must_use]
pub(crate) fn canonical(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

fn classify_v4(address: Ipv4Addr) -> AddressClass {
    match V4_BLOCKS.iter().find(|(block, _)| block.contains(&address)) {
        Some((_, name)) => AddressClass::Special(name),
        None => AddressClass::Public,
    }
}

fn classify_v6(address: Ipv6Addr) -> AddressClass {
    if let Some((_, name)) = V6_BLOCKS.iter().find(|(block, _)| block.contains(&address)) {
        return AddressClass::Special(name);
    }
    // RFC 4291 hands out global unicast from 2000::/3 only; anything else that
    // the table does not name is unassigned.
    if GLOBAL_UNICAST.contains(&address) { AddressClass::Public } else { AddressClass::Special("unassigned") }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(high: [u16; 6], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f] = high;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, 0, 0), prefix)
}

const MAPPED: Ipv6Net = v6([0, 0, 0, 0, 0, 0xffff], 96);
const COMPATIBLE: Ipv6Net = v6([0; 6], 96);
const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0, 0, 0, 0], 96);
const SIX_TO_FOUR: Ipv6Net = v6([0x2002, 0, 0, 0, 0, 0], 16);
const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0], 3);

const V4_BLOCKS: &[(Ipv4Net, &str)] = &[
    (v4(0, 0, 0, 0, 8), "this network"),
    (v4(10, 0, 0, 0, 8), "private use"),
    (v4(100, 64, 0, 0, 10), "shared address space"),
    (v4(127, 0, 0, 0, 8), "loopback"),
    // Holds 169.254.169.254, the metadata service of most clouds.
    (v4(169, 254, 0, 0, 16), "link-local"),
    (v4(172, 16, 0, 0, 12), "private use"),
    (v4(192, 0, 0, 0, 24), "protocol assignments"),
    (v4(192, 0, 2, 0, 24), "documentation"),
    (v4(192, 88, 99, 0, 24), "deprecated 6to4 relay"),
    (v4(192, 168, 0, 0, 16), "private use"),
    (v4(198, 18, 0, 0, 15), "benchmarking"),
    (v4(198, 51, 100, 0, 24), "documentation"),
    (v4(203, 0, 113, 0, 24), "documentation"),
    (v4(224, 0, 0, 0, 4), "multicast"),
    (v4(240, 0, 0, 0, 4), "reserved"),
];

const V6_BLOCKS: &[(Ipv6Net, &str)] = &[
    (Ipv6Net::new_assert(Ipv6Addr::UNSPECIFIED, 128), "unspecified"),
    (Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128), "loopback"),
    (v6([0x64, 0xff9b, 1, 0, 0, 0], 48), "local translation"),
    (v6([0x100, 0, 0, 0, 0, 0], 64), "discard only"),
    (v6([0x100, 0, 0, 1, 0, 0], 64), "dummy prefix"),
    // Holds Teredo, benchmarking and both ORCHID ranges.
    (v6([0x2001, 0, 0, 0, 0, 0], 23), "protocol assignments"),
    (v6([0x2001, 0xdb8, 0, 0, 0, 0], 32), "documentation"),
    (v6([0x3fff, 0, 0, 0, 0, 0], 20), "documentation"),
    (v6([0x5f00, 0, 0, 0, 0, 0], 16), "segment routing"),
    (v6([0xfc00, 0, 0, 0, 0, 0], 7), "unique local"),
    (v6([0xfe80, 0, 0, 0, 0, 0], 10), "link-local"),
    (v6([0xfec0, 0, 0, 0, 0, 0], 10), "deprecated site-local"),
    (v6([0xff00, 0, 0, 0, 0, 0], 8), "multicast"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn special(text: &str) -> bool {
        classify(text.parse().expect("a literal address")) != AddressClass::Public
    }

    // R-EGR-04: the edges of every block, one address on each side.
    #[test]
    fn block_edges_are_exact() {
        for (inside, outside) in [
            ("10.255.255.255", "11.0.0.0"),
            ("100.64.0.0", "100.63.255.255"),
            ("100.127.255.255", "100.128.0.0"),
            ("127.255.255.255", "128.0.0.0"),
            ("169.254.0.0", "169.253.255.255"),
            ("172.16.0.0", "172.15.255.255"),
            ("172.31.255.255", "172.32.0.0"),
            ("192.168.0.0", "192.167.255.255"),
            ("198.19.255.255", "198.20.0.0"),
            ("224.0.0.0", "223.255.255.255"),
            ("fdff::1", "2606::1"),
            ("2001:1ff:ffff::", "2001:200::"),
            ("2001:db8::1", "2001:db9::1"),
            ("3fff:fff::1", "3fff:1000::1"),
        ] {
            assert!(special(inside), "{inside} is inside its block");
            assert!(!special(outside), "{outside} is outside the block");
        }
    }

    // R-EGR-02, R-EGR-03: IPv4-in-IPv6 forms follow the inner address.
    #[test]
    fn inner_addresses_decide() {
        for form in ["::ffff:", "::", "64:ff9b::"] {
            assert!(special(&format!("{form}7f00:1")), "{form} of loopback");
            assert!(special(&format!("{form}a9fe:a9fe")), "{form} of metadata");
            assert!(!special(&format!("{form}5db8:d822")), "{form} of a public address");
        }
        assert!(special("2002:7f00:1::"));
        assert!(!special("2002:5db8:d822::1"));
        assert!(special("::") && special("::1"));
        assert!(special("4000::1"), "outside global unicast");
    }
}
