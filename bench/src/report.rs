//! Medians, ratios and the table people read.

use std::time::Duration;

use comfy_table::{Table, presets};
use serde::Serialize;

use crate::load::Spell;

/// One measure: what weft did, what its ceiling did, and how they compare.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measure {
    /// Its name; `--only` selects by a part of it.
    pub name: String,
    /// Weft's spells.
    pub weft: Vec<Spell>,
    /// The ceiling's spells, pair by pair.
    pub ceiling: Vec<Spell>,
    /// Median of the pairwise rate ratios.
    pub ratio: Option<f64>,
    /// Single figures beside the spells, with their units in the name.
    pub figures: Vec<(String, f64)>,
}

impl Measure {
    /// A measure in pairs.
    pub(crate) fn paired(name: &str, pairs: Vec<(Spell, Spell)>) -> Self {
        let ratios = pairs.iter().map(|(weft, ceiling)| weft.rate / ceiling.rate).collect();
        let (weft, ceiling) = pairs.into_iter().unzip();
        Self { name: name.to_owned(), weft, ceiling, ratio: Some(median(ratios)), figures: Vec::new() }
    }

    /// A measure of single figures.
    pub(crate) fn figures(name: &str, figures: Vec<(String, f64)>) -> Self {
        Self { name: name.to_owned(), weft: Vec::new(), ceiling: Vec::new(), ratio: None, figures }
    }
}

/// The middle of the values; 0 for none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The latency below which `share` of the sorted values lie, in milliseconds.
pub(crate) fn percentile_ms(sorted: &[Duration], share: f64) -> f64 {
    let at = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(at).map_or(0.0, |latency| latency.as_secs_f64() * 1_000.0)
}

/// Everything as a table.
pub(crate) fn table(measures: &[Measure]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header([
        "measure",
        "side",
        "rate/s",
        "p50 ms",
        "p99 ms",
        "max ms",
        "server CPU",
        "client CPU",
        "ratio",
    ]);
    for measure in measures {
        for (side, spells) in [("weft", &measure.weft), ("ceiling", &measure.ceiling)] {
            if spells.is_empty() {
                continue;
            }
            let middle = |pick: fn(&Spell) -> f64| median(spells.iter().map(pick).collect());
            let ratio = if side == "weft" { measure.ratio.map(|ratio| format!("{ratio:.2}")) } else { None };
            table.add_row([
                measure.name.clone(),
                side.to_owned(),
                format!("{:.0}", middle(|s| s.rate)),
                format!("{:.2}", middle(|s| s.p50_ms)),
                format!("{:.2}", middle(|s| s.p99_ms)),
                format!("{:.1}", middle(|s| s.max_ms)),
                format!("{:.2}", middle(|s| s.server_cpu)),
                format!("{:.2}", middle(|s| s.client_cpu)),
                ratio.unwrap_or_default(),
            ]);
        }
        for (name, value) in &measure.figures {
            table.add_row([measure.name.clone(), name.clone(), format!("{value:.2}")]);
        }
    }
    table
}
