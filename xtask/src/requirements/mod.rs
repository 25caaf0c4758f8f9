//! `cargo xtask requirements`: which requirement of the specification a test witnesses.
//!
//! `docs/requirements.toml` is the list. A test witnesses a requirement by naming its id. When the
//! sheets the list was made from stand beside the repository, the two must hold the same ids.

mod coverage;
mod list;
mod sheets;
mod witnesses;

use anyhow::{Context as _, bail, ensure};

use crate::workspace::{self, Workspace};

const LIST: &str = "docs/requirements.toml";
const SHEETS: &str = "../shared/spec";

/// What to show.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// List what no test witnesses yet in this section, such as `RUN`, or `all`.
    #[arg(long, value_name = "SECTION")]
    missing: Option<String>,
    /// List the places that witness this requirement, such as `R-RUN-02`.
    #[arg(long, value_name = "ID")]
    of: Option<String>,
}

/// Reads the list and the tests, checks them against each other and prints what was asked.
///
/// # Errors
/// When the list is malformed, a test names an id that does not exist, or the list and the sheets
/// do not hold the same ids.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let text =
        std::fs::read_to_string(workspace::root().join(LIST)).with_context(|| format!("failed to read {LIST}"))?;
    let list = list::read(&text).with_context(|| format!("{LIST} is malformed"))?;
    let witnesses = witnesses::find(&Workspace::texts()?);

    let mut faults = witnesses::unknown(&witnesses, &list);
    let sheets = workspace::root().join(SHEETS);
    if sheets.is_dir() {
        faults.extend(sheets::differences(&list, &sheets::ids(&sheets)?));
    }
    for fault in &faults {
        println!("{fault}");
    }
    ensure!(faults.is_empty(), "{} findings", faults.len());

    match (&options.missing, &options.of) {
        (Some(section), _) => {
            let Some(text) = coverage::missing(&list, &witnesses, section) else {
                bail!("{LIST} has no section {section}")
            };
            print!("{text}");
        }
        (None, Some(id)) => {
            let requirement = list.find(id).with_context(|| format!("{LIST} has no {id}"))?;
            println!("{id} ({}, {}): {}", requirement.is.word(), requirement.from, requirement.text);
            witnesses.iter().filter(|witness| witness.id == *id).for_each(|witness| println!("  {}", witness.place));
        }
        (None, None) => print!("{}", coverage::table(&list, &witnesses)),
    }
    Ok(())
}
