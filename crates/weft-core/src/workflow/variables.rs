//! Declared variables: their types, their defaults, and a run's inputs (R-EVT-121).

use serde::Deserialize;
use serde_json::Value;
use weft_model::JsonObject;

use super::{Workflow, join};
use crate::run::Refusal;

/// The type of a declared variable.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum VariableType {
    /// A text.
    String,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// An object.
    Object,
    /// An array.
    Array,
}

/// One declared variable.
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) kind: VariableType,
    pub(super) required: bool,
    pub(super) default: Option<Value>,
}

impl VariableType {
    /// The word of the definition.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
        }
    }

    /// Whether a value is of this type.
    pub fn admits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
        }
    }
}

impl Workflow {
    /// The declared variables: name, type, and whether a run must be given a value.
    pub fn variables(&self) -> impl Iterator<Item = (&str, VariableType, bool)> {
        self.variables.iter().map(|v| (v.name.as_str(), v.kind, v.required && v.default.is_none()))
    }

    /// Holds a run's inputs against the declarations. An input that nothing declares is admitted:
    /// it is recorded and nothing reads it.
    pub fn check_inputs(&self, inputs: &JsonObject) -> Result<(), Refusal> {
        for variable in &self.variables {
            match inputs.get(&variable.name) {
                Some(value) if !variable.kind.admits(value) => {
                    return Err(wrong(variable, format!("is not of type {}", variable.kind.as_str())));
                }
                None if variable.required && variable.default.is_none() => {
                    return Err(wrong(variable, "is required and has no default".to_owned()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The variables a run begins with: defaults, then inputs.
    pub(crate) fn initial_variables(&self, inputs: &JsonObject) -> JsonObject {
        let mut variables = JsonObject::new();
        for variable in &self.variables {
            if let Some(value) = &variable.default {
                variables.insert(variable.name.clone(), value.clone());
            }
        }
        variables.extend(inputs.iter().map(|(name, value)| (name.clone(), value.clone())));
        variables
    }
}

fn wrong(variable: &Variable, reason: String) -> Refusal {
    Refusal::InvalidInput { pointer: join("", &variable.name), reason }
}
