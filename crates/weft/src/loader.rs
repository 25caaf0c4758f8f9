//! Workflow definitions on their way from files to the registry (DECISIONS 34).
//!
//! An invalid file is named with its reason and left out; the last good version of its workflow
//! stays served. Files are looked at again every [`RESCAN`], so an edit needs no restart.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use tokio_util::sync::CancellationToken;
use weft_core::{NodeCatalog, Workflow};
use weft_model::{TenantId, WorkflowId};
use weft_ops::workflows::{LoadedWorkflow, WorkflowRegistry};

/// How often the folders are looked at again.
const RESCAN: Duration = Duration::from_secs(2);
/// Definitions a host serves at most.
const FILES_MAX: usize = 10_000;
/// A definition larger than this is refused unread.
const FILE_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The samples a newcomer runs, carried inside the binary.
const SAMPLES: [(&str, &str); 3] = [
    ("samples/hello", include_str!("../../../workflows/hello.json")),
    ("samples/reminder", include_str!("../../../workflows/reminder.json")),
    ("samples/expense-approval", include_str!("../../../workflows/expense-approval.json")),
];

/// The conformance fixtures, loaded only on request (DECISIONS 39).
const FIXTURES: [(&str, &str); 8] = [
    ("fixtures/noop", include_str!("../../../fixtures/conformance-noop.json")),
    ("fixtures/identity", include_str!("../../../fixtures/conformance-identity.json")),
    ("fixtures/delay", include_str!("../../../fixtures/conformance-delay.json")),
    ("fixtures/failure", include_str!("../../../fixtures/conformance-failure.json")),
    ("fixtures/approval", include_str!("../../../fixtures/conformance-approval.json")),
    ("fixtures/multi-node", include_str!("../../../fixtures/conformance-multi-node.json")),
    ("fixtures/idempotent", include_str!("../../../fixtures/conformance-idempotent.json")),
    ("fixtures/cancellable", include_str!("../../../fixtures/conformance-cancellable.json")),
];

/// What a file looked like when it was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    modified: Option<SystemTime>,
    bytes: u64,
    /// Not so for a pipe, a device, or a link to nothing: reading those may never end.
    regular: bool,
}

/// A definition file and whom it serves.
#[derive(Clone, Debug)]
struct Source {
    tenant: Option<TenantId>,
    look: Look,
}

/// Keeps the registry in step with the folders.
pub(crate) struct Loader {
    folders: Arc<[PathBuf]>,
    catalog: Arc<dyn NodeCatalog>,
    registry: Arc<WorkflowRegistry>,
    bundled: Vec<LoadedWorkflow>,
    seen: BTreeMap<PathBuf, Source>,
    good: BTreeMap<PathBuf, LoadedWorkflow>,
    /// Whether the registry serves what was seen last.
    published: bool,
}

impl Loader {
    /// A loader of `folders` and of the bundled definitions that were asked for.
    ///
    /// # Errors
    /// A bundled definition does not compile, which is a fault of this build.
    pub(crate) fn new(
        folders: Vec<PathBuf>,
        bundled: Bundled,
        catalog: Arc<dyn NodeCatalog>,
        registry: Arc<WorkflowRegistry>,
    ) -> anyhow::Result<Self> {
        let samples = if bundled.samples { &SAMPLES[..] } else { &[] };
        let fixtures = if bundled.fixtures { &FIXTURES[..] } else { &[] };
        let mut definitions = Vec::new();
        for (name, text) in samples.iter().chain(fixtures) {
            definitions.push(compile(text.as_bytes(), None, catalog.as_ref()).with_context(|| *name)?);
        }
        let folders = folders.into();
        let (seen, good) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { folders, catalog, registry, bundled: definitions, seen, good, published: false })
    }

    /// The ids of the bundled conformance fixtures, for discovery.
    pub(crate) fn fixture_ids(&self) -> Vec<WorkflowId> {
        let ids = self.bundled.iter().map(|loaded| loaded.workflow.id());
        ids.filter(|id| id.as_str().starts_with("conformance-")).cloned().collect()
    }

    /// Reads what is new or changed and publishes the result.
    ///
    /// # Errors
    /// A named folder cannot be read, or the store refused the definitions.
    pub(crate) async fn load(&mut self) -> anyhow::Result<()> {
        let folders = Arc::clone(&self.folders);
        let scanned = tokio::task::spawn_blocking(move || scan(&folders)).await;
        let found = scanned.context("the workflow folders could not be looked through")??;
        let changed = found.len() != self.seen.len()
            || found.iter().any(|(path, source)| self.seen.get(path).is_none_or(|seen| seen.look != source.look));
        if !changed && self.published {
            return Ok(());
        }
        self.published = false;
        self.good.retain(|path, _| found.contains_key(path));
        for (path, source) in &found {
            if self.seen.get(path).is_some_and(|seen| seen.look == source.look) {
                continue;
            }
            match read(path, source, self.catalog.as_ref()) {
                Ok(loaded) => drop(self.good.insert(path.clone(), loaded)),
                Err(reason) => {
                    let kept = if self.good.contains_key(path) { "; its last good version stays" } else { "" };
                    tracing::error!(file = %path.display(), "refused: {reason:#}{kept}");
                }
            }
        }
        self.seen = found;
        self.name_twins();
        let all: Vec<_> = self.bundled.iter().chain(self.good.values()).cloned().collect();
        tracing::info!(workflows = all.len(), "workflows loaded");
        self.registry.replace(all).await.context("cannot store the workflow definitions")?;
        self.published = true;
        Ok(())
    }

    /// Names files that define the same workflow for the same tenant: all but the last are not
    /// served, and their author should not have to guess that.
    fn name_twins(&self) {
        let mut files: BTreeMap<(Option<&TenantId>, &WorkflowId), &Path> = BTreeMap::new();
        for (path, loaded) in &self.good {
            let id = loaded.workflow.id();
            if let Some(first) = files.insert((loaded.tenant.as_ref(), id), path) {
                tracing::warn!(workflow = %id, file = %first.display(), served = %path.display(), "defined twice");
            }
        }
    }

    /// Looks again until `stop`.
    pub(crate) async fn watch(mut self, stop: CancellationToken) {
        if self.folders.is_empty() {
            return;
        }
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = tokio::time::sleep(RESCAN) => {}
            }
            if let Err(error) = self.load().await {
                tracing::warn!("the workflow folders could not be read again: {error:#}");
            }
        }
    }
}

/// Which bundled definitions a host serves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bundled {
    /// The samples.
    pub(crate) samples: bool,
    /// The conformance fixtures.
    pub(crate) fixtures: bool,
}

fn scan(folders: &[PathBuf]) -> anyhow::Result<BTreeMap<PathBuf, Source>> {
    let mut found = BTreeMap::new();
    for folder in folders {
        for entry in entries(folder)? {
            if entry.is_dir() {
                let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let tenant: TenantId =
                    name.parse().with_context(|| format!("{} is not named like a tenant", entry.display()))?;
                for file in entries(&entry)? {
                    keep(&mut found, file, Some(&tenant));
                }
            } else {
                keep(&mut found, entry, None);
            }
        }
    }
    if found.len() > FILES_MAX {
        bail!("{} definition files; a host serves at most {FILES_MAX}", found.len());
    }
    Ok(found)
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if folder.is_file() {
        bail!("{} is a file; --workflows takes the folder that holds it", folder.display());
    }
    let listing =
        std::fs::read_dir(folder).with_context(|| format!("cannot read the workflow folder {}", folder.display()))?;
    let mut paths = listing.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn keep(found: &mut BTreeMap<PathBuf, Source>, path: PathBuf, tenant: Option<&TenantId>) {
    if path.extension().is_none_or(|extension| extension != "json") {
        return;
    }
    let look = match std::fs::metadata(&path) {
        Ok(metadata) => Look { modified: metadata.modified().ok(), bytes: metadata.len(), regular: metadata.is_file() },
        // A link that leads nowhere is told like any other bad file.
        Err(_) if path.is_symlink() => Look { modified: None, bytes: 0, regular: false },
        // A file that vanishes between listing and look is simply not there.
        Err(_) => return,
    };
    found.insert(path, Source { tenant: tenant.cloned(), look });
}

fn read(path: &Path, source: &Source, catalog: &dyn NodeCatalog) -> anyhow::Result<LoadedWorkflow> {
    if !source.look.regular {
        bail!("it is not a regular file");
    }
    if source.look.bytes > FILE_MAX_BYTES {
        bail!("{} bytes; a definition has at most {FILE_MAX_BYTES}", source.look.bytes);
    }
    // Counted while it is read, too: the file may have grown since it was looked at.
    let mut raw = Vec::new();
    std::fs::File::open(path)?.take(FILE_MAX_BYTES + 1).read_to_end(&mut raw)?;
    if raw.len() as u64 > FILE_MAX_BYTES {
        bail!("a definition has at most {FILE_MAX_BYTES} bytes");
    }
    compile(&raw, source.tenant.clone(), catalog)
}

fn compile(raw: &[u8], tenant: Option<TenantId>, catalog: &dyn NodeCatalog) -> anyhow::Result<LoadedWorkflow> {
    match Workflow::compile(raw, catalog) {
        Ok(workflow) => Ok(LoadedWorkflow { tenant, workflow: Arc::new(workflow) }),
        Err(faults) => {
            let reasons: Vec<String> = faults.iter().map(ToString::to_string).collect();
            bail!("{}", reasons.join("; "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoNodes;

    impl NodeCatalog for NoNodes {
        fn node_type(&self, _: &weft_model::TypeId) -> Option<&weft_core::NodeType> {
            None
        }
    }

    /// Reading from a pipe without a writer, or from a device without an end, would hold the start
    /// of the host for ever; each is named and left out.
    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        let pipe = std::process::Command::new("mkfifo").arg(at("pipe.json")).status().expect("mkfifo runs");
        assert!(pipe.success());
        std::os::unix::fs::symlink("/dev/zero", at("endless.json")).expect("linked");
        std::os::unix::fs::symlink("loop.json", at("loop.json")).expect("linked");
        std::fs::write(at("good.json"), SAMPLES[0].1).expect("written");
        std::fs::write(at("notes.txt"), "no definition").expect("written");
        let found = scan(&[folder.path().to_owned()]).expect("readable");
        let regular: Vec<_> = found.iter().filter(|(_, source)| source.look.regular).map(|(path, _)| path).collect();
        assert_eq!(found.len(), 4);
        assert_eq!(regular, [&at("good.json")]);
        for (path, source) in found.iter().filter(|(_, source)| !source.look.regular) {
            read(path, source, &NoNodes).map(drop).expect_err("refused");
        }
    }
}
