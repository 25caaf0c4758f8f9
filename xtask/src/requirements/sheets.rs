//! Holds the list against the sheets it was made from, where they are present.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;

use super::list::{List, section_of};

/// The ids that the sheets in `folder` define.
pub(super) fn ids(folder: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    let entries = std::fs::read_dir(folder).with_context(|| format!("failed to list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            ids.extend(defined(&std::fs::read_to_string(path)?));
        }
    }
    Ok(ids)
}

/// A sheet defines an id where it sets it in bold; elsewhere it only refers to it.
fn defined(sheet: &str) -> impl Iterator<Item = String> {
    let bold = sheet.lines().flat_map(|line| line.split("**").skip(1).step_by(2));
    bold.filter(|text| section_of(text).is_some()).map(str::to_owned)
}

/// One sentence for each id that only one side holds.
pub(super) fn differences(list: &List, sheets: &BTreeSet<String>) -> Vec<String> {
    let ours: BTreeSet<String> = list.ids().map(str::to_owned).collect();
    let missing = sheets.difference(&ours).map(|id| format!("{id}: a sheet has it, the list does not"));
    missing.chain(ours.difference(sheets).map(|id| format!("{id}: the list has it, no sheet does"))).collect()
}

#[cfg(test)]
mod tests {
    use super::defined;

    #[test]
    fn bold_ids_are_defined_and_others_are_mentioned() {
        let sheet = "- **R-AB-01** M · as R-AB-09 says\n| **R-AB-02** | M |\n**Note** R-AB-03\n";
        assert_eq!(defined(sheet).collect::<Vec<_>>(), ["R-AB-01", "R-AB-02"]);
    }
}
