//! The workflows that a host serves, and `getWorkflow`.
//!
//! The registry maps (tenant, workflow id) to the last good definition. A reload replaces the whole
//! table at once, and only after every definition in it is in the store under its digest: what a
//! run pins outlives its file (DECISIONS 34).

mod served;
mod source;

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use futures_util::future::try_join_all;
use weft_auth::Caller;
use weft_core::{NodeCatalog, Workflow};
use weft_model::{Digest, OperationId, TenantId, WorkflowId};
use weft_store::{Store, StoreError};

use crate::authorize::authorize;
use crate::error::{OpError, OpResult};
use crate::host::Host;
use source::CompiledCache;

pub use served::{ServedWorkflow, UnservableWorkflow};

/// Definitions that are offered to the store at once.
const STORED_TOGETHER: usize = 64;

/// A definition as the loader hands it over: already compiled.
#[derive(Clone, Debug)]
pub struct LoadedWorkflow {
    /// The only tenant that may see it, when its file is in a tenant's folder.
    pub tenant: Option<TenantId>,
    /// The compiled definition.
    pub workflow: Arc<Workflow>,
}

/// The workflows that are served right now, and the way back from a digest to a workflow for runs
/// that pinned an earlier one.
pub struct WorkflowRegistry {
    store: Arc<dyn Store>,
    catalog: Arc<dyn NodeCatalog>,
    table: ArcSwap<Table>,
    compiled: CompiledCache,
}

#[derive(Default)]
struct Table {
    shared: HashMap<WorkflowId, Arc<ServedWorkflow>>,
    by_tenant: HashMap<TenantId, HashMap<WorkflowId, Arc<ServedWorkflow>>>,
    by_digest: HashMap<Digest, Arc<Workflow>>,
}

impl Table {
    fn room(&self, tenant: Option<&TenantId>) -> Option<&HashMap<WorkflowId, Arc<ServedWorkflow>>> {
        match tenant {
            Some(tenant) => self.by_tenant.get(tenant),
            None => Some(&self.shared),
        }
    }

    fn insert(&mut self, tenant: Option<TenantId>, served: Arc<ServedWorkflow>) {
        let workflow = Arc::clone(served.workflow());
        let room = match tenant {
            Some(tenant) => self.by_tenant.entry(tenant).or_default(),
            None => &mut self.shared,
        };
        room.insert(workflow.id().clone(), served);
        self.by_digest.insert(workflow.digest(), workflow);
    }
}

impl WorkflowRegistry {
    /// An empty registry over a store; `catalog` compiles what is read back from it.
    pub fn new(store: Arc<dyn Store>, catalog: Arc<dyn NodeCatalog>) -> WorkflowRegistry {
        WorkflowRegistry { store, catalog, table: ArcSwap::default(), compiled: CompiledCache::default() }
    }

    /// Replaces everything that is served. On an error the old table stays. A workflow that cannot
    /// be served is reported in the log and left out, and what was served in its place stays.
    pub async fn replace(&self, workflows: Vec<LoadedWorkflow>) -> Result<(), StoreError> {
        let current = self.table.load_full();
        let mut table = Table::default();
        for LoadedWorkflow { tenant, workflow } in workflows {
            match ServedWorkflow::new(workflow) {
                Ok(served) => table.insert(tenant, Arc::new(served)),
                Err(fault) => {
                    tracing::error!(%fault, "a workflow is not served");
                    let last_good = current.room(tenant.as_ref()).and_then(|room| room.get(&fault.workflow));
                    if let Some(last_good) = last_good {
                        table.insert(tenant, Arc::clone(last_good));
                    }
                }
            }
        }
        let unstored = |workflow: &&Arc<Workflow>| !current.by_digest.contains_key(&workflow.digest());
        let new: Vec<_> = table.by_digest.values().filter(unstored).collect();
        // Offered together, so that they share commits.
        for part in new.chunks(STORED_TOGETHER) {
            try_join_all(part.iter().map(|new| self.store.put_definition(new.digest(), new.raw().clone()))).await?;
        }
        self.table.store(Arc::new(table));
        Ok(())
    }

    /// The workflow that `tenant` means by `id`: its own first, else one that every tenant may
    /// use (DECISIONS 12).
    pub fn find(&self, tenant: &TenantId, id: &WorkflowId) -> Option<Arc<ServedWorkflow>> {
        let table = self.table.load();
        table.by_tenant.get(tenant).and_then(|own| own.get(id)).or_else(|| table.shared.get(id)).cloned()
    }

    /// The workflows that `tenant` may use, by id.
    pub fn list(&self, tenant: &TenantId) -> Vec<Arc<ServedWorkflow>> {
        let table = self.table.load();
        let own = table.by_tenant.get(tenant);
        let hidden = |id: &WorkflowId| own.is_some_and(|own| own.contains_key(id));
        let shared = table.shared.iter().filter(|(id, _)| !hidden(id)).map(|(_, loaded)| loaded);
        let mut all: Vec<_> = own.into_iter().flat_map(HashMap::values).chain(shared).cloned().collect();
        all.sort_by(|a, b| a.workflow().id().cmp(b.workflow().id()));
        all
    }
}

/// `getWorkflow`: the definition as it was loaded, `configurableSchema` included (R-WF-01).
/// Unknown and invisible are one answer (R-WF-02).
pub fn get(host: &Host, caller: &Caller, id: &WorkflowId) -> OpResult<Bytes> {
    authorize(caller, OperationId::GetWorkflow)?;
    let found = host.workflows.find(caller.tenant(), id).ok_or_else(unknown)?;
    Ok(found.raw().clone())
}

pub(crate) fn unknown() -> OpError {
    OpError::not_found("There is no such workflow.")
}
