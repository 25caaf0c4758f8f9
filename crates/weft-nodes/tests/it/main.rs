//! The node types through the ports of `weft-core`, as an engine calls them.

mod files;
mod gate;
mod http_call;
mod http_config;
mod pure;
mod runs;
mod support;
