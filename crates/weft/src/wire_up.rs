//! The one place that builds a host out of its parts, and takes it down again in order.

use std::sync::Arc;

use anyhow::{Context, anyhow};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use weft_auth::{ApiKeyText, Authenticator, KeyRing};
use weft_egress::{EgressClient, EgressOptions, EgressPolicy, SystemResolver, TrustRoots};
use weft_engine::{Clock, Engine, EnginePorts, Entropy};
use weft_nodes::{Catalog, CatalogOptions, MAX_RESPONSE_BYTES_DEFAULT};
use weft_ops::discovery::{DiscoverySettings, HttpClientFacets};
use weft_ops::workflows::WorkflowRegistry;
use weft_ops::{Host, HostParts};
use weft_rest::{CorsPolicy, Drained, Listener, RestOptions};
use weft_store::Store;
use weft_store::sqlite::{SqliteOptions, SqliteStore};

use crate::config::HostConfig;
use crate::data_dir::{self, DataDir, FolderLock};
use crate::descriptors::Shares;
use crate::loader::{Bundled, Loader};
use crate::probes::HostProbes;
use crate::system::{SystemClock, SystemEntropy};
use crate::{admin, tls};

/// A host that listens.
pub(crate) struct Running {
    /// Where clients reach it.
    pub(crate) url: String,
    /// Its data folder.
    pub(crate) folder: DataDir,
    /// The key that was made because there was none.
    pub(crate) first_key: Option<ApiKeyText>,
    engine: Arc<Engine>,
    store: Arc<SqliteStore>,
    stop: CancellationToken,
    door: JoinHandle<Drained>,
    helpers: Vec<JoinHandle<()>>,
    maintenance: JoinHandle<()>,
    // Given up last: as long as it is held no other process opens the database.
    _lock: FolderLock,
}

/// Opens the embedded database of a data folder.
///
/// # Errors
/// The database cannot be opened, or was written by a newer build.
pub(crate) fn open_store(folder: &DataDir) -> anyhow::Result<Arc<SqliteStore>> {
    let path = folder.database();
    // Made here, because the database would give a new file the process's usual mode; the files
    // it puts beside it take over this one's.
    data_dir::make_private(&path).with_context(|| format!("cannot make the database {}", path.display()))?;
    let store = SqliteStore::open(SqliteOptions::at(&path))
        .with_context(|| format!("cannot open the database {}", path.display()))?;
    Ok(Arc::new(store))
}

/// Builds a host and starts to serve. An empty key table gets its first key, for `first_tenant`
/// (DECISIONS 33).
///
/// # Errors
/// The data folder is taken, a setting is wrong, or the address cannot be bound.
pub(crate) async fn start(config: &HostConfig, first_tenant: &str) -> anyhow::Result<Running> {
    let folder = DataDir::create(&config.data)
        .with_context(|| format!("cannot use the data folder {}", config.data.display()))?;
    let lock = FolderLock::acquire(&folder)?;
    // Bound before the store is opened: a taken port is the likeliest mistake and costs nothing yet.
    let listener = weft_rest::bind(config.listen).with_context(|| {
        format!("cannot listen on {} (choose another with --listen; port 0 picks a free one)", config.listen)
    })?;
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let url = config.public_url.clone().unwrap_or(format!("{scheme}://{}", listener.local_addr()?));
    let listener = match &config.tls {
        Some(files) => Listener::with_tls(listener, tls::acceptor(files)?),
        None => Listener::from(listener),
    };

    let store = open_store(&folder)?;
    let stop = CancellationToken::new();
    let shares = Shares::of_process();
    let parts = Parts::build(config, Arc::clone(&store), shares).await?;
    let first_key = make_first_key(&parts.keys, first_tenant).await?;
    let owner =
        admin::serve(&folder, Arc::clone(&parts.keys), stop.clone()).await.context("cannot open the owner's socket")?;
    let probes = Arc::new(HostProbes::new(
        Arc::clone(&parts.engine),
        store.clone(),
        Arc::clone(&parts.host),
        relaxations(config),
    ));
    let mut options = RestOptions::new(probes.clone(), stop.clone());
    options.cors = CorsPolicy::of_origins(&config.cors_origins).context("cors_origins")?;
    let router = weft_rest::router(Arc::clone(&parts.host), options);
    probes.show_door(Arc::clone(router.stats()));
    let door = tokio::spawn(weft_rest::serve(listener, router, shares.serve(), stop.clone()));
    let helpers = vec![owner, tokio::spawn(parts.loader.watch(stop.clone()))];
    let maintenance = tokio::spawn(weft_ops::maintain(parts.host));
    Ok(Running { url, folder, first_key, engine: parts.engine, store, stop, door, helpers, maintenance, _lock: lock })
}

impl Running {
    /// Stops accepting, lets what runs finish or hands it to the next start, flushes.
    ///
    /// # Errors
    /// The store could not be closed in order.
    pub(crate) async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        let drained = self.door.await.context("the listener ended badly")?;
        if drained.cut > 0 {
            tracing::warn!(connections = drained.cut, "connections outstayed the drain and were cut");
        }
        for helper in self.helpers {
            helper.await.context("a background task ended badly")?;
        }
        self.maintenance.abort();
        self.engine.drain().await;
        self.store.close().await.map_err(|error| anyhow!(error).context("the database could not be closed in order"))
    }
}

/// The parts between the store and the door.
struct Parts {
    engine: Arc<Engine>,
    host: Arc<Host>,
    keys: Arc<KeyRing>,
    loader: Loader,
}

impl Parts {
    async fn build(config: &HostConfig, store: Arc<SqliteStore>, shares: Shares) -> anyhow::Result<Self> {
        let store: Arc<dyn Store> = store;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy);
        let catalog = Arc::new(Catalog::standard(
            egress(config)?,
            CatalogOptions { max_response_bytes: MAX_RESPONSE_BYTES_DEFAULT },
        ));
        let workflows = Arc::new(WorkflowRegistry::new(Arc::clone(&store), catalog.clone()));
        let bundled = Bundled { samples: config.samples, fixtures: config.fixtures };
        let mut loader = Loader::new(config.workflows.clone(), bundled, catalog.clone(), Arc::clone(&workflows))?;
        loader.load().await?;
        let engine = Engine::start(
            EnginePorts {
                store: Arc::clone(&store),
                clock: Arc::clone(&clock),
                entropy: Arc::clone(&entropy),
                workflows: workflows.clone(),
            },
            shares.engine(),
        );
        let keys = Arc::new(KeyRing::new(Arc::clone(&store)));
        let host = Host::new(HostParts {
            engine: Arc::clone(&engine),
            store,
            authenticator: Authenticator::new(Arc::clone(&keys), None),
            workflows,
            clock,
            entropy,
            discovery: discovery(config, &loader),
            limits: weft_ops::limits::OpsLimits::standard(),
        });
        Ok(Self { engine, host, keys, loader })
    }
}

/// The guarded way out, opened as far as the operator said (DECISIONS 32).
fn egress(config: &HostConfig) -> anyhow::Result<EgressClient> {
    let mut allowed = Vec::with_capacity(config.allow_egress.len());
    for text in &config.allow_egress {
        let range =
            text.parse().with_context(|| format!("`{text}` is not an address range; write it like 127.0.0.0/8"))?;
        allowed.push(range);
    }
    let mut trust = TrustRoots::bundled();
    if let Some(path) = &config.egress_ca {
        let pem = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        trust = trust.with_pem(&pem).with_context(|| format!("in {}", path.display()))?;
    }
    for relaxation in relaxations(config) {
        tracing::warn!("relaxed on purpose: {relaxation}");
    }
    let policy = EgressPolicy::with_allowed(allowed);
    Ok(EgressClient::new(EgressOptions { policy, resolver: Arc::new(SystemResolver::new()), trust }))
}

/// What the operator opened on purpose; said at start and in `/readyz`.
fn relaxations(config: &HostConfig) -> Vec<String> {
    config.allow_egress.iter().map(|range| format!("outbound calls may reach {range}, also over plain http")).collect()
}

fn discovery(config: &HostConfig, loader: &Loader) -> DiscoverySettings {
    DiscoverySettings {
        implementation_version: env!("CARGO_PKG_VERSION").to_owned(),
        anonymous_lane: false,
        http_client: Some(HttpClientFacets {
            max_response_body_bytes: MAX_RESPONSE_BYTES_DEFAULT as u64,
            request_timeout_ms: weft_nodes::REQUEST_TIMEOUT_MS_MAX,
            methods: weft_nodes::METHODS.iter().map(|method| (*method).to_owned()).collect(),
        }),
        fixtures: if config.fixtures { loader.fixture_ids() } else { Vec::new() },
    }
}

async fn make_first_key(keys: &KeyRing, tenant: &str) -> anyhow::Result<Option<ApiKeyText>> {
    if !keys.list(None).await?.is_empty() {
        return Ok(None);
    }
    let new = weft_auth::NewKey {
        tenant: tenant.parse()?,
        subject: "first-key".parse()?,
        scopes: weft_auth::caller_facing_scopes(),
        expires_at: None,
        origin: None,
    };
    let issued = keys.create(new, SystemClock.now(), &mut || SystemEntropy.random_128()).await?;
    Ok(Some(issued.text))
}
