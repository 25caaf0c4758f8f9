//! The egress guard as a caller sees it: the SSRF corpus of RELIABILITY.md §4
//! (R17) and live calls against small servers on loopback.

mod corpus;
mod limits;
mod names;
mod servers;
mod tls;
