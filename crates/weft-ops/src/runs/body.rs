//! The body of `createRun`, read strictly: every member is known, checked and used, or refused.

use serde_json::Value;
use weft_model::run::{TAG_CHARS_MAX, TAGS_MAX};
use weft_model::{ErrorCode, JsonObject, TenantId, WorkflowId};

use super::configurable::{self, RunBounds};
use crate::error::{OpError, OpResult};
use crate::limits::METADATA_MAX_BYTES;

/// The checked body.
#[derive(Debug)]
pub(crate) struct CreateBody {
    pub(crate) workflow_id: WorkflowId,
    pub(crate) inputs: JsonObject,
    pub(crate) configurable: Option<JsonObject>,
    pub(crate) bounds: RunBounds,
    pub(crate) tags: Vec<String>,
    pub(crate) metadata: Option<JsonObject>,
}

/// Checks a body on behalf of a caller of `tenant`.
pub(crate) fn check(body: Value, tenant: &TenantId) -> OpResult<CreateBody> {
    let Value::Object(mut members) = body else {
        return Err(OpError::invalid("The body must be a JSON object."));
    };
    refuse_unoffered(&members, tenant)?;
    let workflow_id = members
        .remove("workflowId")
        .ok_or_else(|| OpError::invalid_field("workflowId", "The body must name a workflow (workflowId)."))?;
    let workflow_id = workflow_id_of(&workflow_id)?;
    let inputs = object_member(&mut members, "inputs")?.unwrap_or_default();
    let configurable = object_member(&mut members, "configurable")?;
    let bounds = configurable.as_ref().map(configurable::check).transpose()?.unwrap_or_default();
    let tags = members.remove("tags").map(tags_of).transpose()?.unwrap_or_default();
    let metadata = object_member(&mut members, "metadata")?;
    if let Some(metadata) = &metadata {
        check_metadata(metadata)?;
    }
    Ok(CreateBody { workflow_id, inputs, configurable, bounds, tags, metadata })
}

/// Refuses unknown members (R-RUN-02), and the known ones whose family this host does not offer:
/// taking them in silence would promise what does not happen.
fn refuse_unoffered(members: &JsonObject, tenant: &TenantId) -> OpResult<()> {
    if let Some(unknown) = members.keys().find(|name| !is_member(name)) {
        return Err(OpError::unknown_member(unknown, "The body has a member that createRun does not know."));
    }
    if let Some(asserted) = members.get("tenantId") {
        check_tenant(asserted, tenant)?;
    }
    if members.get("scopeId").is_some_and(|scope| !scope.is_string()) {
        return Err(OpError::invalid_field("scopeId", "scopeId must be a text."));
    }
    check_mode(members)?;
    // The values are secrets: the refusal names the member and nothing in it (R-RUN-17).
    if members.contains_key("runSecrets") {
        return Err(OpError::invalid_field("runSecrets", "This host takes no run secrets."));
    }
    if members.contains_key("callbackUrl") {
        return Err(OpError::invalid_field("callbackUrl", "This host delivers no callbacks."));
    }
    if let Some(residency) = members.get("residency") {
        return Err(residency_refusal(residency));
    }
    Ok(())
}

fn is_member(name: &str) -> bool {
    matches!(
        name,
        "workflowId"
            | "inputs"
            | "residency"
            | "tenantId"
            | "scopeId"
            | "callbackUrl"
            | "mode"
            | "evalSuiteRef"
            | "agentId"
            | "runSecrets"
            | "evalModes"
            | "baselineRunId"
            | "fixtureRuns"
            | "configurable"
            | "tags"
            | "metadata"
    )
}

/// The tenant comes from the credential; naming another one is refused, never obeyed (R-AUTH-10).
fn check_tenant(asserted: &Value, tenant: &TenantId) -> OpResult<()> {
    match asserted.as_str() {
        Some(asserted) if asserted == tenant.as_str() => Ok(()),
        Some(asserted) if TenantId::parse(asserted).is_ok() => {
            Err(OpError::new(ErrorCode::IdTenantMismatch, "tenantId is not the tenant of the credential."))
        }
        _ => Err(OpError::invalid_field("tenantId", "tenantId is not a tenant id.")),
    }
}

/// `mode: eval` needs a family that is not offered (R-RUN-04, R-RUN-05), and without the mode its
/// members have no meaning (R-RUN-21).
fn check_mode(members: &JsonObject) -> OpResult<()> {
    let non_empty = |name: &str| members.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    match members.get("mode") {
        None => {
            let stray = ["evalSuiteRef", "agentId", "evalModes", "baselineRunId", "fixtureRuns"];
            match stray.into_iter().find(|name| members.contains_key(*name)) {
                Some(name) => Err(OpError::invalid_field(name, format!("{name} needs mode eval."))),
                None => Ok(()),
            }
        }
        Some(Value::String(mode)) if mode == "eval" => {
            match ["evalSuiteRef", "agentId"].into_iter().find(|name| !non_empty(name)) {
                Some(name) => Err(OpError::invalid_field(name, format!("mode eval needs {name}."))),
                None => Err(OpError::new(ErrorCode::CapabilityNotProvided, "This host runs no evaluations.")
                    .with_detail("requiredCapability", "agents.evalSuite")),
            }
        }
        Some(_) => Err(OpError::invalid_field("mode", "mode can only be eval.")),
    }
}

/// A host without the family may refuse, and never claims to honour (R-RUN-12).
fn residency_refusal(residency: &Value) -> OpError {
    let closed = residency
        .as_object()
        .is_some_and(|members| members.len() == 1 && members.get("region").is_some_and(Value::is_string));
    if closed {
        OpError::new(ErrorCode::ResidencyUnavailable, "This host offers no data residency.")
    } else {
        OpError::invalid_field("residency", "residency must be an object with one member, region.")
    }
}

fn workflow_id_of(value: &Value) -> OpResult<WorkflowId> {
    value
        .as_str()
        .and_then(|text| WorkflowId::parse(text).ok())
        .ok_or_else(|| OpError::invalid_field("workflowId", "workflowId is not a workflow id."))
}

fn object_member(members: &mut JsonObject, name: &'static str) -> OpResult<Option<JsonObject>> {
    match members.remove(name) {
        None => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(OpError::invalid_field(name, format!("{name} must be an object."))),
    }
}

/// Any text is a tag; only number and length are limited (R-OPT-13).
fn tags_of(value: Value) -> OpResult<Vec<String>> {
    let Value::Array(items) = value else {
        return Err(OpError::invalid_field("tags", "tags must be a list of texts."));
    };
    if items.len() > TAGS_MAX {
        return Err(OpError::invalid_field("tags", format!("A run has at most {TAGS_MAX} tags.")));
    }
    items
        .into_iter()
        .map(|item| match item {
            Value::String(tag) if tag.chars().count() <= TAG_CHARS_MAX => Ok(tag),
            Value::String(_) => {
                Err(OpError::invalid_field("tags", format!("A tag has at most {TAG_CHARS_MAX} characters.")))
            }
            _ => Err(OpError::invalid_field("tags", "tags must be a list of texts.")),
        })
        .collect()
}

fn check_metadata(metadata: &JsonObject) -> OpResult<()> {
    let mut counted = Counter(0);
    serde_json::to_writer(&mut counted, metadata).map_err(OpError::internal)?;
    if counted.0 > METADATA_MAX_BYTES {
        return Err(OpError::invalid_field(
            "metadata",
            format!("metadata has at most {METADATA_MAX_BYTES} bytes as JSON."),
        ));
    }
    Ok(())
}

/// Counts what would be written.
struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
