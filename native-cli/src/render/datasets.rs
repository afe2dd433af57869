//! Data sets as `zfs list` and `zfs get` show them.

use super::{Table, date, nice_bytes};
use crate::out::Output;
use std::io::Result;
use tidepool::view::DatasetView;

/// One line a data set or snapshot, then what is wrong.
pub(crate) fn print(out: &mut Output, datasets: &[DatasetView]) -> Result<()> {
    let columns = [
        "NAME",
        "TYPE",
        ">USED",
        ">REFER",
        ">RATIO",
        ">OBJECTS",
        ">ID",
        ">TXG",
        "CREATED (UTC)",
        "NOTES",
    ];
    let mut table = Table::new(&columns);
    for dataset in datasets {
        let kind = if dataset.snapshot { "snapshot" } else { &dataset.kind };
        table.row([
            dataset.name.clone(),
            kind.to_owned(),
            nice_bytes(dataset.used),
            nice_bytes(dataset.referenced),
            ratio(dataset),
            dataset.objects.to_string(),
            dataset.id.to_string(),
            dataset.creation_txg.to_string(),
            date(dataset.creation_time),
            notes(dataset),
        ]);
    }
    table.print(out, "")
}

/// Compression as OpenZFS states it, two decimals.
fn ratio(dataset: &DatasetView) -> String {
    let (logical, physical) = (dataset.uncompressed, dataset.compressed);
    if physical == 0 {
        return "1.00x".to_owned();
    }
    let percent = u128::from(logical) * 100 / u128::from(physical);
    format!("{}.{:02}x", percent / 100, percent % 100)
}

fn notes(dataset: &DatasetView) -> String {
    let mut notes = Vec::new();
    if let Some(origin) = &dataset.origin {
        notes.push(format!("clone of {origin}"));
    }
    if dataset.encrypted {
        notes.push("encrypted".to_owned());
    }
    if dataset.log_pending {
        notes.push("log not replayed".to_owned());
    }
    notes.extend(dataset.problem.clone());
    notes.join("; ")
}

/// One line a property.
pub(crate) fn print_properties(out: &mut Output, datasets: &[DatasetView]) -> Result<()> {
    let mut table = Table::new(&["NAME", "PROPERTY", "VALUE"]);
    for dataset in datasets {
        for (name, value) in &dataset.properties {
            table.row([dataset.name.clone(), name.clone(), value.clone()]);
        }
    }
    match table.is_empty() {
        true => out.line("no data set has a property of its own"),
        false => table.print(out, ""),
    }
}
