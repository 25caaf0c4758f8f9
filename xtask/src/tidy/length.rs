//! A file longer than a reader holds in mind is two files. Tables are looked up, not read.

use super::Finding;
use crate::workspace::Workspace;

/// Lines a file may have.
const LINES_MAX: usize = 600;

/// Endings of the files that somebody wrote.
const WRITTEN: &[&str] = &[".rs", ".py", ".sql", ".sh", ".toml", ".js", ".css", ".md"];

/// Files that are one table from top to bottom.
const TABLES: &[&str] = &["docs/requirements.toml"];

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    let written = |path: &str| WRITTEN.iter().any(|ending| path.ends_with(ending)) && !TABLES.contains(&path);
    let files = workspace.texts.iter().filter(|file| written(&file.path));
    files
        .filter_map(|file| {
            let lines = file.text.lines().count();
            let message = format!("has {lines} lines, at most {LINES_MAX}: split it by subject");
            (lines > LINES_MAX).then(|| Finding::new(&file.path, None, message))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::planted::files;
    use super::{LINES_MAX, check};

    #[test]
    fn one_line_too_many_is_found_unless_it_is_a_table() {
        let (fits, over) = ("x\n".repeat(LINES_MAX), "x\n".repeat(LINES_MAX + 1));
        let found = check(&files(&[
            ("crates/a/src/a.rs", &fits),
            ("crates/a/src/b.rs", &over),
            ("docs/requirements.toml", &over),
            ("Cargo.lock", &over),
        ]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "crates/a/src/b.rs");
    }
}
