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
use weft_auth::Caller;
use weft_core::{NodeCatalog, Workflow};
use weft_model::{Digest, OperationId, TenantId, WorkflowId};
use weft_store::{Store, StoreError};

use crate::authorize::authorize;
use crate::error::{OpError, OpResult};
use crate::host::Host;
use source::CompiledCache;

pub use served::{ServedWorkflow, UnservableWorkflow};

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

/// Why a table of workflows was not taken.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// One of them cannot be served.
    #[error(transparent)]
    Unservable(#[from] UnservableWorkflow),
    /// A definition could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Default)]
struct Table {
    shared: HashMap<WorkflowId, Arc<ServedWorkflow>>,
    by_tenant: HashMap<TenantId, HashMap<WorkflowId, Arc<ServedWorkflow>>>,
    by_digest: HashMap<Digest, Arc<Workflow>>,
}

impl WorkflowRegistry {
    /// An empty registry over a store; `catalog` compiles what is read back from it.
    pub fn new(store: Arc<dyn Store>, catalog: Arc<dyn NodeCatalog>) -> WorkflowRegistry {
        WorkflowRegistry { store, catalog, table: ArcSwap::default(), compiled: CompiledCache::default() }
    }

    /// Replaces everything that is served. On an error the old table stays.
    pub async fn replace(&self, workflows: Vec<LoadedWorkflow>) -> Result<(), ReplaceError> {
        let mut table = Table::default();
        for loaded in workflows {
            let LoadedWorkflow { tenant, workflow } = loaded;
            self.store.put_definition(workflow.digest(), workflow.raw().clone()).await?;
            table.by_digest.insert(workflow.digest(), Arc::clone(&workflow));
            let room = match tenant {
                Some(tenant) => table.by_tenant.entry(tenant).or_default(),
                None => &mut table.shared,
            };
            room.insert(workflow.id().clone(), Arc::new(ServedWorkflow::new(workflow)?));
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
