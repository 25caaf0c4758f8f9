//! Every package of the build carries a licence that this project may be combined with.

use super::Finding;
use crate::workspace::Workspace;

#[rustfmt::skip]
const ALLOWED: &[&str] = &[
    "MIT", "MIT-0", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "0BSD", "BSL-1.0", "Unlicense", "CC0-1.0",
    "Unicode-3.0", "CDLA-Permissive-2.0",
];

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let message = match package.license.as_deref() {
            None => "names no licence".to_owned(),
            Some(expression) if !is_allowed(expression) => {
                format!("has the licence {expression}, which is not on the list")
            }
            Some(_) => continue,
        };
        findings.push(Finding::new(&format!("{} {}", package.name, package.version), None, message));
    }
    findings
}

/// Whether an SPDX expression can be met from the list. An expression that cannot be read is not met.
fn is_allowed(expression: &str) -> bool {
    // Old manifests write a slash for OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words };
    reader.any() == Some(true) && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
}

impl<'a> Reader<'a> {
    fn any(&mut self) -> Option<bool> {
        let mut met = self.all()?;
        while self.take("OR") {
            met |= self.all()?;
        }
        Some(met)
    }

    fn all(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let met = self.any()?;
            return self.take(")").then_some(met);
        }
        let id = self.word()?;
        if self.take("WITH") {
            // An exception only adds permissions, so the licence alone decides.
            self.word()?;
        }
        Some(ALLOWED.contains(&id))
    }

    fn word(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.words.first() == Some(&word);
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }
}

#[cfg(test)]
mod tests {
    use super::super::planted::{foreign, packages};
    use super::{check, is_allowed};

    #[test]
    fn an_expression_is_met_by_one_side_of_or_and_by_both_of_and() {
        for met in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "Apache-2.0 AND ISC",
            "(MIT OR GPL-2.0-only) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0-only",
        ] {
            assert!(is_allowed(met), "{met}");
        }
        for not in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "MIT OR", "(MIT", "MIT Apache-2.0", "", "MPL-2.0"] {
            assert!(!is_allowed(not), "{not}");
        }
    }

    #[test]
    fn a_package_without_or_with_a_foreign_licence_is_found() {
        let found =
            check(&packages(vec![foreign("a", None), foreign("b", Some("AGPL-3.0-only")), foreign("c", Some("ISC"))]));
        assert_eq!(found.len(), 2);
    }
}
