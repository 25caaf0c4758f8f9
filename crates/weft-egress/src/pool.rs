//! The owner of the tasks that drive open connections.
//!
//! The HTTP library spawns a task per connection and forgets it. Here the set
//! belongs to the client, so dropping the client closes every connection.

use std::future::Future;
use std::sync::{Arc, Weak};

use hyper::rt::Executor;
use parking_lot::Mutex;
use tokio::task::JoinSet;

/// Owns the connection tasks; aborts them when dropped.
#[derive(Debug, Default)]
pub(crate) struct ConnectionTasks {
    tasks: Arc<Mutex<JoinSet<()>>>,
}

/// The handle given to the HTTP library. Weak, because connection tasks hold a
/// copy of it: a strong one would keep the set alive from inside itself.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionSpawner {
    tasks: Weak<Mutex<JoinSet<()>>>,
}

impl ConnectionTasks {
    pub(crate) fn spawner(&self) -> ConnectionSpawner {
        ConnectionSpawner { tasks: Arc::downgrade(&self.tasks) }
    }
}

impl<F> Executor<F> for ConnectionSpawner
where
    F: Future + Send + 'static,
{
    fn execute(&self, task: F) {
        // Without an owner the client is gone; dropping the future closes its
        // connection.
        let Some(tasks) = self.tasks.upgrade() else {
            return;
        };
        let mut tasks = tasks.lock();
        // Finished tasks stay in the set until they are taken out.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            task.await;
        });
    }
}
