//! `tidepool_host`: gives the engine real files and block devices.
//!
//! ```no_run
//! use tidepool::pool::{OpenOptions, Pool};
//! let host = tidepool_host::open_devices(&["disk.img".into()])?;
//! let pool = host.rt.block_on(Pool::open(&host.devices, &OpenOptions::default()))?;
//! println!("{}", pool.overview().name);
//! # Ok::<(), tidepool::base::PoolError>(())
//! ```

mod driver;
mod host;

pub use driver::{NativeDriver, ReadFailure, ReadFailures};
pub use host::{Host, OpenFile, PATH_VARIABLE, open_devices, open_files, paths_or_default};
