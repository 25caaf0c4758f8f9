//! The thread that drives the writer, and the one that answers for it at full load.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::checkpointer::Alarm;
use super::queue::{Job, Queue};
use super::vitals::{CLOSED, Vitals};
use super::write::Write;
use super::writer::{Answer, Writer};

/// Groups that may wait for their answers to be given out; the writer waits beyond that.
const UNANSWERED_MAX: usize = 4;

/// What the writing thread works with.
pub(super) struct Committer {
    pub(super) queue: Arc<Queue>,
    pub(super) vitals: Arc<Vitals>,
    /// Held during a group; the checkpointer takes it between two.
    pub(super) gate: Arc<Mutex<()>>,
    pub(super) alarm: Arc<Alarm>,
}

/// A durable group whose waiters have not been told yet.
struct Unanswered {
    writes: Vec<Write>,
    replies: Vec<oneshot::Sender<Answer>>,
    answers: Vec<Answer>,
}

impl Committer {
    /// Starts both threads. They end when the queue is closed and empty.
    pub(super) fn start(self, writer: Writer) -> std::io::Result<[JoinHandle<()>; 2]> {
        let (full_groups, unanswered) = sync_channel(UNANSWERED_MAX);
        let answering = spawn("weft-store-answer", move || answer_all(&unanswered))?;
        let writing = spawn("weft-store-write", move || self.run(writer, &full_groups))?;
        Ok([writing, answering])
    }

    fn run(self, mut writer: Writer, full_groups: &SyncSender<Unanswered>) {
        // Should this thread ever panic, writes are refused instead of waiting for ever.
        let _guard = StopOnExit(&self);
        let mut jobs = Vec::new();
        while self.queue.take_group(&mut jobs).is_some() {
            let (writes, replies): (Vec<_>, Vec<_>) = jobs.drain(..).map(|Job { write, reply }| (write, reply)).unzip();
            let gate = self.gate.lock();
            let answers = writer.commit_group(&writes);
            drop(gate);
            self.alarm.tell(writer.log_pages());
            let unanswered = Unanswered { writes, replies, answers };
            // Waking waiters takes time that the next group has to wait for, so another thread
            // does it, unless there is no next group yet: then the hop would only cost the waiter.
            if self.queue.is_empty() {
                unanswered.answer();
            } else if let Err(returned) = full_groups.send(unanswered) {
                returned.0.answer();
            }
        }
    }
}

struct StopOnExit<'a>(&'a Committer);

impl Drop for StopOnExit<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.vitals.break_down("the writer panicked");
        }
        self.0.vitals.stop(CLOSED);
        self.0.queue.close();
        // What still waits is dropped, and its waiters see that there is no answer.
        let mut abandoned = Vec::new();
        while self.0.queue.take_group(&mut abandoned).is_some() {
            abandoned.clear();
        }
    }
}

impl Unanswered {
    fn answer(self) {
        for (reply, answer) in self.replies.into_iter().zip(self.answers) {
            // A waiter that has gone away needs no answer.
            let _ = reply.send(answer);
        }
        // The payloads are freed after the waiters are awake.
        drop(self.writes);
    }
}

fn answer_all(unanswered: &Receiver<Unanswered>) {
    for group in unanswered {
        group.answer();
    }
}

/// Starts a named thread.
pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(run)
}
