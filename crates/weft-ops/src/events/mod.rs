//! A run's events: polled as one answer or streamed as frames.

mod fold;
mod frame;
mod mode;
mod params;
mod poll;
mod stream;

pub use frame::Frame;
pub use poll::{PollEvents, poll};
pub use stream::{FrameStream, StreamEvents, stream};
