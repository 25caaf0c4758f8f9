//! Prints which requirements are witnessed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::list::{List, Section};
use super::witnesses::Witness;

/// One line a section, sheet by sheet, with the sums.
pub(super) fn table(list: &List, witnesses: &[Witness]) -> String {
    let known = witnessed(witnesses);
    let mut sections: Vec<(&String, &Section)> = list.sections.iter().collect();
    sections.sort_by_key(|(name, section)| (section.sheet.as_str(), name.as_str()));
    let mut text = String::new();
    let (mut sheet, mut all) = ("", (0, 0));
    for (name, section) in sections {
        if sheet != section.sheet {
            sheet = &section.sheet;
            line(&mut text, &format!("\n{sheet}"), "witnessed", "not yet", "");
        }
        let total = section.rows.len();
        let seen = section.rows.keys().filter(|id| known.contains(id.as_str())).count();
        line(&mut text, &format!("  {name}"), &seen.to_string(), &(total - seen).to_string(), &section.title);
        all = (all.0 + seen, all.1 + total);
    }
    line(&mut text, "\nall", &all.0.to_string(), &(all.1 - all.0).to_string(), "");
    text
}

fn line(text: &mut String, name: &str, seen: &str, missing: &str, title: &str) {
    // The heading starts with an empty line, which is not part of its width.
    let width = if name.starts_with('\n') { 24 } else { 23 };
    let whole = format!("{name:<width$} {seen:>9}  {missing:>7}  {title}");
    writeln!(text, "{}", whole.trim_end()).expect("a String takes every write");
}

/// What no test witnesses yet in one section or in `all`; `None` when there is no such section.
pub(super) fn missing(list: &List, witnesses: &[Witness], section: &str) -> Option<String> {
    let known = witnessed(witnesses);
    let sections: Vec<&Section> = match section {
        "all" => list.sections.values().collect(),
        name => vec![list.sections.get(name)?],
    };
    let mut text = String::new();
    for (id, requirement) in sections.iter().flat_map(|section| &section.rows) {
        if !known.contains(id.as_str()) {
            writeln!(text, "{id} ({}): {}", requirement.is.word(), requirement.text)
                .expect("a String takes every write");
        }
    }
    Some(text)
}

fn witnessed(witnesses: &[Witness]) -> BTreeSet<&str> {
    witnesses.iter().map(|witness| witness.id.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::list::{self, List};
    use super::super::witnesses::Witness;
    use super::{missing, table};

    fn two_rows() -> List {
        let rows = r#"R-AB-01 = { is = "M", from = "X", text = "The first of two rules." }
                      R-AB-02 = { is = "S", from = "X", text = "The second of two rules." }"#;
        list::read(&format!("[AB]\nsheet = \"s\"\ntitle = \"Alphabet\"\n[AB.rows]\n{rows}\n")).expect("reads")
    }

    fn witness() -> Witness {
        Witness { id: "R-AB-01".to_owned(), place: "a.rs:1".to_owned() }
    }

    #[test]
    fn two_mentions_count_once() {
        let text = table(&two_rows(), &[witness(), witness()]);
        let row: Vec<&str> =
            text.lines().find(|line| line.contains("AB")).unwrap_or_default().split_whitespace().collect();
        assert_eq!(row, ["AB", "1", "1", "Alphabet"]);
    }

    #[test]
    fn what_is_missing_is_listed_with_its_rule() {
        let text = missing(&two_rows(), &[witness()], "AB").expect("the section exists");
        assert_eq!(text, "R-AB-02 (should): The second of two rules.\n");
        assert_eq!(missing(&two_rows(), &[], "NO"), None);
    }
}
