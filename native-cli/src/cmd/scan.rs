//! `tidepool scan`: which pools are on these devices.

use crate::args::{PoolArgs, tell_read_failures};
use crate::out::{Failure, Outcome, Output};
use crate::render;
use clap::Args;
use tidepool::base::{Guid, PoolError, PoolErrorKind};
use tidepool::pool::{self, ScanView};

/// Say which pools the devices hold: name, guid, state, vdev tree, features, what is missing
#[derive(Args)]
pub(crate) struct Scan {
    #[command(flatten)]
    pool: PoolArgs,
}

impl Scan {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        let view = scan(&self.pool)?;
        match out.is_json() {
            true => out.json(&view)?,
            false => render::scan::print(out, &view)?,
        }
        Ok(0)
    }
}

/// The scan of `args`' devices, only the named pool when one is named.
///
/// # Errors
/// No pool is there.
pub(crate) fn scan(args: &PoolArgs) -> Result<ScanView, Failure> {
    let host = args.devices()?;
    let mut view = host.rt.block_on(pool::scan(&host.devices));
    tell_read_failures(&host);
    let wanted = args.pool.as_deref();
    let guid = wanted.and_then(|w| w.parse().ok()).map(Guid);
    let met: Vec<_> = view.pools.iter().map(|p| p.name.clone()).collect();
    view.pools.retain(|p| wanted.is_none_or(|w| p.name == w) || guid == Some(p.guid));
    if !view.pools.is_empty() {
        return Ok(view);
    }
    let count = host.devices.len();
    let message = match (wanted, met.is_empty()) {
        (_, true) => format!("expected a label of a pool, found none on {count} device(s)"),
        (wanted, false) => {
            format!("expected pool {}, found {}", wanted.unwrap_or(""), met.join(", "))
        }
    };
    let error = PoolError::new(PoolErrorKind::NotAPool, message);
    Err(error.next_step("name whole disks, partitions or images that belong to a pool").into())
}
