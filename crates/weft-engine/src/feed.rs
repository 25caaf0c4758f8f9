//! The live feed: one watch a watched run, made by the first reader and gone with the last.
//!
//! It carries how far the log has grown, never an event. A reader joins the feed, then reads the
//! log from its cursor; what is committed in between rings the watch. The other order would lose
//! it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;
use weft_store::RunKey;

use crate::sharded::Sharded;

/// Shards of the map of watched runs.
const SHARDS: usize = 16;

/// The watched runs.
pub(crate) struct Feed {
    runs: Sharded<HashMap<RunKey, Watched>>,
    /// Runs in all shards. Commits of unwatched hosts read this and take no lock.
    watched: AtomicUsize,
}

struct Watched {
    commits: watch::Sender<u64>,
    readers: usize,
}

/// Wakes its holder after every commit of one run.
pub struct Watch {
    feed: Arc<Feed>,
    run: RunKey,
    commits: watch::Receiver<u64>,
}

/// The feed is closed: the engine stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedClosed;

impl Watch {
    /// Completes once the run has been committed to since the last call, or since the watch was
    /// made; never again once the engine has stopped. Safe to cancel.
    pub async fn changed(&mut self) {
        if self.changed_or_closed().await.is_err() {
            std::future::pending().await
        }
    }

    /// The same, and tells when the engine has stopped.
    pub async fn changed_or_closed(&mut self) -> Result<(), FeedClosed> {
        self.commits.changed().await.map_err(|_| FeedClosed)
    }
}

impl Feed {
    pub(crate) fn new() -> Arc<Feed> {
        Arc::new(Feed { runs: Sharded::new(SHARDS, HashMap::new), watched: AtomicUsize::new(0) })
    }

    /// How many runs are watched.
    pub(crate) fn watched(&self) -> usize {
        self.watched.load(Ordering::SeqCst)
    }

    /// Joins the feed of a run.
    pub(crate) fn join(self: &Arc<Self>, run: RunKey) -> Watch {
        let mut shard = self.runs.of(&run);
        let entry = shard.entry(run).or_insert_with(|| {
            // Counted before the reader reads the log, so that a commit which that reading
            // misses sees the count.
            self.watched.fetch_add(1, Ordering::SeqCst);
            Watched { commits: watch::Sender::new(0), readers: 0 }
        });
        entry.readers += 1;
        let commits = entry.commits.subscribe();
        Watch { feed: Arc::clone(self), run, commits }
    }

    /// Wakes the readers of a run. Called after its commit is durable and cached.
    pub(crate) fn publish(&self, run: RunKey) {
        if self.watched.load(Ordering::SeqCst) == 0 {
            return;
        }
        if let Some(entry) = self.runs.of(&run).get(&run) {
            entry.commits.send_modify(|count| *count += 1);
        }
    }

    /// Ends every watch: readers drain what is committed and stop.
    pub(crate) fn close(&self) {
        for mut shard in self.runs.each() {
            let gone = std::mem::take(&mut *shard);
            // Ending a watch wakes its reader, which comes for this lock.
            drop(shard);
            self.watched.fetch_sub(gone.len(), Ordering::SeqCst);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut shard = self.feed.runs.of(&self.run);
        let Some(entry) = shard.get_mut(&self.run) else { return };
        // After a close the same run may have been joined anew; that entry is not this watch's.
        if !self.commits.same_channel(&entry.commits.subscribe()) {
            return;
        }
        entry.readers -= 1;
        if entry.readers == 0 {
            shard.remove(&self.run);
            self.feed.watched.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use weft_store::RunKey;

    use super::{Feed, FeedClosed};

    const RUN: RunKey = RunKey(1);

    #[tokio::test(flavor = "current_thread")]
    async fn watch_goes_with_its_last_reader() {
        let feed = Feed::new();
        let (mut one, two) = (feed.join(RUN), feed.join(RUN));
        assert_eq!(feed.watched(), 1);
        drop(two);
        feed.publish(RUN);
        assert_eq!(one.changed_or_closed().await, Ok(()));
        drop(one);
        assert_eq!(feed.watched(), 0);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn closed_feed_ends_its_readers_and_can_be_joined_again() {
        let feed = Feed::new();
        let mut old = feed.join(RUN);
        feed.close();
        assert_eq!(old.changed_or_closed().await, Err(FeedClosed));
        let new = feed.join(RUN);
        drop(old);
        assert_eq!(feed.watched(), 1);
        drop(new);
        assert_eq!(feed.watched(), 0);
    }
}
