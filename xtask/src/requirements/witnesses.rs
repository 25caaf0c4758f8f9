//! Finds the ids that tests name.

use super::list::{List, section_of};
use crate::source::RustFile;
use crate::workspace::Workspace;

/// One mention of an id in test code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Witness {
    /// The id.
    pub id: String,
    /// `path:line`.
    pub place: String,
}

/// Library code that only tests run: the suite that every store must pass, and the simulator.
const TEST_LIBRARIES: &[&str] = &["crates/weft-store/src/contract", "crates/weft-testkit/src/"];

/// All mentions in comments of Rust test code and anywhere in Python tests.
pub(super) fn find(workspace: &Workspace) -> Vec<Witness> {
    // The tasks' own tests speak about ids without witnessing them.
    let rust = workspace.rust.iter().filter(|file| file.crate_name() != "xtask");
    let mut witnesses: Vec<Witness> = rust.flat_map(in_rust).collect();
    let is_python = |path: &str| path.ends_with(".py") && path.split('/').any(|part| part == "tests");
    for file in workspace.texts.iter().filter(|file| is_python(&file.path)) {
        witnesses.extend(in_lines(&file.path, file.text.lines().enumerate()));
    }
    witnesses
}

fn in_rust(file: &RustFile) -> Vec<Witness> {
    let all = TEST_LIBRARIES.iter().any(|library| file.path.starts_with(library));
    let lines = file.comments.lines().enumerate();
    in_lines(&file.path, lines.filter(|(index, _)| all || file.is_test.get(*index).copied().unwrap_or(false)))
}

fn in_lines<'a>(path: &str, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Witness> {
    let in_line = |(index, line): (usize, &str)| {
        let place = format!("{path}:{}", index + 1);
        ids(line).map(move |id| Witness { id, place: place.clone() }).collect::<Vec<_>>()
    };
    lines.flat_map(in_line).collect()
}

/// The ids in a line. What looks like one but is none is left to [`unknown`] to report.
fn ids(line: &str) -> impl Iterator<Item = String> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.map(|word| word.trim_end_matches('-')).filter(|word| looks_like_an_id(word)).map(str::to_owned)
}

fn looks_like_an_id(word: &str) -> bool {
    let Some((section, number)) = word.strip_prefix("R-").and_then(|rest| rest.rsplit_once('-')) else { return false };
    section.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && number.starts_with(|c: char| c.is_ascii_digit())
}

/// One sentence for each mention of an id that the list does not hold.
pub(super) fn unknown(witnesses: &[Witness], list: &List) -> Vec<String> {
    let unknown = witnesses.iter().filter(|witness| list.find(&witness.id).is_none());
    unknown
        .map(|witness| match section_of(&witness.id) {
            Some(_) => format!("{}: {} is not a requirement", witness.place, witness.id),
            None => format!("{}: {} is not the form of an id (R-RUN-02)", witness.place, witness.id),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::list;
    use super::{find, unknown};
    use crate::source::rust_files;
    use crate::workspace::{TextFile, Workspace};

    fn workspace(files: &[(&str, &str)]) -> Workspace {
        let file = |(path, text): &(&str, &str)| TextFile { path: (*path).to_owned(), text: (*text).to_owned() };
        let texts: Vec<TextFile> = files.iter().map(file).collect();
        Workspace { rust: rust_files(&texts), texts, packages: Vec::new() }
    }

    #[test]
    fn only_test_code_witnesses() {
        let found = find(&workspace(&[
            (
                "crates/a/src/a.rs",
                "/// R-AB-01\nfn a() {}\n#[cfg(test)]\nmod tests {\n    /// Witnesses R-AB-02, R-AB-03.\n    fn b() {}\n}\n",
            ),
            ("crates/a/tests/it/b.rs", "// R-AB-04: why\nfn b() { \"R-AB-05\"; }\n"),
            ("tests/peers/c.py", "# R-AB-06\n"),
            ("docs/d.md", "R-AB-07\n"),
        ]));
        let ids: Vec<&str> = found.iter().map(|witness| witness.id.as_str()).collect();
        assert_eq!(ids, ["R-AB-02", "R-AB-03", "R-AB-04", "R-AB-06"]);
        assert_eq!(found[0].place, "crates/a/src/a.rs:5");
    }

    #[test]
    fn an_id_that_does_not_exist_is_reported_with_its_place() {
        let text = "[AB]\nsheet = \"s\"\ntitle = \"t\"\n[AB.rows]\nR-AB-01 = { is = \"M\", from = \"X\", text = \"A rule that says enough.\" }\n";
        let list = list::read(text).expect("reads");
        let found = find(&workspace(&[("crates/a/tests/it/b.rs", "// R-AB-01 R-AB-99 R-AB-1x\n")]));
        let faults = unknown(&found, &list);
        assert_eq!(faults.len(), 2);
        assert!(faults[0].starts_with("crates/a/tests/it/b.rs:1: R-AB-99"));
    }
}
