//! The loop that accepts connections and speaks HTTP/1.1 and HTTP/2 on them.
//!
//! Every connection is a task of one set that [`serve`] owns: it returns when all of them are
//! gone, and when the time for draining is over it ends the rest.

mod accept;
mod executor;
mod io;
mod limits;
mod listener;
#[cfg(test)]
mod tests;
mod unread_head;

pub use accept::{Drained, serve};
pub use limits::ServeLimits;
pub use listener::{Listener, bind};
