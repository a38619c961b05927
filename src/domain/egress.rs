//! Which hosts a set-up may reach, and what it did reach.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// Longest name of a host (RFC 1035, 2.3.4).
const MOST_NAME: usize = 253;
/// Longest label of a name.
const MOST_LABEL: usize = 63;
/// The ports of a host that names none: HTTPS and HTTP.
const WEB_PORTS: [u16; 2] = [443, 80];

/// A host that a set-up may reach: an exact name, never a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    host: String,
    /// `None`: 443 and 80.
    port: Option<u16>,
    /// Whether the name may lead to a private or loopback address.
    pub private: bool,
}

impl AllowedHost {
    /// Reads `registry.example` or `registry.example:8443`.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence that begins with the entry.
    pub fn parse(text: &str) -> Result<AllowedHost, String> {
        let (host, port) = match text.split_once(':') {
            None => (text, None),
            Some((host, port)) => (host, Some(port)),
        };
        let port = match port.map(port_number) {
            None => None,
            Some(Some(port)) => Some(port),
            Some(None) => return Err("has no port after its colon; write host or host:8443".into()),
        };
        if host.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err("has upper case; write the host in lower case".into());
        }
        if !is_host(host) {
            return Err(
                "is no host name; write an exact name without scheme, path, pattern or dot at its end"
                    .into(),
            );
        }
        Ok(AllowedHost {
            host: host.into(),
            port,
            private: false,
        })
    }

    /// The same, allowed to lead to private addresses.
    #[must_use]
    pub fn with_private(self, private: bool) -> Self {
        AllowedHost { private, ..self }
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether it is this host, byte for byte.
    pub fn is(&self, host: &str) -> bool {
        self.host == host
    }

    pub fn takes_port(&self, port: u16) -> bool {
        match self.port {
            None => WEB_PORTS.contains(&port),
            Some(own) => own == port,
        }
    }
}

impl Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            None => write!(f, "{}", self.host),
            Some(port) => write!(f, "{}:{port}", self.host),
        }
    }
}

/// A port as digits, without sign, blank or leading zero.
pub fn port_number(text: &str) -> Option<u16> {
    let plain = !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// Whether it is a plain host name in lower case, or an IPv4 address in its usual form.
pub fn is_host(host: &str) -> bool {
    let label = |l: &str| {
        (1..=MOST_LABEL).contains(&l.len())
            && !l.starts_with('-')
            && !l.ends_with('-')
            && l.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
    };
    if host.len() > MOST_NAME || !host.split('.').all(label) {
        return false;
    }
    // What a resolver would read as a number is an address: only in the one form that shows which.
    let last = host.rsplit('.').next().unwrap_or_default();
    let numeric = last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x");
    !numeric
        || host
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|ip| ip.to_string() == host)
}

/// What a command with a network reached, and what it was refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Each host with its number of requests.
    pub reached: Vec<HostCount>,
    /// Each host that was refused, with the reason and how often.
    pub refused: Vec<Refusal>,
    /// Refusals of further hosts than these lists hold.
    pub more_refused: u64,
    pub received_bytes: u64,
    pub sent_bytes: u64,
}

/// A host and how many requests went to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCount {
    pub host: String,
    pub requests: u64,
}

/// A host that was not reached, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// As it was asked for; from outside, made visible and short.
    pub host: String,
    /// In words, as the end of a sentence that begins with the host.
    pub why: String,
    /// Whether mend refused it; else it was allowed and could not be reached.
    pub by_policy: bool,
    pub times: u64,
}

impl Traffic {
    /// Adds another command's traffic.
    pub fn add(&mut self, other: &Traffic) {
        for theirs in &other.reached {
            match self.reached.iter_mut().find(|r| r.host == theirs.host) {
                Some(ours) => ours.requests += theirs.requests,
                None => self.reached.push(theirs.clone()),
            }
        }
        for theirs in &other.refused {
            let same = |r: &&mut Refusal| r.host == theirs.host && r.why == theirs.why;
            match self.refused.iter_mut().find(same) {
                Some(ours) => ours.times += theirs.times,
                None => self.refused.push(theirs.clone()),
            }
        }
        self.more_refused += other.more_refused;
        self.received_bytes += other.received_bytes;
        self.sent_bytes += other.sent_bytes;
    }

    /// `3 hosts reached, none refused`, or with the refused ones named.
    pub fn words(&self) -> String {
        let hosts = |n: usize| match n {
            0 => "no host".to_string(),
            1 => "1 host".to_string(),
            n => format!("{n} hosts"),
        };
        const SHOWN: usize = 5;
        let part = |by_policy: bool, word: &str| {
            let all: Vec<_> = self
                .refused
                .iter()
                .filter(|r| r.by_policy == by_policy)
                .map(|r| format!("`{}` ({})", r.host.replace('`', "'"), r.why))
                .collect();
            let more = match all.len().saturating_sub(SHOWN) as u64
                + if by_policy { self.more_refused } else { 0 }
            {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let named: Vec<_> = all.into_iter().take(SHOWN).collect();
            (!named.is_empty()).then(|| format!("{word} {}{more}", named.join(", ")))
        };
        let reached = format!("{} reached", hosts(self.reached.len()));
        let refused = part(true, "refused").unwrap_or_else(|| "none refused".into());
        let mut parts = vec![reached, refused];
        parts.extend(part(false, "not reached"));
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nw_05_entries_are_exact_names() {
        for good in [
            "pypi.org",
            "localhost",
            "a-b.example:8443",
            "10.0.0.7:8080",
            "xn--bcher-kva.example",
        ] {
            assert_eq!(AllowedHost::parse(good).unwrap().to_string(), good);
        }
        for bad in [
            "",
            ".",
            "*",
            "*.pypi.org",
            "pypi.org.",
            ".pypi.org",
            "PyPI.org",
            "https://pypi.org",
            "pypi.org/simple",
            "pypi.org:",
            "pypi.org:0",
            "pypi.org:099",
            "pypi.org:70000",
            "pypi.org:+1",
            "u@pypi.org",
            "pypi..org",
            "-a.org",
            "[::1]:80",
            "::1",
            "0x7f.1",
            "127.1",
            "127.0.0.01",
            "2130706433",
            "a\0b.org",
            "a b.org",
            "bücher.example",
        ] {
            assert!(AllowedHost::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn nw_02_a_port_that_is_named_is_the_only_one() {
        let web = AllowedHost::parse("a.test").unwrap();
        assert!(web.takes_port(443) && web.takes_port(80) && !web.takes_port(22));
        let own = AllowedHost::parse("a.test:8443").unwrap();
        assert!(own.takes_port(8443) && !own.takes_port(443) && !own.takes_port(80));
    }

    #[test]
    fn traffic_in_words() {
        let mut traffic = Traffic::default();
        assert_eq!(traffic.words(), "no host reached, none refused");
        let host = |host: &str, requests| HostCount {
            host: host.into(),
            requests,
        };
        let refusal = |host: &str, by_policy| Refusal {
            host: host.into(),
            why: "not on the list".into(),
            by_policy,
            times: 1,
        };
        traffic.reached.push(host("a.test", 1));
        traffic.add(&Traffic {
            reached: vec![host("a.test", 2), host("b.test", 1)],
            refused: vec![refusal("x.test", true)],
            ..Traffic::default()
        });
        assert_eq!(traffic.reached[0].requests, 3);
        assert_eq!(
            traffic.words(),
            "2 hosts reached, refused `x.test` (not on the list)"
        );
    }
}
