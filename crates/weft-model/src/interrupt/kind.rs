//! The nine kinds, each bound to its data and to the status of a run that waits for it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::data::{
    ClarificationData, ConversationCloseData, ConversationExchangeData, ConversationStartData, CredentialData,
    CustomData, ExternalEventData, LowConfidenceData, Question,
};
use super::gate::ApprovalData;
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
