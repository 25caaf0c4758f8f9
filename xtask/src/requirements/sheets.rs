//! Holds the list against the sheets it was made from, where they are present.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;

use super::list::{List, section_of};

/// The ids that the sheets in `folder` hold.
pub(super) fn ids(folder: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    let entries = std::fs::read_dir(folder).with_context(|| format!("failed to list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            ids.extend(mentioned(&std::fs::read_to_string(path)?));
        }
    }
    Ok(ids)
}

/// The sheets set an id in bold in one place and in a table cell in another, so every mention counts:
/// a sheet that refers to an id which no sheet defines is a fault worth a line too.
fn mentioned(sheet: &str) -> impl Iterator<Item = String> {
    let words = sheet.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| section_of(word).is_some()).map(str::to_owned)
}

/// One sentence for each id that only one side holds.
pub(super) fn differences(list: &List, sheets: &BTreeSet<String>) -> Vec<String> {
    let ours: BTreeSet<String> = list.ids().map(str::to_owned).collect();
    let missing = sheets.difference(&ours).map(|id| format!("{id}: a sheet has it, the list does not"));
    missing.chain(ours.difference(sheets).map(|id| format!("{id}: the list has it, no sheet does"))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::list;
    use super::{differences, mentioned};

    #[test]
    fn an_id_counts_wherever_it_stands_and_a_range_does_not() {
        let sheet = "- **R-AB-01** M · as R-AB-09 says\n| R-AB-02 | M |\nR-AB-03: x, R-AB-* and R-CD-nn\n";
        assert_eq!(mentioned(sheet).collect::<Vec<_>>(), ["R-AB-01", "R-AB-09", "R-AB-02", "R-AB-03"]);
    }

    #[test]
    fn an_id_on_one_side_only_is_told() {
        let row = r#"R-AB-01 = { is = "M", from = "X", text = "A rule that says enough." }"#;
        let list = list::read(&format!("[AB]\nsheet = \"s\"\ntitle = \"t\"\n[AB.rows]\n{row}\n")).expect("reads");
        let sheets = ["R-AB-02".to_owned()].into();
        let found = differences(&list, &sheets);
        assert_eq!(found, ["R-AB-02: a sheet has it, the list does not", "R-AB-01: the list has it, no sheet does"]);
    }
}
