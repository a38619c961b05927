//! Which addresses are public: what may be dialled for a name without the operator's word.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How an address is reached from this host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Anywhere on the internet.
    Public,
    /// This host or a network around it: only for a host that the operator named as private.
    Private,
    /// Never: nothing that a registry could be (link-local with its metadata services, multicast,
    /// the unspecified address).
    Never,
}

/// By the registries of special-purpose addresses (RFC 6890 and its updates at IANA).
pub(super) fn reach(ip: IpAddr) -> Reach {
    match ip {
        IpAddr::V4(v4) => reach_v4(v4),
        IpAddr::V6(v6) => reach_v6(v6),
    }
}

fn reach_v4(ip: Ipv4Addr) -> Reach {
    let [a, b, c, _] = ip.octets();
    match (a, b, c) {
        (0, ..) | (169, 254, _) | (224.., ..) => Reach::Never,
        (10 | 127, ..)
        | (100, 64..=127, _)
        | (172, 16..=31, _)
        | (192, 168, _)
        | (198, 18..=19, _) => Reach::Private,
        // Protocol assignments, documentation, the old relays of 6to4.
        (192, 0, 0 | 2) | (192, 88, 99) | (198, 51, 100) | (203, 0, 113) => Reach::Private,
        _ => Reach::Public,
    }
}

fn reach_v6(ip: Ipv6Addr) -> Reach {
    let s = ip.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    if ip.is_loopback() {
        return Reach::Private;
    }
    match s {
        // Unspecified, and addresses of IPv4 written as IPv6: no honest resolver gives one, so
        // none is public, whatever it holds.
        [0, 0, 0, 0, 0, 0, h, l] | [0, 0, 0, 0, 0, 0xffff, h, l] => match reach_v4(v4(h, l)) {
            Reach::Never => Reach::Never,
            _ => Reach::Private,
        },
        // NAT64 (RFC 6052) is as public as what stands behind it.
        [0x64, 0xff9b, 0, 0, 0, 0, h, l] => reach_v4(v4(h, l)),
        // 6to4 likewise (RFC 3056).
        [0x2002, h, l, ..] => reach_v4(v4(h, l)),
        // The metadata service of one cloud.
        [0xfd00, 0xec2, ..] => Reach::Never,
        // Unique local.
        [0xfc00..=0xfdff, ..] => Reach::Private,
        // Teredo, benchmarks, ORCHID and the rest of protocol assignments; documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Reach::Private,
        [0x2000..=0x3fff, ..] => Reach::Public,
        _ => Reach::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nw_03_every_kind_of_address() {
        for (ip, expected) in [
            ("93.184.216.34", Reach::Public),
            ("2606:4700::1111", Reach::Public),
            ("127.0.0.1", Reach::Private),
            ("10.0.0.1", Reach::Private),
            ("172.31.0.1", Reach::Private),
            ("172.32.0.1", Reach::Public),
            ("192.168.1.1", Reach::Private),
            ("100.64.0.1", Reach::Private),
            ("100.128.0.1", Reach::Public),
            ("198.18.0.1", Reach::Private),
            ("203.0.113.9", Reach::Private),
            ("169.254.169.254", Reach::Never),
            ("0.0.0.0", Reach::Never),
            ("224.0.0.1", Reach::Never),
            ("255.255.255.255", Reach::Never),
            ("::1", Reach::Private),
            ("::", Reach::Never),
            ("::ffff:127.0.0.1", Reach::Private),
            ("::ffff:93.184.216.34", Reach::Private),
            ("::ffff:169.254.169.254", Reach::Never),
            ("64:ff9b::a9fe:a9fe", Reach::Never),
            ("64:ff9b::7f00:1", Reach::Private),
            ("64:ff9b::5db8:d822", Reach::Public),
            ("64:ff9b:1::1", Reach::Never),
            ("2002:7f00:1::", Reach::Private),
            ("2001::1", Reach::Private),
            ("2001:db8::1", Reach::Private),
            ("fe80::1", Reach::Never),
            ("fd00:ec2::254", Reach::Never),
            ("fd12::1", Reach::Private),
            ("ff02::1", Reach::Never),
        ] {
            assert_eq!(reach(ip.parse().unwrap()), expected, "{ip}");
        }
    }
}
