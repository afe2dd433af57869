//! Floor 13: file systems. Paths, directories, attributes, contents.
//!
//! ```text
//!   object 1, master node: ROOT, VERSION, SA_ATTRS, casesensitivity, ...
//!   ROOT -> directory ZAP: name -> object (48 bits) and type (4 bits) -> dnode, attributes, data
//! ```
//!
//! All ZPL versions: 1 to 4 keep attributes in a fixed bonus, 5 as system attributes. Version 1
//! directories do not tell the type of their entries; the object's mode does. Source:
//! `module/os/linux/zfs/zfs_znode_os.c`, `include/sys/zfs_znode.h`.

mod attributes;
mod file_system;

pub use file_system::{DirEntry, FileKind, FileSystem, Node};
