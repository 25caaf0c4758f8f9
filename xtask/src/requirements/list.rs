//! Reads `docs/requirements.toml`.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

/// The requirements of one sheet that share a prefix.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    /// The sheet, without its `.md`.
    pub sheet: String,
    /// What the section is about.
    pub title: String,
    /// The rows by id.
    pub rows: BTreeMap<String, Requirement>,
}

/// One row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Requirement {
    /// How strong it is.
    pub is: Strength,
    /// The source in the keys of the sheet.
    pub from: String,
    /// The rule in our own words.
    pub text: String,
}

/// The strength that a sheet gives a requirement.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum Strength {
    /// The source says must.
    M,
    /// The source says should.
    S,
    /// The source says may.
    O,
    /// No source says it; the sheet infers it.
    I,
}

impl Strength {
    /// The strength as a word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::M => "must",
            Self::S => "should",
            Self::O => "may",
            Self::I => "inferred",
        }
    }
}

/// The whole list: sections by their name, which is the middle of an id.
#[derive(Debug)]
pub(super) struct List {
    /// The sections.
    pub sections: BTreeMap<String, Section>,
}

impl List {
    /// The requirement with this id.
    pub(super) fn find(&self, id: &str) -> Option<&Requirement> {
        self.sections.get(section_of(id)?)?.rows.get(id)
    }

    /// All ids, in order.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.sections.values().flat_map(|section| section.rows.keys().map(String::as_str))
    }
}

/// Reads and checks the list. A duplicate id is refused by the TOML reader, which names its line.
pub(super) fn read(text: &str) -> anyhow::Result<List> {
    let sections: BTreeMap<String, Section> = toml::from_str(text)?;
    for (name, section) in &sections {
        for (id, requirement) in &section.rows {
            check(name, id, requirement).with_context(|| id.clone())?;
        }
    }
    Ok(List { sections })
}

fn check(section: &str, id: &str, requirement: &Requirement) -> anyhow::Result<()> {
    ensure!(section_of(id) == Some(section), "stands in section {section}");
    ensure!(!requirement.from.trim().is_empty(), "names no source");
    let text = requirement.text.trim();
    ensure!(text.len() >= 15, "says too little to be understood");
    ensure!(!text.contains('\n') && text == requirement.text, "is not one clean line");
    Ok(())
}

/// `RUN` of `R-RUN-02`; `None` when it is no id.
pub(super) fn section_of(id: &str) -> Option<&str> {
    let (section, number) = id.strip_prefix("R-")?.rsplit_once('-')?;
    let is_section =
        !section.is_empty() && section.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (is_section && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(section)
}

#[cfg(test)]
mod tests {
    use super::{read, section_of};

    fn list(row: &str) -> String {
        format!("[AB]\nsheet = \"s\"\ntitle = \"t\"\n[AB.rows]\n{row}\n")
    }

    const GOOD: &str = r#"R-AB-01 = { is = "M", from = "X 1", text = "A rule that says enough." }"#;

    #[test]
    fn a_good_row_is_read() {
        let list = read(&list(GOOD)).expect("reads");
        assert_eq!(list.ids().collect::<Vec<_>>(), ["R-AB-01"]);
        assert_eq!(list.find("R-AB-01").map(|found| found.from.as_str()), Some("X 1"));
        assert!(list.find("R-AB-02").is_none());
    }

    #[test]
    fn a_row_that_is_wrong_in_any_way_is_refused() {
        for bad in [
            format!("{GOOD}\n{GOOD}"),
            GOOD.replace("R-AB", "R-CD"),
            GOOD.replace("R-AB-01", "AB-01"),
            GOOD.replace("\"M\"", "\"must\""),
            GOOD.replace("X 1", " "),
            GOOD.replace("A rule that says enough.", "Short."),
            GOOD.replace("from", "form"),
        ] {
            assert!(read(&list(&bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_id_has_three_parts() {
        assert_eq!(section_of("R-A2A-07"), Some("A2A"));
        for not in ["R-RUN", "R--1", "R-RUN-", "R-RUN-1a", "R-run-1", "RUN-1"] {
            assert_eq!(section_of(not), None, "{not}");
        }
    }
}
