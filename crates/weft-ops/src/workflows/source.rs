//! From the digest that a run pinned back to its workflow.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use weft_core::Workflow;
use weft_engine::{WorkflowFault, WorkflowSource};
use weft_model::Digest;
use weft_store::BoxFuture;

use super::WorkflowRegistry;

/// Workflows kept compiled although no file names them any more: those of runs that started
/// before a reload. A compiled workflow weighs a few KiB, so this many weigh about a MiB.
const COMPILED_MAX: usize = 128;

/// Compiled workflows read back from the store. When it is full it starts again: what is still
/// in use comes back with one read.
#[derive(Default)]
pub(super) struct CompiledCache(Mutex<HashMap<Digest, Arc<Workflow>>>);

impl CompiledCache {
    fn get(&self, digest: &Digest) -> Option<Arc<Workflow>> {
        self.0.lock().get(digest).cloned()
    }

    fn insert(&self, digest: Digest, workflow: Arc<Workflow>) {
        let mut compiled = self.0.lock();
        if compiled.len() >= COMPILED_MAX {
            compiled.clear();
        }
        compiled.insert(digest, workflow);
    }
}

impl WorkflowSource for WorkflowRegistry {
    fn fetch(&self, digest: Digest) -> BoxFuture<'_, Result<Arc<Workflow>, WorkflowFault>> {
        Box::pin(async move {
            if let Some(served) = self.table.load().by_digest.get(&digest) {
                return Ok(Arc::clone(served));
            }
            if let Some(compiled) = self.compiled.get(&digest) {
                return Ok(compiled);
            }
            let raw = self.store.get_definition(&digest).await?.ok_or(WorkflowFault::Missing(digest))?;
            let workflow = Workflow::compile(&raw, self.catalog.as_ref()).map_err(|faults| {
                let reason = faults.first().map(ToString::to_string).unwrap_or_default();
                WorkflowFault::Refused { digest, reason }
            })?;
            let workflow = Arc::new(workflow);
            self.compiled.insert(digest, Arc::clone(&workflow));
            Ok(workflow)
        })
    }
}
