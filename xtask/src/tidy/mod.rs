//! `cargo xtask tidy`: every house rule that a program can check.
//!
//! Each rule is one module with one `check`; [`CHECKS`] is the list. A check reports what it found
//! and never stops the others.

mod arrows;
mod bans;
mod header;
mod length;
mod licences;
mod machine_text;
mod naming;
mod serialize;
mod to_do;

use anyhow::ensure;

use crate::workspace::Workspace;

/// One place that breaks a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// A path, or the name of a package.
    pub place: String,
    /// The line, from 1, when the place is a file and a line is known.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl Finding {
    fn new(place: &str, line: impl Into<Option<usize>>, message: String) -> Self {
        Self { place: place.to_owned(), line: line.into(), message }
    }
}

type Check = fn(&Workspace) -> Vec<Finding>;

/// The rules and their names.
const CHECKS: &[(&str, Check)] = &[
    ("arrows", arrows::check),
    ("naming", naming::check),
    ("serialize", serialize::check),
    ("bans", bans::check),
    ("licences", licences::check),
    ("header", header::check),
    ("length", length::check),
    ("to-do", to_do::check),
    ("machine-text", machine_text::check),
];

/// Runs every check over the repository.
///
/// # Errors
/// When a rule is broken, after all findings were printed.
pub(crate) fn run() -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let mut count = 0_usize;
    for (name, check) in CHECKS {
        let mut findings = check(&workspace);
        findings.sort();
        findings.dedup();
        for finding in &findings {
            let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
            println!("{}{line}: {name}: {}", finding.place, finding.message);
        }
        count += findings.len();
    }
    ensure!(count == 0, "{count} findings");
    let (texts, packages) = (workspace.texts.len(), workspace.packages.len());
    println!("tidy: {} rules over {texts} files and {packages} packages, nothing found", CHECKS.len());
    Ok(())
}

/// What the checks' own tests plant their violations in.
#[cfg(test)]
mod planted {
    use crate::source::rust_files;
    use crate::workspace::{Dependency, Package, TextFile, Workspace};

    pub(super) fn files(files: &[(&str, &str)]) -> Workspace {
        let text = |(path, text): &(&str, &str)| TextFile { path: (*path).to_owned(), text: (*text).to_owned() };
        let texts: Vec<TextFile> = files.iter().map(text).collect();
        Workspace { rust: rust_files(&texts), texts, packages: Vec::new() }
    }

    /// A crate of this workspace with ordinary and test dependencies.
    pub(super) fn member(name: &str, dependencies: &[&str], tests: &[&str]) -> Package {
        let of_kind = |kind: Option<&'static str>| {
            move |name: &&str| Dependency { name: (*name).to_owned(), kind: kind.map(str::to_owned) }
        };
        let ordinary = dependencies.iter().map(of_kind(None));
        let all = ordinary.chain(tests.iter().map(of_kind(Some("dev")))).collect();
        Package { name: name.to_owned(), dependencies: all, ..Package::default() }
    }

    /// A package from the registry.
    pub(super) fn foreign(name: &str, license: Option<&str>) -> Package {
        Package {
            name: name.to_owned(),
            license: license.map(str::to_owned),
            source: Some("registry".to_owned()),
            ..Package::default()
        }
    }

    pub(super) fn packages(packages: Vec<Package>) -> Workspace {
        Workspace { packages, ..Workspace::default() }
    }
}
