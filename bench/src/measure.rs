//! The measures, in the order they are printed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;

use crate::Arguments;
use crate::ceiling::store;
use crate::http::Connection;
use crate::load::{Spell, Work, create, create_request, spell};
use crate::report::{Measure, median, percentile_ms};
use crate::server::Server;
use crate::subscriber::subscriber;
use crate::{cpu, workflows};

const ONE_NODE: &str = "bench-one";
const WAITING: &str = "bench-waiting";
const TICKING: &str = "bench-ticking";
/// Appends of the stream measure: one each tick.
const TICKS: usize = 60;
const TICK_MS: u64 = 100;
const SUBSCRIBERS: usize = 200;
const WAITING_RUNS: usize = 10_000;
const STORED_RUNS: usize = 100_000;

/// Takes every measure that the arguments select.
pub(crate) async fn all(arguments: &Arguments) -> anyhow::Result<Vec<Measure>> {
    let mut results = Vec::new();
    let wanted = |name: &str| arguments.only.as_deref().is_none_or(|part| name.contains(part));
    let bench = Bench::new(arguments)?;
    for clients in [64, 16, 1] {
        let name = format!("run, {clients} clients");
        if wanted(&name) {
            results.push(bench.runs(&name, clients).await?);
        }
    }
    if wanted("read snapshot") {
        results.push(bench.snapshots().await?);
    }
    if wanted("read discovery") {
        let work = Work::Get { paths: Arc::new(vec!["/.well-known/openwop".to_owned()]) };
        results.push(bench.pairs("read discovery", &work, 16, |_, _| Box::pin(async { Ok(None) })).await?);
    }
    if wanted("stream") {
        results.push(bench.stream().await?);
    }
    if wanted("memory") {
        results.push(bench.memory().await?);
    }
    if wanted("start") {
        results.push(bench.start().await?);
    }
    Ok(results)
}

struct Bench<'a> {
    arguments: &'a Arguments,
    workflows: tempfile::TempDir,
    progress: indicatif::ProgressBar,
}

type Prepared<'f> = std::pin::Pin<Box<dyn Future<Output = anyhow::Result<Option<Work>>> + 'f>>;

impl<'a> Bench<'a> {
    fn new(arguments: &'a Arguments) -> anyhow::Result<Self> {
        let workflows = tempfile::tempdir()?;
        workflows::write(workflows.path(), ONE_NODE, &[workflows::node("only", "core.noop", "{}")])?;
        workflows::write(
            workflows.path(),
            WAITING,
            &[workflows::node("gate", "core.approvalGate", r#"{"title":"wait"}"#)],
        )?;
        let ticks: Vec<String> = (0..TICKS)
            .map(|tick| workflows::node(&format!("t{tick}"), "core.delay", &format!(r#"{{"delayMs":{TICK_MS}}}"#)))
            .collect();
        workflows::write(workflows.path(), TICKING, &ticks)?;
        let progress = indicatif::ProgressBar::new_spinner();
        progress.enable_steady_tick(Duration::from_millis(200));
        Ok(Self { arguments, workflows, progress })
    }

    fn weft(&self, data: &Path) -> anyhow::Result<Server> {
        Server::weft(&self.arguments.weft, data, self.workflows.path())
    }

    fn length(&self) -> Duration {
        Duration::from_secs(self.arguments.seconds)
    }

    /// Interleaved pairs with a fresh process and fresh data for each side of each pair.
    async fn pairs(
        &self,
        name: &str,
        work: &Work,
        clients: usize,
        prepare: impl for<'f> Fn(&'f Server, bool) -> Prepared<'f>,
    ) -> anyhow::Result<Measure> {
        let mut pairs = Vec::new();
        for pair in 0..self.arguments.pairs {
            self.progress.set_message(format!("{name}: pair {} of {}", pair + 1, self.arguments.pairs));
            let data = tempfile::tempdir()?;
            let weft = self.weft(data.path())?;
            let prepared = prepare(&weft, true).await?;
            let ours = spell(&weft, prepared.as_ref().unwrap_or(work), clients, self.length()).await?;
            weft.stop()?;
            let ceiling = Server::ceiling()?;
            let prepared = prepare(&ceiling, false).await?;
            let theirs = spell(&ceiling, prepared.as_ref().unwrap_or(work), clients, self.length()).await?;
            ceiling.kill()?;
            pairs.push((ours, theirs));
        }
        Ok(Measure::paired(name, pairs))
    }

    /// Create and poll, beside the bare handler, the raw store loop and the disk's own flush.
    async fn runs(&self, name: &str, clients: usize) -> anyhow::Result<Measure> {
        let work = Work::Run { workflow: ONE_NODE };
        let mut measure = self.pairs(name, &work, clients, |_, _| Box::pin(async { Ok(None) })).await?;
        let rate = |spells: &[Spell]| median(spells.iter().map(|spell| spell.rate).collect());
        let folder = tempfile::tempdir()?;
        if clients == 1 {
            let flush = store::flush_p50_ms(folder.path())?;
            let p50 = median(measure.weft.iter().map(|spell| spell.p50_ms).collect());
            measure.figures.push(("disk flush p50 ms".to_owned(), flush));
            measure.figures.push(("p50 allowed: 3 flushes + 1 ms".to_owned(), 3.0 * flush + 1.0));
            measure.figures.push(("p50 reached ms".to_owned(), p50));
        } else {
            let raw = store::runs_per_second(folder.path(), self.length())?;
            let combined = 1.0 / (1.0 / rate(&measure.ceiling) + 1.0 / raw);
            measure.figures.push(("raw store runs/s".to_owned(), raw));
            measure.figures.push(("combined ceiling runs/s".to_owned(), combined));
            measure.figures.push(("share of combined ceiling".to_owned(), rate(&measure.weft) / combined));
        }
        Ok(measure)
    }

    async fn snapshots(&self) -> anyhow::Result<Measure> {
        let none = Work::Get { paths: Arc::new(Vec::new()) };
        self.pairs("read snapshot", &none, 16, |server, is_weft| {
            Box::pin(async move {
                let mut paths = Vec::new();
                let mut connection = Connection::open(&server.address).await?;
                let bytes = create_request(server, ONE_NODE);
                for at in 0..1_000 {
                    let id = if is_weft { create(&mut connection, &bytes).await? } else { format!("bench~2F{at:036}") };
                    paths.push(format!("/runs/{id}"));
                }
                Ok(Some(Work::Get { paths: Arc::new(paths) }))
            })
        })
        .await
    }

    /// A run that appends ten times a second, watched by two hundred subscribers; each figure is
    /// the median over as many such runs as there are pairs elsewhere.
    async fn stream(&self) -> anyhow::Result<Measure> {
        const SHARES: [(&str, f64); 3] = [("p50", 0.5), ("p99", 0.99), ("max", 1.0)];
        let mut passes = Vec::new();
        for pass in 0..self.arguments.pairs {
            let total = self.arguments.pairs;
            self.progress.set_message(format!("stream: {SUBSCRIBERS} subscribers, {} of {total}", pass + 1));
            passes.push(self.stream_once().await?);
        }
        let figures = SHARES.map(|(name, share)| {
            let values = passes.iter().map(|latencies| percentile_ms(latencies, share)).collect();
            (format!("append to receipt {name} ms"), median(values))
        });
        Ok(Measure::figures("stream", figures.to_vec()))
    }

    /// The sorted latencies of one watched run.
    async fn stream_once(&self) -> anyhow::Result<Vec<Duration>> {
        let data = tempfile::tempdir()?;
        let server = self.weft(data.path())?;
        let mut connection = Connection::open(&server.address).await?;
        let id = create(&mut connection, &create_request(&server, TICKING)).await?;
        let path = format!("/runs/{id}/events?streamMode=debug");
        let subscribers = (0..SUBSCRIBERS).map(|_| subscriber(&server, &path));
        let mut latencies = futures_util::future::try_join_all(subscribers).await?.concat();
        if latencies.len() < SUBSCRIBERS * (TICKS / 2) {
            bail!("only {} live frames for {SUBSCRIBERS} subscribers", latencies.len());
        }
        latencies.sort_unstable();
        server.stop()?;
        Ok(latencies)
    }

    async fn memory(&self) -> anyhow::Result<Measure> {
        self.progress.set_message(format!("memory: {WAITING_RUNS} waiting runs"));
        let data = tempfile::tempdir()?;
        let server = self.weft(data.path())?;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let idle = cpu::memory_mib(server.pid())?;
        // The allocator's arenas and the database's page cache fill once, whatever runs: a first
        // batch of finished runs takes that out of the comparison.
        create_many(&server, ONE_NODE, WAITING_RUNS / 2).await?;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let warm = cpu::memory_mib(server.pid())?;
        create_many(&server, WAITING, WAITING_RUNS).await?;
        tokio::time::sleep(Duration::from_secs(3)).await;
        let waiting = cpu::memory_mib(server.pid())?;
        server.stop()?;
        let figures = [
            ("idle MiB", idle),
            ("warm MiB", warm),
            ("waiting MiB", waiting),
            ("added by 10,000 waiting MiB", waiting - warm),
        ];
        Ok(Measure::figures("memory", figures.map(|(name, value)| (name.to_owned(), value)).to_vec()))
    }

    async fn start(&self) -> anyhow::Result<Measure> {
        self.progress.set_message(format!("start: {STORED_RUNS} runs on disk"));
        let data = tempfile::tempdir()?;
        let server = self.weft(data.path())?;
        let empty = server.started_in;
        create_many(&server, ONE_NODE, STORED_RUNS).await?;
        server.stop()?;
        let mut clean = Vec::new();
        let mut killed = Vec::new();
        for _ in 0..self.arguments.pairs {
            let server = self.weft(data.path())?;
            clean.push(server.started_in.as_secs_f64() * 1_000.0);
            create_many(&server, WAITING, 500).await?;
            server.kill()?;
            let server = self.weft(data.path())?;
            killed.push(server.started_in.as_secs_f64() * 1_000.0);
            server.stop()?;
        }
        let bytes = std::fs::metadata(data.path().join("weft.db"))?.len() as f64;
        let figures = vec![
            ("empty store ms".to_owned(), empty.as_secs_f64() * 1_000.0),
            ("100,000 runs, clean ms".to_owned(), median(clean)),
            ("100,000 runs, killed ms".to_owned(), median(killed)),
            ("disk bytes a run".to_owned(), bytes / STORED_RUNS as f64),
        ];
        Ok(Measure::figures("start", figures))
    }
}

/// Creates runs over 32 connections.
async fn create_many(server: &Server, workflow: &str, count: usize) -> anyhow::Result<()> {
    const CONNECTIONS: usize = 32;
    let bytes = create_request(server, workflow);
    let workers = (0..CONNECTIONS).map(async |_| {
        let mut connection = Connection::open(&server.address).await?;
        for _ in 0..count / CONNECTIONS {
            create(&mut connection, &bytes).await?;
        }
        anyhow::Ok(())
    });
    futures_util::future::try_join_all(workers).await?;
    Ok(())
}
