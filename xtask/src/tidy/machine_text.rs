//! A committed text holds no path that exists on one machine only.

use super::Finding;
use crate::workspace::Workspace;

/// Starts of absolute paths. They are put together here so that this file does not hold them.
const PLACES: &[&str] = &[concat!("/wo", "rk/"), concat!("/tm", "p/"), concat!("/ro", "ot/")];

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &workspace.texts {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(place) = PLACES.iter().find(|place| names_absolutely(line, place)) {
                let message = format!("names a path of one machine ({place}): use a relative or a temporary one");
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
    findings
}

/// Whether `place` stands in the line as the start of a path, not as the middle of a longer one.
fn names_absolutely(line: &str, place: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '}' | ')' | '~' | '*');
    line.match_indices(place).any(|(at, _)| !line[..at].ends_with(goes_on))
}

#[cfg(test)]
mod tests {
    use super::super::planted::files;
    use super::{PLACES, check};

    #[test]
    fn an_absolute_path_is_found_and_a_relative_one_is_not() {
        let absolute = format!("see {}x and \"{}y\"\n", PLACES[0], PLACES[1]);
        let relative = format!("a/b{0}c ..{0}d\n", PLACES[0]);
        let found = check(&files(&[("README.md", &absolute), ("docs/a.md", &relative)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "README.md");
    }
}
