//! The data of the nine interrupt kinds, each a closed object bound to its kind (R-EVT-46).

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use crate::event::payload::present;
use crate::ids::WorkflowId;
use crate::json::JsonObject;
use crate::run::RunStatus;

macro_rules! kinds {
    ($($variant:ident($data:ty) = $text:literal waits $status:ident;)+) => {
        /// What a run waits for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum InterruptKind {
            $(#[doc = concat!("`", $text, "`")] #[serde(rename = $text)] $variant,)+
        }

        impl InterruptKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The wire text.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The status of a run that waits for it (R-EVT-92).
            pub const fn waiting_status(self) -> RunStatus {
                match self { $(Self::$variant => RunStatus::$status,)+ }
            }
        }

        /// The data of an interrupt, by kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum InterruptData {
            $(#[doc = concat!("Of kind `", $text, "`.")] $variant($data),)+
        }

        impl InterruptData {
            /// The kind this is the data of.
            pub fn kind(&self) -> InterruptKind {
                match self { $(Self::$variant(_) => InterruptKind::$variant,)+ }
            }

            /// Reads the data of `kind`; a member that the kind lacks is refused.
            pub fn read(kind: InterruptKind, data: Value) -> serde_json::Result<Self> {
                Ok(match kind {
                    $(InterruptKind::$variant => Self::$variant(serde_json::from_value(data)?),)+
                })
            }
        }

        impl Serialize for InterruptData {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { $(Self::$variant(data) => data.serialize(serializer),)+ }
            }
        }
    };
}

kinds! {
    Approval(ApprovalData) = "approval" waits WaitingApproval;
    Clarification(ClarificationData) = "clarification" waits WaitingInput;
    ExternalEvent(ExternalEventData) = "external-event" waits WaitingExternal;
    Custom(CustomData) = "custom" waits WaitingInput;
    ConversationStart(ConversationStartData) = "conversation.start" waits WaitingInput;
    ConversationExchange(ConversationExchangeData) = "conversation.exchange" waits WaitingInput;
    ConversationClose(ConversationCloseData) = "conversation.close" waits WaitingInput;
    LowConfidence(LowConfidenceData) = "low-confidence" waits WaitingApproval;
    Credential(CredentialData) = "credential" waits WaitingInput;
}

impl fmt::Display for InterruptKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What an approver may answer (R-APR-01).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalAction {
    /// Accept it as it is.
    Accept,
    /// Reject it.
    Reject,
    /// Send it back with remarks.
    Refine,
    /// Accept it after an edit.
    EditAccept,
    /// Ask something; the wait goes on (R-APR-02).
    Ask,
}

/// A hint of the workflow's author; the outcome of a timeout is always a rejection (R-APR-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    /// Reject.
    Reject,
    /// Treated as reject.
    Approve,
    /// May notify, and rejects.
    Escalate,
}

/// How rejections add up (R-APR-06).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RejectionPolicy {
    /// One is enough.
    SingleVeto,
    /// More than half of the approvals needed.
    Majority,
}

/// Whom to tell; it makes nobody eligible (R-APR-16).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audience {
    /// Subjects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subjects: Option<Vec<String>>,
    /// Groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
}

/// Data of an approval gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalData {
    /// What is up for approval.
    pub artifact_id: String,
    /// Its type.
    pub artifact_type: String,
    /// A line for people.
    pub title: String,
    /// The author's hint about a timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
    /// More for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The artifact itself; `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub artifact_data: Option<Value>,
    /// What may be answered: at least one, none twice.
    pub actions: Vec<ApprovalAction>,
    /// How many distinct accepts open the gate; absent is 1 (R-APR-05).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_approvals: Option<u32>,
    /// Who may answer; absent or empty is everybody with the scope (R-APR-13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers_list: Option<Vec<String>>,
    /// How rejections add up; absent is single-veto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection_policy: Option<RejectionPolicy>,
    /// Whether an override opens the gate alone; absent is no (R-APR-07).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub override_bypasses_quorum: Option<bool>,
    /// Groups whose members may answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approver_group_refs: Option<Vec<String>>,
    /// Roles whose holders may answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approver_role_refs: Option<Vec<String>>,
    /// Whom to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<Audience>,
}

impl ApprovalData {
    /// How many distinct accepts open the gate.
    pub fn required_approvals(&self) -> u32 {
        self.required_approvals.unwrap_or(1)
    }

    /// How rejections add up.
    pub fn rejection_policy(&self) -> RejectionPolicy {
        self.rejection_policy.unwrap_or(RejectionPolicy::SingleVeto)
    }
}

/// One question of a clarification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Names the question in the answer.
    pub id: String,
    /// The question.
    pub question: String,
    /// The schema of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<JsonObject>,
}

/// Data of a clarification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClarificationData {
    /// At least one.
    pub questions: Vec<Question>,
    /// What the questions are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_type: Option<String>,
}

/// Data of a wait for another system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExternalEventData {
    /// What is awaited.
    pub event_type: String,
    /// What the other system needs to find the wait.
    pub correlation: JsonObject,
}

/// Data of a kind the protocol does not know (R-INT-14).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CustomData {
    /// The author's own kind.
    pub custom_kind: String,
    /// Anything; `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub payload: Option<Value>,
}

/// Data of a conversation's start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConversationStartData {
    /// Unique in the tenant, 1 to 256 characters (R-INT-18).
    pub conversation_id: String,
    /// A line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The first turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_prompt: Option<String>,
}

/// Data of one turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConversationExchangeData {
    /// The conversation.
    pub conversation_id: String,
    /// What is asked.
    pub prompt: String,
    /// The schema of the answer (R-INT-07).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_schema: Option<JsonObject>,
    /// The turn, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_index: Option<u64>,
}

/// Data of a conversation's end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConversationCloseData {
    /// The conversation.
    pub conversation_id: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Data of a decision an agent was not sure of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LowConfidenceData {
    /// The agent; its grammar is that of every id an author chooses.
    pub agent_id: WorkflowId,
    /// What it should have reached, 0 to 1.
    pub threshold: f64,
    /// What it reached, 0 to 1.
    pub observed: f64,
    /// What it would have decided; `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub decision: Option<Value>,
}

/// Why a credential is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CredentialReason {
    /// There is none.
    Missing,
    /// It cannot be refreshed.
    Expired,
    /// It permits too little.
    InsufficientScope,
}

/// Data of a wait for a connection; never credential material (R-INT-16).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CredentialData {
    /// The provider to connect.
    pub provider: SmolStr,
    /// What is needed of it, none twice.
    pub scopes: Vec<String>,
    /// Why.
    pub reason: CredentialReason,
    /// Where the initiating subject connects; `https`, on the host's own origin (R-CRED-04).
    pub connect_url: String,
    /// The reference to be authorised again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_ref: Option<JsonObject>,
}

impl InterruptData {
    /// Checks lengths, ranges and uniqueness, which the members' types cannot express.
    pub fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Approval(data) => check_approval(data),
            Self::Clarification(data) => check_questions(&data.questions),
            Self::ExternalEvent(_) => Ok(()),
            Self::Custom(data) => holds(!data.custom_kind.is_empty(), "customKind is empty"),
            Self::ConversationStart(data) => check_conversation(&data.conversation_id),
            Self::ConversationExchange(data) => {
                check_conversation(&data.conversation_id)?;
                holds(!data.prompt.is_empty(), "prompt is empty")
            }
            Self::ConversationClose(data) => check_conversation(&data.conversation_id),
            Self::LowConfidence(data) => {
                let unit = 0.0..=1.0;
                let inside = unit.contains(&data.threshold) && unit.contains(&data.observed);
                holds(inside, "threshold and observed must lie between 0 and 1")
            }
            Self::Credential(data) => check_credential(data),
        }
    }
}

fn holds(condition: bool, reason: &'static str) -> Result<(), &'static str> {
    if condition { Ok(()) } else { Err(reason) }
}

fn unique<T: PartialEq>(items: &[T]) -> bool {
    items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))
}

fn check_approval(data: &ApprovalData) -> Result<(), &'static str> {
    let named = [&data.artifact_id, &data.artifact_type, &data.title];
    holds(named.iter().all(|text| !text.is_empty()), "artifactId, artifactType or title is empty")?;
    holds(!data.actions.is_empty(), "actions is empty")?;
    holds(unique(&data.actions), "actions names one action twice")?;
    holds(data.required_approvals() >= 1, "requiredApprovals is 0")
}

fn check_questions(questions: &[Question]) -> Result<(), &'static str> {
    holds(!questions.is_empty(), "questions is empty")?;
    let named = questions.iter().all(|q| !q.id.is_empty() && !q.question.is_empty());
    holds(named, "a question's id or text is empty")
}

fn check_conversation(id: &str) -> Result<(), &'static str> {
    holds((1..=256).contains(&id.chars().count()), "conversationId must have 1 to 256 characters")
}

fn check_credential(data: &CredentialData) -> Result<(), &'static str> {
    holds(!data.provider.is_empty(), "provider is empty")?;
    let named = data.scopes.iter().all(|scope| !scope.is_empty());
    holds(named && unique(&data.scopes), "scopes has an empty or repeated scope")?;
    holds(data.connect_url.starts_with("https://"), "connectUrl is not https")
}
