//! The node types of a standard host.

use std::collections::HashMap;
use std::sync::Arc;

use weft_core::{EffectNode, NodeCatalog, NodeKind, NodeType, PureNode, Repeat};
use weft_egress::EgressClient;
use weft_model::TypeId;

use crate::approval_gate::ApprovalGate;
use crate::delay::Delay;
use crate::end::End;
use crate::fail::Fail;
use crate::http_fetch::{HttpFetch, is_repeatable};
use crate::identity::Identity;
use crate::noop::Noop;
use crate::start::Start;

/// Response limit of a host that configures none: 1 MiB. A response is recorded
/// in the run's log, so what is accepted here is also what every reader of that
/// log is sent.
pub const MAX_RESPONSE_BYTES_DEFAULT: usize = 1024 * 1024;

/// The host-wide choices behind the types.
#[derive(Debug, Clone)]
pub struct CatalogOptions {
    /// Largest response body that an HTTP node accepts: what the family
    /// `httpClient` advertises as `maxResponseBodyBytes`.
    pub max_response_bytes: usize,
}

/// The node types by id.
pub struct Catalog {
    types: HashMap<TypeId, NodeType>,
}

impl Catalog {
    /// Every type this build has. No workflow may redefine one of them
    /// (R-EVT-133): a definition only ever names a type.
    #[must_use]
    pub fn standard(client: EgressClient, options: CatalogOptions) -> Self {
        let mut catalog = Self { types: HashMap::new() };
        catalog.add_pure("core.start", Start);
        catalog.add_pure("core.end", End);
        catalog.add_pure("core.noop", Noop);
        catalog.add_pure("core.identity", Identity);
        catalog.add_pure("core.delay", Delay);
        catalog.add_pure("core.fail", Fail);
        catalog.add_pure("core.approvalGate", ApprovalGate);
        catalog.add_effect(
            "core.openwop.http.fetch",
            "httpClient",
            HttpFetch::new(client, options.max_response_bytes),
            Repeat::ByConfig(is_repeatable),
        );
        catalog
    }

    fn add_pure(&mut self, id: &str, node: impl PureNode + 'static) {
        self.add(id, NodeKind::Pure(Arc::new(node)), None);
    }

    fn add_effect(&mut self, id: &str, family: &'static str, node: impl EffectNode + 'static, repeat: Repeat) {
        self.add(id, NodeKind::Effect { node: Arc::new(node), repeat }, Some(family));
    }

    fn add(&mut self, id: &str, kind: NodeKind, family: Option<&'static str>) {
        let id = TypeId::parse(id).expect("the ids above follow the type id grammar");
        let earlier = self.types.insert(id.clone(), NodeType { id, kind, family });
        debug_assert!(earlier.is_none(), "one type was added twice");
    }
}

impl NodeCatalog for Catalog {
    fn node_type(&self, id: &TypeId) -> Option<&NodeType> {
        self.types.get(id)
    }
}
