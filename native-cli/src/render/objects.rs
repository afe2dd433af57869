//! Objects in the columns of `zdb -dd`.

use super::{Table, nice_bytes};
use crate::out::Output;
use std::io::Result;
use tidepool::view::ObjectView;

fn table<'a>(objects: impl IntoIterator<Item = &'a ObjectView>) -> Table {
    let columns =
        [">Object", ">lvl", ">iblk", ">dblk", ">dsize", ">dnsize", ">lsize", ">bonus", "type"];
    let mut table = Table::new(&columns);
    for object in objects {
        table.row([
            object.id.to_string(),
            object.levels.to_string(),
            nice_bytes(object.indirect_size),
            nice_bytes(object.block_size),
            nice_bytes(object.used),
            nice_bytes(object.dnode_size),
            nice_bytes(object.size),
            nice_bytes(object.bonus_len),
            object.kind.clone(),
        ]);
    }
    table
}

/// One line an object.
pub(crate) fn print(out: &mut Output, objects: &[ObjectView]) -> Result<()> {
    table(objects).print(out, "")
}

/// One object with its contents and, if they were asked for, its block pointers.
pub(crate) fn print_one(out: &mut Output, object: &ObjectView) -> Result<()> {
    table([object]).print(out, "")?;
    if object.bonus_len > 0 {
        let (size, kind) = (nice_bytes(object.bonus_len), &object.bonus_kind);
        out.line(&format!("bonus: {size} of {kind}"))?;
    }
    out.line(&format!("highest block: {}", object.max_block))?;
    for line in &object.details {
        out.line(&format!("    {line}"))?;
    }
    if !object.blocks.is_empty() {
        out.line("blocks:")?;
    }
    for line in &object.blocks {
        out.line(&format!("    {line}"))?;
    }
    Ok(())
}
