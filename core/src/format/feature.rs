//! Feature flags by name: which ones this program can read.
//!
//! Source: `module/zcommon/zfeature_common.c` for the names.

/// One feature flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Full name.
    pub guid: &'static str,
    /// Whether a pool with this feature active can be read here.
    pub readable: bool,
}

const fn known(guid: &'static str) -> Feature {
    Feature { guid, readable: true }
}

const fn refused(guid: &'static str) -> Feature {
    Feature { guid, readable: false }
}

/// Every feature of OpenZFS 2.3.2 and those of 2.4 that were seen.
pub const FEATURES: [Feature; 47] = [
    known("com.delphix:async_destroy"),
    known("com.delphix:empty_bpobj"),
    known("org.illumos:lz4_compress"),
    known("com.joyent:multi_vdev_crash_dump"),
    known("com.delphix:spacemap_histogram"),
    known("com.delphix:enabled_txg"),
    known("com.delphix:hole_birth"),
    known("com.delphix:zpool_checkpoint"),
    known("com.delphix:spacemap_v2"),
    known("com.delphix:extensible_dataset"),
    known("com.delphix:bookmarks"),
    known("com.joyent:filesystem_limits"),
    known("com.delphix:embedded_data"),
    known("com.delphix:livelist"),
    known("com.delphix:log_spacemap"),
    known("org.open-zfs:large_blocks"),
    known("org.zfsonlinux:large_dnode"),
    known("org.illumos:sha512"),
    known("org.illumos:skein"),
    known("org.illumos:edonr"),
    known("org.openzfs:blake3"),
    known("com.delphix:redaction_bookmarks"),
    known("com.delphix:redacted_datasets"),
    known("com.delphix:bookmark_written"),
    known("com.delphix:redaction_list_spill"),
    known("com.datto:bookmark_v2"),
    known("com.delphix:device_removal"),
    known("com.delphix:obsolete_counts"),
    known("org.zfsonlinux:userobj_accounting"),
    known("org.zfsonlinux:project_quota"),
    known("com.datto:encryption"),
    known("org.zfsonlinux:allocation_classes"),
    known("com.datto:resilver_defer"),
    known("org.openzfs:device_rebuild"),
    known("org.freebsd:zstd_compress"),
    refused("org.openzfs:draid"),
    refused("com.seagate:draid_failure_domains"),
    known("org.openzfs:zilsaxattr"),
    known("com.delphix:head_errlog"),
    known("com.fudosecurity:block_cloning"),
    known("com.truenas:block_cloning_endian"),
    known("com.klarasystems:vdev_zaps_v2"),
    refused("org.openzfs:raidz_expansion"),
    known("com.klarasystems:fast_dedup"),
    known("org.zfsonlinux:longname"),
    known("com.klarasystems:large_microzap"),
    refused("com.klarasystems:dynamic_gang_header"),
];

/// The feature called `guid`, if this program has heard of it.
pub fn feature(guid: &str) -> Option<&'static Feature> {
    FEATURES.iter().find(|f| f.guid == guid)
}
