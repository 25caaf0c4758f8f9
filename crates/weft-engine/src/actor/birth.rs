//! The first commit of a run, where something remains to be done after it.
//!
//! It is made in the actor's task and not in the caller's: a caller that goes away in the middle
//! must not leave a run that moves in the store and has nobody to move it.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::Actor;
use crate::error::EngineError;
use crate::newborn::Newborn;
use crate::order::{Mail, Outcome};
use crate::registry::Seat;
use crate::shared::Shared;

/// A decided run that is not in the store yet.
pub(crate) struct Birth {
    pub(crate) newborn: Newborn,
    pub(crate) done: oneshot::Sender<Result<Outcome, EngineError>>,
}

impl Actor {
    /// Makes the first commit, answers for it, and goes on with what it asks for.
    pub(crate) async fn be_born(mut self, birth: Birth, seat: Seat<Mail>) {
        let Birth { newborn, done } = birth;
        match newborn.write(&self.shared).await {
            Ok((outcome, loaded, draft)) => {
                self.loaded = Some(loaded);
                self.adopted = true;
                self.act(draft);
                let _ = done.send(Ok(outcome));
            }
            Err(error) => {
                // The run may be in the store after all, and then it must move.
                self.more = matches!(error, EngineError::Unknown);
                let _ = done.send(Err(error));
            }
        }
        // Also after a failure: orders may have come for a run whose commit was only said to fail.
        self.work(seat).await;
    }
}

impl Shared {
    /// Starts an actor whose first work is to create its run.
    pub(crate) fn seat_birth(self: &Arc<Self>, birth: Birth, seat: Seat<Mail>) {
        let actor = Actor::vacant(Arc::clone(self), seat.run().clone());
        self.spawn_actor(seat.run().clone(), actor.be_born(birth, seat));
    }
}
