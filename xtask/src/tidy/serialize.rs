//! Types of the core are not `Serialize`: what goes on the wire is a struct of a door or of the
//! model, so that the core can change its shape without changing the wire.

use super::Finding;
use crate::source::{RustFile, names};
use crate::workspace::Workspace;

const CRATE: &str = "weft-core";

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    workspace.rust.iter().filter(|file| file.crate_name() == CRATE).flat_map(in_file).collect()
}

/// Any mention counts: a derive, an implementation or a bound all make a core type a wire type.
fn in_file(file: &RustFile) -> Vec<Finding> {
    let lines = file.code.lines().zip(&file.is_test).enumerate();
    let named = lines.filter(|(_, (line, is_test))| !**is_test && names(line, "Serialize"));
    named
        .map(|(index, _)| {
            let message =
                "names Serialize: a core type is not a wire type; write the wire struct in weft-model".to_owned();
            Finding::new(&file.path, index + 1, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::planted::files;
    use super::check;

    #[test]
    fn a_derive_over_several_lines_and_an_implementation_are_found() {
        let text = "#[derive(\n    Debug,\n    serde::Serialize,\n)]\nstruct A;\nimpl Serialize for B {}\n";
        let found = check(&files(&[("crates/weft-core/src/a.rs", text)]));
        assert_eq!(found.iter().filter_map(|finding| finding.line).collect::<Vec<_>>(), [3, 6]);
    }

    #[test]
    fn reading_is_allowed_and_so_are_other_crates() {
        let found = check(&files(&[
            ("crates/weft-core/src/a.rs", "#[derive(Deserialize)]\nstruct A;\n// Serialize\n"),
            ("crates/weft-model/src/a.rs", "#[derive(Serialize)]\nstruct A;\n"),
        ]));
        assert_eq!(found, []);
    }
}
