//! The egress guard as a caller sees it: a corpus of forbidden addresses and spellings, and live
//! calls against small servers on loopback.

mod corpus;
mod limits;
mod names;
mod servers;
mod tls;
