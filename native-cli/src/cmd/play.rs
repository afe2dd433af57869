//! `tidepool play`: serves the playground on loopback.

use crate::http::{Attached, Playground, is_built};
use crate::out::{Outcome, Output, note};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use tidepool::base::{PoolError, PoolErrorKind};
use tidepool_host::open_files;

/// Serve the playground to a browser on this machine, with the given images attached
#[derive(Args)]
pub(crate) struct Play {
    /// Files, block devices, or folders of them, that the page may read
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
}

#[derive(Serialize)]
struct Ready<'a> {
    address: String,
    built: bool,
    attached: &'a [Attached],
}

impl Play {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        let (files, passed_over) = open_files(&self.paths)?;
        passed_over.iter().for_each(|line| note(line));
        let attached = (0u64..).zip(files).map(|(id, open)| Attached {
            id,
            name: open.name,
            size: open.size,
            file: Arc::new(open.file),
        });
        let port = self.port;
        let playground = Playground::listen(port, attached.collect()).map_err(|e| {
            let message = format!("cannot listen on port {port} of 127.0.0.1: {e}");
            PoolError::new(PoolErrorKind::Io, message).next_step("--port 0 takes a free port")
        })?;
        if out.is_json() {
            out.json(&Ready {
                address: playground.address(),
                built: is_built(),
                attached: playground.attached(),
            })?;
        } else {
            let count = playground.attached().len();
            out.line(&format!("playground at {}", playground.address()))?;
            out.line(&format!("{count} image(s) attached; Ctrl-C ends it"))?;
        }
        out.flush()?;
        if !is_built() {
            note("the playground is not in this build: `cargo play` builds and serves it");
        }
        playground.serve();
        Ok(0)
    }
}
