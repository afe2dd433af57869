//! The eight views and the layers over them. A panel gets views by `Rc` and the place; what it
//! changes it changes by dispatching.

pub mod check;
pub mod explain;
pub mod export;
pub mod files;
pub mod help;
pub mod labels;
pub mod map;
pub mod metaslab;
pub mod object;
pub mod pictures;
pub mod pool;
pub mod search;
pub mod start;
pub mod tree;

pub use check::CheckPanel;
pub use explain::ExplainPanel;
pub use export::ExportLayer;
pub use files::FilesPanel;
pub use help::HelpLayer;
pub use labels::LabelsPanel;
pub use map::MapPanel;
pub use metaslab::MetaslabPanel;
pub use pool::PoolPanel;
pub use search::SearchLayer;
pub use start::{StartPanel, open_bench, open_sample_id, take_files};
