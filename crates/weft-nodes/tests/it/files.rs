//! The sample workflows and the conformance fixtures of this repository.

use std::path::{Path, PathBuf};

use serde_json::Value;
use weft_core::Workflow;

use crate::support::catalog;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A definition by its path without the extension.
pub(crate) fn read(file: &str) -> Vec<u8> {
    std::fs::read(repository().join(file).with_extension("json")).expect("a readable file")
}

fn definitions(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(repository().join(folder)).expect("the folder");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
        .map(|path| (path.clone(), std::fs::read(path).expect("a readable file")))
        .collect();
    files.sort();
    files
}

fn all() -> Vec<(PathBuf, Vec<u8>)> {
    [definitions("workflows"), definitions("fixtures")].concat()
}

/// Witnesses R-EVT-115, R-EVT-116 from the other side: these are accepted.
#[test]
fn every_file_compiles_under_its_own_name() {
    let catalog = catalog(&[]);
    for (path, raw) in all() {
        let workflow =
            Workflow::compile(&raw, &catalog).unwrap_or_else(|faults| panic!("{}: {faults:?}", path.display()));
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        assert_eq!(workflow.id().as_str(), name);
    }
}

#[test]
fn the_fixtures_of_the_suite_are_there() {
    let names: Vec<String> =
        definitions("fixtures").iter().filter_map(|(path, _)| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    for fixture in ["approval", "cancellable", "delay", "failure", "idempotent", "identity", "multi-node", "noop"] {
        assert!(names.contains(&format!("conformance-{fixture}")), "{fixture}");
    }
    assert!(definitions("workflows").len() >= 3);
}

/// The published schema, where its folder is present beside the repository.
#[test]
fn every_file_fits_the_published_schema() {
    let folder = repository().join("../shared/spec/data/schemas");
    let Ok(schema) = std::fs::read(folder.join("workflow-definition.schema.json")) else { return };
    let schema: Value = serde_json::from_slice(&schema).expect("a schema");
    let validator = jsonschema::options().with_retriever(Folder(folder)).build(&schema).expect("a usable schema");
    for (path, raw) in all() {
        let definition: Value = serde_json::from_slice(&raw).expect("json");
        let faults: Vec<String> =
            validator.iter_errors(&definition).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{}: {faults:?}", path.display());
    }
}

/// Finds a referenced schema by its file name.
struct Folder(PathBuf);

impl jsonschema::Retrieve for Folder {
    fn retrieve(&self, uri: &jsonschema::Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let name = uri.path().as_str().rsplit('/').next().unwrap_or_default().to_owned();
        Ok(serde_json::from_slice(&std::fs::read(self.0.join(name))?)?)
    }
}
