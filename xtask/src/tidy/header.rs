//! Each library opens with its purpose, what it owns, what it must not do and where to start.

use super::Finding;
use crate::workspace::Workspace;

/// What the opening must say besides the purpose, in these words.
const SAYS: &[&str] = &["own", "must not", "start reading"];

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    let libraries = workspace.texts.iter().filter(|file| file.path.ends_with("/src/lib.rs"));
    libraries
        .filter_map(|file| {
            let said = opening(&file.text);
            let message = if said.is_empty() {
                "does not open with `//!`".to_owned()
            } else {
                let missing: Vec<&str> = SAYS.iter().copied().filter(|word| !said.contains(word)).collect();
                if missing.is_empty() {
                    return None;
                }
                format!(
                    "opens without the words {missing:?}: say what it owns, must not do, and where to start reading"
                )
            };
            Some(Finding::new(&file.path, 1, message))
        })
        .collect()
}

/// The leading doc comment in lower case, without its line breaks and bold marks.
fn opening(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").replace('*', "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::planted::files;
    use super::check;

    #[test]
    fn a_header_says_all_it_must() {
        let full = "//! Does a thing.\n//!\n//! **Owns** it. **Must\n//! not** do another. Start reading in `x`.\n";
        let found = check(&files(&[
            ("crates/a/src/lib.rs", full),
            ("crates/b/src/lib.rs", "//! Under construction.\n"),
            ("crates/c/src/lib.rs", "mod x;\n"),
            ("crates/c/src/other.rs", "mod x;\n"),
        ]));
        let places: Vec<&str> = found.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(places, ["crates/b/src/lib.rs", "crates/c/src/lib.rs"]);
    }
}
