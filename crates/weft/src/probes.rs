//! What `/readyz` and `/metrics` show: the counters of every part, read when they are asked for.

use std::fmt;
use std::sync::{Arc, OnceLock};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use weft_engine::Engine;
use weft_ops::Host;
use weft_rest::{Probes, Readiness, RestStats};
use weft_store::{Store, StoreHealth, StoreState};

/// The probes of one host.
pub(crate) struct HostProbes {
    registry: Registry,
    parts: Parts,
    relaxations: Vec<String>,
}

#[derive(Clone)]
struct Parts {
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    host: Arc<Host>,
    // Filled once the door exists; a scrape before that shows no requests, which is true.
    door: Arc<OnceLock<Arc<RestStats>>>,
}

impl HostProbes {
    /// Probes over the parts of a host; `relaxations` are what its operator opened on purpose.
    pub(crate) fn new(engine: Arc<Engine>, store: Arc<dyn Store>, host: Arc<Host>, relaxations: Vec<String>) -> Self {
        let parts = Parts { engine, store, host, door: Arc::default() };
        let mut registry = Registry::with_prefix("weft");
        registry.register_collector(Box::new(parts.clone()));
        Self { registry, parts, relaxations }
    }

    /// Lets the door's own counters be shown.
    pub(crate) fn show_door(&self, stats: Arc<RestStats>) {
        // A second door would be a fault of the wiring; the first one's counters stay.
        let _ = self.parts.door.set(stats);
    }
}

impl Probes for HostProbes {
    fn readiness(&self) -> Readiness {
        let health = self.parts.host.store_health();
        let recovered = self.parts.engine.is_recovered();
        let mut details =
            vec![("store", store_state(&health)), ("recovery", if recovered { "done" } else { "running" }.to_owned())];
        details.extend(self.relaxations.iter().map(|relaxation| ("relaxation", relaxation.clone())));
        Readiness { ready: recovered && health.is_ready(), details }
    }

    fn metrics(&self) -> String {
        let mut page = String::new();
        text::encode(&mut page, &self.registry).expect("writing to memory cannot fail");
        page
    }
}

fn store_state(health: &StoreHealth) -> String {
    let state = match &health.state {
        StoreState::Ready => "ready".to_owned(),
        StoreState::Full => "the disk is full: free space, and writes go on by themselves".to_owned(),
        StoreState::Stopped { reason } => format!("stopped: {reason}; check the disk, then restart"),
    };
    match &health.damage {
        None => state,
        Some(damage) => format!("{state}; damage found: {damage}"),
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parts")
    }
}

impl Collector for Parts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let engine = self.engine.stats();
        let store = self.store.counters();
        for (name, help, value) in [
            ("runs_created", "Runs created", engine.created),
            ("runs_recovered", "Runs taken up by recovery", engine.recovered),
            ("runs_recovery_failed", "Runs that recovery had to leave, counted at each scan", engine.recovery_failed),
            ("runs_broken", "Runs stopped at a broken rule", engine.broken),
            ("timers_fired", "Timers fired", engine.timers_fired),
            ("engine_commits", "Commits acknowledged to the engine", engine.commits),
            ("engine_conflicts", "Orders decided anew because the log had moved", engine.conflicts),
            ("events_encoded", "Events written as bytes", weft_model::event::encodings()),
            ("store_commits", "Commits the store made durable", store.commits),
            ("store_groups", "Transactions that held them", store.groups),
            ("store_row_writes", "Rows written", store.row_writes),
        ] {
            counter(&mut encoder, name, help, value)?;
        }
        for (name, help, value) in [
            ("actors", "Runs that have an actor", engine.actors),
            ("folded_states", "Folded run states in memory", engine.states),
            ("effects", "Effects in flight", engine.effects),
            ("watched_runs", "Runs with a live reader", engine.watched_runs),
            ("recent_event_bytes", "Bytes of recent events held", engine.recent_event_bytes),
            ("recent_snapshot_bytes", "Bytes of rendered snapshots held", engine.recent_snapshot_bytes),
        ] {
            gauge(&mut encoder, name, help, value as u64)?;
        }
        if let Some(door) = self.door.get() {
            gauge(&mut encoder, "streams_open", "Event streams open", door.streams_open())?;
            answers(&mut encoder, door)?;
        }
        Ok(())
    }
}

fn counter(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> fmt::Result {
    let metric = ConstCounter::new(value);
    metric.encode(encoder.encode_descriptor(name, help, None, MetricType::Counter)?)
}

fn gauge(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> fmt::Result {
    let metric = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
    metric.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)
}

fn answers(encoder: &mut DescriptorEncoder<'_>, door: &RestStats) -> fmt::Result {
    let help = "Answers by operation and status class";
    let mut family = encoder.encode_descriptor("rest_answers", help, None, MetricType::Counter)?;
    for count in door.requests() {
        let labels = [("operation", count.operation), ("class", count.class)];
        ConstCounter::new(count.answers).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}
