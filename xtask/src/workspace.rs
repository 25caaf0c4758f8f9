//! What the checks look at: the committed texts and what cargo says about the packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::source::{self, RustFile};

/// Folders that hold no committed text.
const NOT_OURS: &[&str] = &[".git", "target", "node_modules", "__pycache__", ".venv", "weft-data"];

/// One text file of the repository.
#[derive(Debug)]
pub(crate) struct TextFile {
    /// Path below the root, with `/` between the parts.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// One package as `cargo metadata` prints it, cut down to what the checks ask.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Package {
    /// The name in the manifest.
    pub name: String,
    /// The version cargo chose.
    #[serde(default)]
    pub version: String,
    /// The SPDX expression, when the manifest has one.
    pub license: Option<String>,
    /// Where it came from; absent for the crates of this workspace.
    pub source: Option<String>,
    /// The declared dependencies, of all kinds.
    #[serde(default)]
    pub dependencies: Vec<Dependency>,
}

/// One declared dependency.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Dependency {
    /// The package it names.
    pub name: String,
    /// `None` for an ordinary dependency, else `dev` or `build`.
    pub kind: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// Everything a check may look at.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Every committed text file.
    pub texts: Vec<TextFile>,
    /// The Rust files among them, taken apart.
    pub rust: Vec<RustFile>,
    /// Every package of the build on this platform, ours and others'.
    pub packages: Vec<Package>,
}

impl Workspace {
    /// Reads the texts only, for a task that does not need cargo.
    ///
    /// # Errors
    /// When a folder or file cannot be read.
    pub(crate) fn texts() -> anyhow::Result<Self> {
        let mut texts = Vec::new();
        collect(&root(), &root(), &mut texts)?;
        texts.sort_by(|a, b| a.path.cmp(&b.path));
        let rust = source::rust_files(&texts);
        Ok(Self { texts, rust, packages: Vec::new() })
    }

    /// Reads the texts and asks cargo for the packages.
    ///
    /// # Errors
    /// When a file cannot be read or cargo cannot resolve the workspace.
    pub(crate) fn load() -> anyhow::Result<Self> {
        Ok(Self { packages: packages()?, ..Self::texts()? })
    }

    /// The packages of this repository.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.source.is_none())
    }
}

/// The repository's root, known from where this crate stands in it.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask stands below the root").to_path_buf()
}

fn collect(root: &Path, folder: &Path, into: &mut Vec<TextFile>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("failed to list {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let name = entry.file_name();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !NOT_OURS.iter().any(|not| name == *not) {
                collect(root, &path, into)?;
            }
        } else if kind.is_file() {
            // A file that is not UTF-8 (a kept database, an image) is no text and has no rules.
            let Ok(text) = String::from_utf8(std::fs::read(&path)?) else { continue };
            let below = path.strip_prefix(root).expect("found below the root");
            into.push(TextFile { path: below.to_string_lossy().replace('\\', "/"), text });
        }
    }
    Ok(())
}

/// All packages this platform builds. Other platforms' packages would have to be downloaded first.
fn packages() -> anyhow::Result<Vec<Package>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--all-features", "--filter-platform", &host()?])
        .current_dir(root())
        .output()
        .context("failed to start cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("failed to read cargo metadata")?;
    Ok(metadata.packages)
}

fn host() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("failed to start rustc")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}
