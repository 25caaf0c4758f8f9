//! The specification's schemas, when the data folder is beside the repository.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

/// Validators over the corrected schemas.
pub(crate) struct Schemas {
    registry: jsonschema::Registry<'static>,
    root: Value,
    payload_keys: Value,
}

impl Schemas {
    /// Reads the folder; says so and yields nothing when it is not there.
    pub(crate) fn load() -> Option<Schemas> {
        let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/data");
        if !data.is_dir() {
            println!("skipped: there is no specification data at {}", data.display());
            return None;
        }
        let corrections = read(data.join("schemas/known-corrections.json"));
        let mut builder = jsonschema::Registry::new();
        let mut payload_keys = Value::Null;
        for entry in fs::read_dir(data.join("schemas")).expect("the schema folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            if !name.ends_with(".schema.json") {
                continue;
            }
            let mut schema = read(path);
            correct(&corrections, &name, &mut schema);
            if name == "run-event-payloads.schema.json" {
                payload_keys = schema["_typeIndex"]["properties"].clone();
            }
            let id = schema["$id"].as_str().expect("an id").to_owned();
            builder = builder.add(id, schema).expect("a schema");
        }
        let registry = builder.prepare().expect("every reference resolves");
        let root = read(data.join("facets/effective/_root.schema.json"));
        Some(Schemas { registry, root, payload_keys })
    }

    /// Holds a document against one of the schemas.
    pub(crate) fn check(&self, name: &str, document: &Value) {
        let schema = json!({"$ref": format!("https://openwop.dev/spec/v2/{name}")});
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .with_registry(&self.registry)
            .build(&schema)
            .expect("a schema");
        assert_valid(&validator, document);
    }

    /// Holds an event and its payload against theirs.
    pub(crate) fn check_event(&self, event: &Value) {
        self.check("run-event.schema.json", event);
        let entry = &self.payload_keys[event["type"].as_str().expect("a type")];
        let key = entry.as_str().or_else(|| entry["const"].as_str()).or_else(|| entry["$ref"].as_str());
        if let Some(key) = key.map(|key| key.rsplit('/').next().unwrap_or(key)) {
            self.check(&format!("run-event-payloads.schema.json#/$defs/{key}"), &event["payload"]);
        }
    }

    /// Holds a discovery document against the closed root.
    pub(crate) fn check_root(&self, document: &Value) {
        assert_valid(&jsonschema::validator_for(&self.root).expect("a schema"), document);
    }
}

fn assert_valid(validator: &jsonschema::Validator, document: &Value) {
    let faults: Vec<String> =
        validator.iter_errors(document).map(|fault| format!("{} at {}", fault, fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{document:#}");
}

/// Applies the corrections that change a verdict: what is dropped, and what newer text adds.
fn correct(corrections: &Value, name: &str, schema: &mut Value) {
    for change in corrections["changes"].as_array().expect("a list").iter().filter(|change| change["file"] == name) {
        let pointer = change["pointer"].as_str().expect("a pointer");
        match change["kind"].as_str() {
            Some("defect") => {
                let (parent, member) = pointer.rsplit_once('/').expect("a pointer");
                let parent = schema.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
                parent.remove(member);
            }
            Some("newer") => {
                let added = change["change"].as_str().and_then(|change| change.strip_prefix("add "));
                let member = added.and_then(|added| added.split(':').next());
                let properties = schema.pointer_mut(pointer).and_then(Value::as_object_mut);
                if let (Some(member), Some(properties)) = (member, properties) {
                    properties.insert(member.to_owned(), json!(true));
                }
            }
            _ => {}
        }
    }
}

fn read(path: PathBuf) -> Value {
    let text = fs::read_to_string(&path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}
