//! The rows of the decision table, weightiest first. See [`super::verdict`].

use super::verdict::Rule;
use super::verdict::Test::{AtLeast, AtMost, Times};

/// The table.
pub const RULES: &[Rule] = &[
    Rule {
        id: "suspended",
        topic: "suspended",
        tests: &[AtLeast("tx_suspended", 1.0)],
        verdict: "The pool was suspended {tx_suspended:n} times: a device was lost and writes \
            wait for it.",
        next: "zpool status and zpool events -v: which device, and since when.",
    },
    Rule {
        id: "nonsense waits",
        topic: "waits",
        tests: &[AtLeast("implausible_disk_wait_ns", 0.1)],
        verdict: "The waits cannot be real (disk_wait at most {implausible_disk_wait_ns:t}): this \
            version \
                  printed them wrong. Only operations and bandwidth count here.",
        next: "Take the table again with a released version, 0.7.0 or later.",
    },
    Rule {
        id: "old throttle",
        topic: "throttle",
        tests: &[AtLeast("tx_write_limit", 1.0)],
        verdict: "The old write throttle is at work: {tx_write_limit:n} transactions hit the \
            write limit and \
                  {tx_delay:n} were delayed, of {tx_assigned:n} assigned.",
        next: "Versions before 0.6.3 throttle by guess; newer ones by dirty data. Update, or look \
            at txgs.",
    },
    Rule {
        id: "too slow",
        topic: "throttle",
        tests: &[AtLeast("tx_over_max_share", 0.001), AtLeast("tx_over_max", 10.0)],
        verdict: "Devices are far too slow for the load: {tx_over_max:n} transactions of \
            {tx_assigned:n} met a \
                  full dirty limit and stood still, {tx_dirty_delay:n} were delayed.",
        next: "txgs (stime, wtime) and zpool iostat -l: disks that seek, or simply too much data.",
    },
    Rule {
        id: "memory",
        topic: "memory",
        tests: &[
            AtMost("tx_write_limit", 0.0),
            AtLeast("tx_memory_share", 0.0001),
            AtLeast("tx_memory", 10.0),
        ],
        verdict: "Memory is short: {tx_memory:n} of {tx_assigned:n} transactions waited for \
            memory, not for disks.",
        next: "arcstats (c, memory_direct_count, memory_free_bytes): who asks for large pages, \
            how big may the ARC be.",
    },
    Rule {
        id: "forced empty, at once",
        topic: "txgs",
        tests: &[AtLeast("empty_share", 0.5), AtMost("empty_otime_ns", 100_000.0)],
        verdict: "Something forces transaction groups without data: {empty_share:p} are empty and \
            close after \
                  {empty_otime_ns:t}, {txgs_a_second:n} a second. Groups that short come from \
                  inside the pool: \
                  autotrim does this, so do tight loops of snapshots or destroys.",
        next: "zpool get autotrim, zpool history -i, zpool events: what runs at these moments.",
    },
    Rule {
        id: "forced empty",
        topic: "txgs",
        tests: &[AtLeast("empty_share", 0.5), AtMost("empty_otime_ns", 1e9)],
        verdict: "Something forces syncs: {empty_share:p} of the transaction groups are empty and \
            close after \
                  {empty_otime_ns:t}, {txgs_a_second:n} a second, instead of 5 s.",
        next: "Who calls sync: snapshots, zfs receive, zpool sync, property changes (zpool \
            history -i); the zil \
               kstat for commits.",
    },
    Rule {
        id: "idle",
        topic: "txgs",
        tests: &[AtLeast("empty_share", 0.7), AtLeast("otime_ns", 4e9)],
        verdict: "The pool is idle: {empty_share:p} of the transaction groups carry nothing, each \
            is open \
                  {otime_ns:t} (the 5 s timer) and syncs in {stime_ns:t}.",
        next: "If something feels slow, it does not reach the pool: look at the client, the \
            network, the cache.",
    },
    Rule {
        id: "seeks",
        topic: "txgs",
        tests: &[
            AtLeast("stime_max_ns", 4e9),
            AtMost("write_size", 32_768.0),
            AtMost("sync_rate", 3e7),
        ],
        verdict: "The disks are bound by seeks: syncs take up to {stime_max_ns:t} at \
            {sync_rate:b}/s with \
                  {write_size:b} a write; the next group waits for them.",
        next: "zdb -m and zpool list (FRAG, CAP): is free space in pieces; zpool iostat -r: is \
            anything aggregated.",
    },
    Rule {
        id: "seeks, pipeline full",
        topic: "txgs",
        tests: &[
            AtLeast("stime_max_ns", 1e9),
            AtLeast("wait_to_sync", 0.5),
            AtMost("write_size", 32_768.0),
            AtMost("sync_rate", 3e7),
        ],
        verdict: "The disks are bound by seeks: {write_size:b} a write at {sync_rate:b}/s, syncs \
            up to \
                  {stime_max_ns:t}, and each group waits {wait_to_sync:x} times the sync of the \
                  one before.",
        next: "zdb -m and zpool list (FRAG, CAP): is free space in pieces; zpool iostat -r: is \
            anything aggregated.",
    },
    Rule {
        id: "bandwidth",
        topic: "txgs",
        tests: &[AtLeast("stime_max_ns", 4e9), AtLeast("write_size", 131_072.0)],
        verdict: "The disks are at their bandwidth: {sync_rate:b}/s in pieces of {write_size:b}, \
            syncs up to \
                  {stime_max_ns:t}: not seeks, simply more data than they take.",
        next: "zpool iostat -v: does every disk carry its share; else more disks or less data.",
    },
    Rule {
        id: "slow sync",
        topic: "txgs",
        tests: &[AtLeast("stime_max_ns", 4e9), AtLeast("wait_to_sync", 0.5)],
        verdict: "Syncing is the slow stage: up to {stime_max_ns:t} a group at {sync_rate:b}/s, \
            {write_size:b} a \
                  write, and each group waits {wait_to_sync:x} times that of the one before.",
        next: "zpool iostat -l and -v: one slow disk, or all at their limit.",
    },
    Rule {
        id: "held open",
        topic: "quiesce",
        tests: &[AtLeast("qtime_max_ns", 1e9)],
        verdict: "A transaction is held open: quiescing took up to {qtime_max_ns:t}.",
        next: "Stacks of the writers: a long operation or a lock inside a transaction.",
    },
    Rule {
        id: "one slow disk",
        topic: "disk",
        tests: &[AtLeast("slow_disk_ratio", 2.0)],
        verdict: "One disk is slow: {slow_disk:s} takes {slow_disk_ns:t} where its siblings take \
                  {slow_disk_peers_ns:t}.",
        next: "zpool events -v (delay, io, checksum of that disk) and its SMART data; a scrub \
            proves the rest.",
    },
    Rule {
        id: "log queue",
        topic: "log",
        tests: &[
            Times("log_syncq_write_ns", 3.0, "log_disk_write_ns"),
            AtLeast("log_syncq_write_ns", 1e6),
        ],
        verdict: "Sync writes wait in the queue of the log device, not for the device: \
            {log_syncq_write_ns:t} \
                  queued against {log_disk_write_ns:t} at the disk.",
        next: "zfs_vdev_sync_write_max_active, the zil kstat (itx per commit), and who else uses \
            that device.",
    },
    Rule {
        id: "skewed",
        topic: "fill",
        tests: &[AtLeast("fill_spread", 5.0), AtLeast("fullest_percent", 90.0)],
        verdict: "The stripe is skewed: {fullest_vdev:s} is {fullest_percent:f}% full \
            ({fullest_free:b} free, its \
                  peers {peers_free:b}); writes to it are slow and then go to the others only.",
        next: "zpool list -v, zdb -m for that vdev; newly written data spreads by free space, old \
            data stays.",
    },
    Rule {
        id: "special full",
        topic: "special",
        tests: &[AtLeast("special_percent", 75.0)],
        verdict: "A special vdev is {special_percent:f}% full: from 75% on only metadata goes \
            there \
                  (zfs_special_class_metadata_reserve_pct), then it spills to the normal vdevs.",
        next: "zdb -Lbbbs: which blocks are how large; special_small_blocks; add a special vdev.",
    },
    Rule {
        id: "negative expandsz",
        topic: "expandsz",
        tests: &[AtLeast("expandsz_wrapped", 1.0)],
        verdict: "EXPANDSZ is a negative number shown unsigned: a bug of that version. The pool \
            itself is \
                  {cap_percent:n}% full.",
        next: "zdb -C: asize against the size of the devices.",
    },
    Rule {
        id: "nearly full",
        topic: "capacity",
        tests: &[AtLeast("cap_percent", 95.0)],
        verdict: "As good as full: CAP {cap_percent:n}%, FRAG up to {frag_percent:n}%. From 96% \
            on the allocator \
                  searches metaslab by metaslab for a fit, and the rest is slop that cannot be \
                  used.",
        next: "zdb -m: how many metaslabs still have room; free space or add a vdev.",
    },
    Rule {
        id: "fragmented",
        topic: "capacity",
        tests: &[AtLeast("frag_percent", 65.0), AtMost("cap_percent", 94.9)],
        verdict: "Free space is in small pieces: FRAG {frag_percent:n}% at CAP {cap_percent:n}%: \
            with {free_bytes:b} \
                  free, large blocks may still find no piece, be ganged, or fail with an error.",
        next: "zdb -mm: the largest bucket says what still fits; zdb -b: ganged count.",
    },
    Rule {
        id: "unequal vdevs",
        topic: "fill",
        tests: &[AtLeast("fuller_percent", 50.0)],
        verdict: "Unequal vdevs: {fuller_vdev:s} holds {fuller_alloc:b} of {pool_alloc:b} and is \
            {fuller_percent:f}% \
                  full with {fuller_free:b} free, the rest is {rest_percent:f}% full with \
                  {rest_free:b} free: the \
                  fuller vdev gets the writes although it has less room.",
        next: "zpool iostat -v 1: who gets the writes now; metaslab_bias_enabled, sizes of the \
            vdevs.",
    },
    Rule {
        id: "filling",
        topic: "capacity",
        tests: &[AtLeast("cap_percent", 80.0)],
        verdict: "The pool fills up: CAP {cap_percent:n}%, FRAG {frag_percent:n}%; writes slow \
            down from here on.",
        next: "zpool list -v: are the vdevs evenly full; zdb -mm: pieces of free space.",
    },
    Rule {
        id: "two kinds of device",
        topic: "waits",
        tests: &[AtLeast("pools_apart", 3.0)],
        verdict: "Two kinds of device: {fast_pool:s} answers in {fast_pool_ns:t}, {slow_pool:s} in \
                  {slow_pool_ns:t}; its writes queue {asyncq_write_ns:t} besides.",
        next: "Judge each pool by what its devices can do: milliseconds are normal for disks, not \
            for flash.",
    },
    Rule {
        id: "scrub yields",
        topic: "scrub",
        tests: &[AtLeast("scrub_wait_ns", 1e8), AtMost("syncq_read_ns", 5e7)],
        verdict: "The scrub yields as meant: its reads wait {scrub_wait_ns:t} in the queue while \
            the disk takes \
                  {disk_read_ns:t} and normal reads wait {syncq_read_ns:t}.",
        next: "If applications still suffer, compare iostat -l with the scrub paused.",
    },
    Rule {
        id: "sync write queue",
        topic: "waits",
        tests: &[Times("syncq_write_ns", 3.0, "disk_write_ns"), AtLeast("syncq_write_ns", 5e6)],
        verdict: "Sync writes wait in the queue: {syncq_write_ns:t} against {disk_write_ns:t} at \
            the disk.",
        next: "The zil kstat (commits per write), the log device, zfs_vdev_sync_write_max_active.",
    },
    Rule {
        id: "async write queue",
        topic: "waits",
        tests: &[
            Times("asyncq_write_ns", 3.0, "disk_write_ns"),
            AtMost("disk_write_ns", 5e6),
            AtLeast("asyncq_write_ns", 1e7),
        ],
        verdict: "The limit of the class is too low for this device: async writes queue \
            {asyncq_write_ns:t} while \
                  the disk takes only {disk_write_ns:t}.",
        next: "zpool iostat -q: is activ at zfs_vdev_async_write_max_active.",
    },
    Rule {
        id: "streaming limit",
        topic: "throttle",
        tests: &[AtLeast("tx_dirty_delay_share", 0.001), AtMost("tx_over_max", 9.0)],
        verdict: "Devices are at their limit and the throttle works as meant: {tx_dirty_delay:n} \
            of {tx_assigned:n} \
                  transactions were delayed, none stood still.",
        next: "zpool iostat -r (aggregated?) and -l (disk_wait): whether the limit is bandwidth \
            or seeks.",
    },
    Rule {
        id: "disk limit",
        topic: "waits",
        tests: &[AtLeast("disk_write_ns", 3e7), Times("disk_write_ns", 1.0, "queue_write_ns")],
        verdict: "The devices are the wait: {disk_write_ns:t} at the disk for a write.",
        next: "zpool iostat -q: is activ at its maximum; then the queue is too deep or the disks \
            too slow.",
    },
    Rule {
        id: "aggregation lost, CPU idle",
        topic: "cpu",
        tests: &[
            AtMost("async_write_agg_share", 0.05),
            AtMost("pend", 1.0),
            AtLeast("cpu_idle_percent", 30.0),
        ],
        verdict: "Aggregation is lost: {async_write_agg_share:p} of async writes are merged with \
            nothing waiting \
                  while the CPU idles: the issuing side is held up by a lock or has too few \
                  threads.",
        next: "Flame graphs off CPU of z_wr_iss; zio_taskq settings.",
    },
    Rule {
        id: "CPU bound",
        topic: "cpu",
        tests: &[AtMost("pend", 1.0), AtMost("cpu_idle_percent", 10.0)],
        verdict: "The CPU is the limit: nothing waits for disks, {cpu_idle_percent:f}% idle.",
        next: "Compression, checksum, encryption: flame graph on CPU of z_wr_iss.",
    },
    Rule {
        id: "padding",
        topic: "padding",
        tests: &[Times("log_alloc_bytes", 1.3, "log_data_bytes"), AtLeast("log_data_bytes", 1e6)],
        verdict: "Log blocks are padded: {log_alloc_bytes:b} allocated and {log_write_bytes:b} \
            written for \
                  {log_data_bytes:b} of records, {log_padding:x} times.",
        next: "Record sizes against block sizes: small records in large blocks; zil_maxblocksize, \
            more commits per block.",
    },
    Rule {
        id: "log latency",
        topic: "log",
        tests: &[
            AtLeast("commits", 1000.0),
            AtMost("commits_per_writer", 1.05),
            AtLeast("log_bytes", 1e6),
        ],
        verdict: "Each commit pays its own log write: {commits:n} commits, {commits_per_writer:x} \
            to a write: \
                  latency of the log decides the speed of sync writes.",
        next: "zpool iostat -l of the log device (syncq_wait, disk_wait), flush time of the \
            device.",
    },
    Rule {
        id: "delete pacing",
        topic: "frees",
        tests: &[AtLeast("tx_frees_delay_share", 0.0001), AtLeast("tx_frees_delay", 10.0)],
        verdict: "Mass deletion is paced: {tx_frees_delay:n} transactions waited because one \
            group freed too much.",
        next: "zpool get freeing, txgs; zfs_per_txg_dirty_frees_percent.",
    },
    Rule {
        id: "quota",
        topic: "quota",
        tests: &[AtLeast("tx_quota_share", 0.0001), AtLeast("tx_quota", 10.0)],
        verdict: "A data set is near its quota: {tx_quota:n} transactions hit it, which makes \
            tiny groups.",
        next: "zfs list -o space, quota, refquota.",
    },
    Rule {
        id: "hot object",
        topic: "hot",
        tests: &[AtLeast("tx_group_share", 0.01), AtLeast("tx_group", 100.0)],
        verdict: "A hot object is handed over between groups: {tx_group:n} of {tx_assigned:n} \
            transactions waited for it.",
        next: "txgs (how short are they) and which file all writers share.",
    },
    Rule {
        id: "bursts by timer",
        topic: "bursts",
        tests: &[AtLeast("burst_period", 3.0), AtMost("burst_rate", 1e7)],
        verdict: "The pool writes one burst of {written_max:b} in every {burst_period:n} reports, \
            {burst_rate:b}/s \
                  on average: what is dirtied between two transaction groups is the limit, not \
                  the disks.",
        next: "dmu_tx (dirty_delay, over_max) and zfs_dirty_data_max, a tenth of memory by \
            default.",
    },
    Rule {
        id: "bursts",
        topic: "bursts",
        tests: &[AtLeast("idle_samples", 3.0), AtLeast("busy_samples", 3.0)],
        verdict: "Writes come in bursts: {busy_samples:n} reports busy at up to \
            {written_max:b}/s, {idle_samples:n} \
                  with as good as nothing.",
        next: "txgs at the same time: is the pool waiting for writers, or writers for the sync.",
    },
    Rule {
        id: "odd sibling",
        topic: "disk",
        tests: &[AtLeast("odd_disk_peers", 8.0)],
        verdict: "{odd_disk:s} does {odd_disk_ops:n} {odd_what:s} where its siblings do \
            {odd_disk_peers:n}.",
        next: "zpool iostat -vl: does it answer slowly, or is it asked less.",
    },
    Rule {
        id: "closes early",
        topic: "txgs",
        tests: &[
            AtMost("otime_ns", 2.5e9),
            AtMost("empty_share", 0.5),
            AtMost("stime_max_ns", 4e9),
        ],
        verdict: "Transaction groups close after {otime_min_ns:t} to {otime_max_ns:t} instead of \
            5 s, with \
                  {write_size:b} a write and {stime_ns:t} of sync: they are forced, or the dirty \
                  limit closes them.",
        next: "Who forces them: sync, snapshots, receive (zpool history -i); else \
            zfs_dirty_data_max and \
               dirty_data_sync_percent.",
    },
    Rule {
        id: "client",
        topic: "txgs",
        tests: &[AtLeast("otime_ns", 4e9), AtMost("stime_max_ns", 2e9)],
        verdict: "No bottleneck below: groups are open {otime_ns:t} and sync in {stime_ns:t}: the \
            pool waits for \
                  its writers.",
        next: "The client, the protocol, the network; latency of single requests.",
    },
    Rule {
        id: "bimodal",
        topic: "histogram",
        tests: &[AtLeast("bimodal", 1.0)],
        verdict: "The latency histogram has two peaks, {low_peak_ns:t} and {high_peak_ns:t}: two \
            kinds of device, \
                  or cache hits among misses.",
        next: "zpool iostat -wv: split by vdev.",
    },
];
