//! Finding and reading the specification data.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

/// The data folder beside the workspace, or nothing and a line that says so.
fn folder() -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/data");
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: there is no specification data at {}", path.display());
    None
}

fn read(path: PathBuf) -> Value {
    let text = fs::read_to_string(&path).expect("a file of the data folder");
    serde_json::from_str(&text).expect("the data is JSON")
}

/// One data file.
pub(crate) fn data(name: &str) -> Option<Value> {
    folder().map(|folder| read(folder.join(name)))
}

/// A string member.
pub(crate) fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_else(|| panic!("{member} of {value} is a string"))
}

/// The schemas, corrected, behind one registry.
pub(crate) struct Schemas {
    registry: jsonschema::Registry<'static>,
    payload_keys: Value,
}

impl Schemas {
    /// Reads every schema and applies the corrections that concern events.
    pub(crate) fn load() -> Option<Self> {
        let folder = folder()?.join("schemas");
        let mut builder = jsonschema::Registry::new();
        let mut payload_keys = Value::Null;
        for entry in fs::read_dir(&folder).expect("the schema folder") {
            let path = entry.expect("a folder entry").path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let Some(name) = name.filter(|name| name.ends_with(".schema.json")) else { continue };
            let mut schema = read(path);
            correct(&name, &mut schema);
            if name == "run-event-payloads.schema.json" {
                payload_keys = schema["_typeIndex"]["properties"].clone();
            }
            let id = text(&schema, "$id").to_owned();
            builder = builder.add(id, schema).expect("a schema");
        }
        let registry = builder.prepare().expect("every reference resolves");
        Some(Self { registry, payload_keys })
    }

    /// The definition key that the payload schema's own index names for a type.
    pub(crate) fn payload_key(&self, event_type: &str) -> Option<String> {
        index_entry(&self.payload_keys[event_type])
    }

    /// A validator of one schema or definition.
    pub(crate) fn validator(&self, reference: &str) -> jsonschema::Validator {
        let schema = json!({"$ref": format!("https://openwop.dev/spec/v2/{reference}")});
        jsonschema::options()
            .should_validate_formats(true)
            .with_registry(&self.registry)
            .build(&schema)
            .expect("a schema")
    }
}

/// The index writes an entry as a constant, a reference or the key itself.
fn index_entry(entry: &Value) -> Option<String> {
    let text = entry.as_str().or_else(|| entry["const"].as_str()).or_else(|| entry["$ref"].as_str());
    text.map(|text| text.rsplit('/').next().unwrap_or(text).to_owned())
}

/// The corrections of known-corrections.json that change a verdict about events.
fn correct(name: &str, schema: &mut Value) {
    match name {
        "orchestrator-decision.schema.json" => {
            schema.as_object_mut().expect("a schema").remove("additionalProperties");
        }
        "run-event-payloads.schema.json" => {
            schema["$defs"]["negotiationDecided"]["properties"]["requested"] = json!({"type": "string"});
            schema["$defs"]["evalStarted"]["properties"]["fixtureRuns"] = json!({"type": "object"});
        }
        _ => {}
    }
}
