//! Where HTTP/2 connections put the tasks of their streams.

use hyper::rt::Executor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Spawns tasks that one owner waits for, and can end.
#[derive(Clone)]
pub(super) struct StreamTasks {
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl StreamTasks {
    pub(super) fn new() -> StreamTasks {
        StreamTasks { tracker: TaskTracker::new(), stop: CancellationToken::new() }
    }

    /// Ends what still runs and waits until it is gone.
    pub(super) async fn end(self) {
        self.stop.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}

impl<F> Executor<F> for StreamTasks
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, task: F) {
        let stop = self.stop.clone();
        self.tracker.spawn(async move { stop.run_until_cancelled(task).await });
    }
}
