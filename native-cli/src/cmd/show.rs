//! `tidepool show`: one aspect of a pool in full.

use super::scan;
use crate::args::PoolArgs;
use crate::out::{Failure, Outcome, Output, usage};
use crate::render;
use clap::{Args, ValueEnum};
use serde::Serialize;
use tidepool::base::ObjectId;
use tidepool::view::{DatasetView, DeviceView, FeatureView, ObjectView};

/// Show one aspect of a pool in full
#[derive(Args)]
pub(crate) struct Show {
    /// What to show
    what: What,

    #[command(flatten)]
    pool: PoolArgs,

    /// For objects and object: the data set or snapshot; `mos` is the pool's own object set
    #[arg(long, value_name = "NAME", default_value = "mos")]
    dataset: String,

    /// For object: its number
    #[arg(long, value_name = "N")]
    id: Option<u64>,

    /// For object: list its block pointers too
    #[arg(long)]
    blocks: bool,

    /// For objects: the first number
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,

    /// For objects: at most so many
    #[arg(long, value_name = "COUNT", default_value_t = u32::MAX, hide_default_value = true)]
    limit: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// The four labels of each device
    Labels,
    /// The uberblock rings, and which one was chosen
    Uberblocks,
    /// The configuration in the pool
    Config,
    /// Data sets, volumes and snapshots
    Datasets,
    /// The objects of one object set
    Objects,
    /// One object
    Object,
    /// Feature flags
    Features,
    /// What was done to the pool
    History,
    /// Intent logs with writes that are not in the tree yet
    Zil,
    /// Local properties of all data sets
    Properties,
}

#[derive(Serialize)]
struct Config {
    pool: String,
    config: String,
}

/// Objects asked of the pool at a time.
const BATCH: u32 = 4096;

impl Show {
    pub(crate) fn run(&self, out: &mut Output) -> Outcome {
        match self.what {
            What::Labels => print(out, &self.devices()?[..], render::labels::print)?,
            What::Uberblocks => print(out, &self.devices()?[..], render::labels::print_rings)?,
            What::Config => self.config(out)?,
            What::Datasets => print(out, &self.datasets()?[..], render::datasets::print)?,
            What::Properties => {
                print(out, &self.datasets()?[..], render::datasets::print_properties)?
            }
            What::Features => print(out, &self.features()?[..], render::scan::print_features)?,
            What::Objects => print(out, &self.objects()?[..], render::objects::print)?,
            What::Object => print(out, &self.object()?, render::objects::print_one)?,
            What::History => {
                let opened = self.pool.open()?;
                let history = opened.ask(opened.pool.history())?;
                print(out, &history[..], render::logs::print_history)?;
            }
            What::Zil => {
                let opened = self.pool.open()?;
                let logs = opened.ask(opened.pool.logs())?;
                print(out, &logs[..], render::logs::print)?;
            }
        }
        Ok(0)
    }

    /// The devices of the pools, without opening any, so that damage does not hide the labels.
    fn devices(&self) -> Result<Vec<DeviceView>, Failure> {
        let scan = scan::scan(&self.pool)?;
        Ok(scan.pools.into_iter().flat_map(|p| p.devices).collect())
    }

    fn config(&self, out: &mut Output) -> Result<(), Failure> {
        let opened = self.pool.open()?;
        let config = Config { pool: opened.pool.overview().name, config: opened.pool.config() };
        print(out, &config, |out, view| out.text(&view.config))
    }

    fn features(&self) -> Result<Vec<FeatureView>, Failure> {
        Ok(self.pool.open()?.pool.overview().features)
    }

    fn datasets(&self) -> Result<Vec<DatasetView>, Failure> {
        let opened = self.pool.open()?;
        Ok(opened.ask(opened.pool.datasets())?)
    }

    fn objects(&self) -> Result<Vec<ObjectView>, Failure> {
        let opened = self.pool.open()?;
        let mut all = Vec::new();
        let mut from = self.from;
        while let left @ 1.. = u64::from(self.limit).saturating_sub(all.len() as u64) {
            let limit = u32::try_from(left).unwrap_or(BATCH).min(BATCH);
            let ask = opened.pool.objects(&self.dataset, ObjectId(from), limit);
            let batch = opened.ask(ask)?;
            let Some(last) = batch.last() else { break };
            from = last.id.0.saturating_add(1);
            all.extend(batch);
        }
        Ok(all)
    }

    fn object(&self) -> Result<ObjectView, Failure> {
        let Some(id) = self.id else {
            return Err(usage("which object? say its number with --id N"));
        };
        let opened = self.pool.open()?;
        let ask = opened.pool.object(&self.dataset, ObjectId(id), self.blocks);
        Ok(opened.ask(ask)?)
    }
}

/// `view` for programs as it is, for people by `text`.
fn print<T: Serialize + ?Sized>(
    out: &mut Output,
    view: &T,
    text: impl Fn(&mut Output, &T) -> std::io::Result<()>,
) -> Result<(), Failure> {
    match out.is_json() {
        true => out.json(&view)?,
        false => text(out, view)?,
    }
    Ok(())
}
