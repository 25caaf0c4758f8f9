//! Server-sent events: framing and the body that carries the frames.

mod body;
mod frame;
#[cfg(test)]
mod tests;

pub(crate) use body::EventBody;
