//! Why a request does not go through, in words.

/// The reason; each reads as the end of a sentence that begins with the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    NotListed,
    Port,
    Malformed,
    Method,
    LongUrl,
    PrivateAddress,
    Requests,
    Bytes,
    NotTls,
    OtherName,
    Unresolved,
    Unreachable,
}

impl Why {
    pub fn words(self) -> &'static str {
        match self {
            Why::NotListed => "not on the list of allowed hosts",
            Why::Port => "not on an allowed port",
            Why::Malformed => "not a plain host name and port",
            Why::Method => "only GET and HEAD go out without encryption",
            Why::LongUrl => "the URL is longer than 2048 bytes",
            Why::PrivateAddress => "leads to a private address",
            Why::Requests => "the number of requests is used up",
            Why::Bytes => "the number of bytes is used up",
            Why::NotTls => "the tunnel does not speak TLS",
            Why::OtherName => "the tunnel's TLS asks for another host",
            Why::Unresolved => "the name does not resolve",
            Why::Unreachable => "no connection",
        }
    }

    /// Whether mend refused it; else it could not be reached.
    pub fn by_policy(self) -> bool {
        !matches!(self, Why::Unresolved | Why::Unreachable)
    }

    /// Status line of the answer to the client.
    pub fn status(self) -> &'static str {
        match self {
            Why::Malformed => "400 Bad Request",
            Why::Method => "405 Method Not Allowed",
            Why::LongUrl => "414 URI Too Long",
            Why::Unresolved | Why::Unreachable => "502 Bad Gateway",
            _ => "403 Forbidden",
        }
    }
}
