//! A note about work left over names the issue that owns it, or is not written.

use super::Finding;
use crate::workspace::Workspace;

/// The one spelling that may stand, with an issue behind it, and those that may not.
const OWNED: &str = "TODO";
const NEVER: &[&str] = &["FIXME", "XXX", "HACK"];

/// Endings of the other files whose comments are read with the rest of their text. Markdown is
/// prose, which may speak about such notes.
const WHOLE: &[&str] = &[".py", ".toml", ".sh", ".sql", ".yml", ".yaml", ".js", ".css", ".html"];

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    let rust = workspace.rust.iter().map(|file| (file.path.as_str(), file.comments.as_str()));
    let whole = workspace.texts.iter().filter(|file| WHOLE.iter().any(|ending| file.path.ends_with(ending)));
    let texts = rust.chain(whole.map(|file| (file.path.as_str(), file.text.as_str())));
    texts.flat_map(|(path, text)| in_text(path, text)).collect()
}

fn in_text(path: &str, text: &str) -> Vec<Finding> {
    let bad = text.lines().enumerate().filter(|(_, line)| is_unowned(line));
    bad.map(|(index, _)| {
        Finding::new(path, index + 1, format!("leaves work without an owner: write `{OWNED}(#issue)` or do it"))
    })
    .collect()
}

fn is_unowned(line: &str) -> bool {
    words(line, OWNED).any(|rest| !names_issue(rest)) || NEVER.iter().any(|word| words(line, word).next().is_some())
}

/// What follows each place where `word` stands as a whole word.
fn words<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).filter_map(move |(at, found)| {
        let rest = &line[at + found.len()..];
        let whole = !line[..at].ends_with(in_word) && !rest.starts_with(in_word);
        whole.then_some(rest)
    })
}

fn names_issue(rest: &str) -> bool {
    let number = rest.strip_prefix("(#").and_then(|rest| rest.split_once(')')).map(|(number, _)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::super::planted::files;
    use super::check;

    #[test]
    fn a_note_without_an_issue_is_found_in_comments_only() {
        let text = "// TODO: later\n// TODO(#12): owned\nlet a = \"TODO\"; // FIXME\n// TODOS and MYTODO are words\n// TODO(me)\n";
        let found = check(&files(&[("crates/a/src/a.rs", text), ("tests/a.py", "# XXX\n"), ("docs/a.md", "TODO\n")]));
        let at: Vec<_> = found.iter().map(|finding| (finding.place.as_str(), finding.line)).collect();
        let rust = "crates/a/src/a.rs";
        assert_eq!(at, [(rust, Some(1)), (rust, Some(3)), (rust, Some(5)), ("tests/a.py", Some(1))]);
    }
}
