//! Black-box tests of the built binary: the command line, the walk of the README, the kill loop.

mod api;
mod cli;
mod counts;
mod crash;
mod databases;
mod host;
mod limits;
mod tls;
