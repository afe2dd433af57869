//! Real pasted outputs, each with the right reading that its README gives: one row a file.
//!
//! The files are not part of the repository; without them the tests say so and pass.

use std::path::PathBuf;
use tidepool::report::{explain, print};
use tidepool::view::ExplainView;

/// What a reader of one file must be able to tell.
struct Row {
    file: &'static str,
    kind: &'static str,
    /// Words of the verdict, the findings, the version hint or the reasons of dropped lines.
    words: &'static [&'static str],
    /// Named numbers, to half a percent.
    numbers: &'static [(&'static str, f64)],
    /// Lines that must be listed as not used.
    dropped: &'static [u64],
}

const fn row(
    file: &'static str,
    kind: &'static str,
    words: &'static [&'static str],
    numbers: &'static [(&'static str, f64)],
    dropped: &'static [u64],
) -> Row {
    Row { file, kind, words, numbers, dropped }
}

const GIB: f64 = 1073741824.0;

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("arcstat-01", "arcstat",
        &["25% to 34% of reads miss", "nearly all of them for metadata", "pinned at 90 GiB", "0.6 to 0.8"],
        &[("miss_percent_min", 25.0), ("miss_percent_max", 34.0), ("arc_size", 90.0 * GIB)], &[]),
    row("blktrace-01", "blktrace",
        &["136 sectors (68 KiB)", "inserted 24.344", "unplugged by the timer 26.784", "issued 26.807",
          "completed 26.967", "2.44 ms of 2.63 ms is plug delay"],
        &[("sectors", 136.0), ("plug_ms", 2.440), ("total_ms", 2.628)], &[]),
    row("dbgmsg-01", "dbgmsg",
        &["Load of ms 736 took 59 ms (smp_length 173944 bytes), largest segment 4295286784, weight index 31 to 32",
          "10 minute rule", "the last line is cut"],
        &[("load_ms", 59.0), ("unload_age_ms", 604137.0), ("max_size", 4295286784.0)], &[5]),
    row("dbgmsg-03", "dbgmsg", &["7 flushes", "ms 60, 45, 38, 43, 51, 53, 39", "not trouble"],
        &[("flushes", 7.0), ("appended", 4880.0)], &[]),
    row("dbgmsg-05", "dbgmsg",
        &["Space map object 103: 15 segments of 4 KiB", "Missing in the run 5c000-6b000: offset 64000", "dprintf"],
        &[("entries", 15.0), ("missing_offset", 409600.0)], &[]),
    row("dbgmsg-07", "dbgmsg", &["tryimport, then import", "116 log space maps read in 19 ms", "2.0 or later"],
        &[("log_space_maps", 116.0), ("log_space_maps_ms", 19.0), ("uberblock_txg", 1211753.0)], &[]),
    row("dbgmsg-09", "dbgmsg",
        &["2.4 or later", "Load of ms 0 (embedded_log)", "Load of ms 13 (normal)", "Load of ms 14 (normal)",
          "weight index 33 (8 GiB), count 1", "wholly empty metaslabs of 8 GiB", "the last line is cut"],
        &[("max_size", 8589934592.0)], &[4]),
    row("dmu_tx-01", "dmu_tx", &["12 counters", "freshly booted", "0.8 to 2.1"], &[("tx_assigned", 3.0)], &[]),
    row("dmu_tx-03", "dmu_tx",
        &["The old write throttle is at work", "892 transactions hit the write limit and 53154 were delayed",
          "0.6.2 or older", "how, memory_inflight, write_limit"],
        &[("tx_delay", 53154.0), ("tx_write_limit", 892.0), ("tx_assigned", 236089171.0)], &[]),
    row("dmu_tx_assign-01", "dmu_tx_assign", &["99.1%", "10 at 8192 us", "0.6.2 or older (buckets in us)"],
        &[("within_4us_percent", 99.14)], &[18]),
    row("events-01", "zpool events -v",
        &["Read error (zio_err 5", "at offset 0x42000", "label area (below 0x80000)", "8 KiB", "zio_delay 0x60b2",
          "2.0 or 2.1 (zio_priority)"],
        &[("zio_offset", 270336.0), ("zio_size", 8192.0), ("zio_delay_ns", 24754.0)], &[]),
    row("events-03", "zpool events -v",
        &["Write error (zio_err 5", "during a replace", "1.304 s at the device", "1.663 s with the queue", "0.7 or older"],
        &[("zio_delay_ns", 1303826982.0), ("zio_delta_ns", 1663299977.0)], &[]),
    row("events-05", "zpool events",
        &["Scrubs of 2 pools are mixed", "5.4 s apart", "whatever pool the command named"],
        &[("scrub_starts", 6.0), ("scrub_finishes", 5.0), ("scrubs_at_once", 2.0)], &[1]),
    row("events-07", "zpool events",
        &["13 delay events in 31 s in 2 clusters: 6 at 02:16:28, 7 at 02:16:58", "the 30 s after which an I/O counts as slow",
          "the class is cut off"],
        &[("delay_events", 13.0), ("delay_clusters", 2.0), ("delay_span_s", 30.896)], &[20]),
    row("fio-01", "fio", &["32 jobs: 76.0k IOPS, mean 415 us, 99.99th percentile 75.0 ms", "4 KiB"],
        &[("iops", 76000.0), ("mean_ns", 415260.0), ("slowest_percentile_ns", 74974000.0), ("block_size", 4096.0)], &[]),
    row("history-01", "zpool history -i",
        &["created by zfs-0.7.0-3256-gbbdd324a2-dist", "Txg 4 sets 12 features", "create pool version 5000"],
        &[("first_txg", 4.0), ("features_set", 12.0)], &[]),
    row("history-03", "zpool history -i",
        &["0.6.2 or older (internal NAME txg:N)", "3 incremental receives at 17:07, 17:11, 17:21",
          "snapshot, destroy, property set, replay_inc_sync"],
        &[("receives", 3.0), ("records", 12.0)], &[]),
    row("history-05", "zpool history", &["-1704805-09-07.09:48:22 is damaged", "1969-12-31.16:00:00 is the epoch"],
        &[("damaged_times", 1.0), ("epoch_times", 1.0), ("records", 9.0)], &[1]),
    row("iostat-l-01", "zpool iostat -l",
        &["Sync writes wait in the queue of the log device, not for the device: 47 ms queued against 2 ms",
          "Log device A3, write: total_wait 49 ms, disk_wait 2 ms, sync queue 47 ms"],
        &[("log_total_write_ns", 49e6), ("log_disk_write_ns", 2e6), ("log_syncq_write_ns", 47e6)], &[1]),
    row("iostat-l-03", "zpool iostat -l", &["The waits cannot be real", "development versions of 0.7"],
        &[("implausible_disk_wait_ns", 147.0)], &[]),
    row("iostat-l-05", "zpool iostat -l",
        &["2.2 or later", "average since boot", "nvme-disk0, read: total_wait 200 us, disk_wait 193 us"],
        &[("disk_read_ns", 193e3)], &[1]),
    row("iostat-l-07", "zpool iostat -l",
        &["Two kinds of device: tank answers in 358 us, tank2 in 10 ms", "async queue 20 ms", "0.8 to 2.1"],
        &[("fast_pool_ns", 358e3), ("slow_pool_ns", 10e6), ("asyncq_write_ns", 20e6)], &[6]),
    row("iostat-q-01", "zpool iostat -q -l",
        &["tank, read: total_wait 1 s, disk_wait 7 ms", "the wait is in the queue, not in the disk",
          "scrub reads wait 1 s", "All queues were empty", "11.4 TiB allocated"],
        &[("total_read_ns", 1e9), ("disk_read_ns", 7e6), ("scrub_wait_ns", 1e9), ("pend", 0.0), ("activ", 0.0)], &[1]),
    row("iostat-r-01", "zpool iostat -r", &["Aggregation works", "up to 256K", "0.7 (no trim columns)"],
        &[("async_write_aggregated_1K", 246.0), ("async_write_aggregated_2K", 431.0)], &[1]),
    row("iostat-r-03", "zpool iostat -r",
        &["563K at 4K", "async write, aggregated: peaks 253K at 8K, 364K at 64K", "the row is cut after 0 of 10 cells"],
        &[("async_write_alone_4K", 563.0 * 1024.0), ("async_write_aggregated_8K", 253.0 * 1024.0)], &[12]),
    row("iostat-v-01", "zpool iostat -v",
        &["raidz2 of 6: 35.5 MiB/s written at the vdev, 9.04 MiB/s at each disk = 54.2 MiB/s", "parity 6/4",
          "average since boot"],
        &[("write_factor", 1.5279)], &[]),
    row("iostat-v-03", "zpool iostat -v",
        &["raidz2 of 10", "196 writes/s at the vdev against 30 at each disk", "after aggregation"],
        &[("leaf_ops", 30.0)], &[]),
    row("iostat-v-05", "zpool iostat -v",
        &["5 at 227 MiB to 258 MiB, 4 of nothing, 4 at 43.3 MiB to 250 MiB", "1 line held several rows", "bursts"],
        &[("samples", 14.0), ("glued", 1.0), ("written_max", 258.0 * 1048576.0)], &[]),
    row("iostat-v-07", "zpool iostat -v", &["20.3 GiB of the 68 GiB allocated in tank sit on it", "special device sdc"],
        &[("special_alloc", 20.3 * GIB), ("pool_alloc", 68.0 * GIB)], &[1]),
    row("iostat-v-09", "zpool iostat -v",
        &["xvdg has 737 GiB used and 7.43 GiB free", "83.2 GiB to 85 GiB free on its peers", "stripe is skewed",
          "A note of the poster inside a row was set aside"],
        &[("fullest_free", 7.43 * GIB)], &[]),
    row("iostat-v-11", "zpool iostat -v",
        &["Log device disk4p1: 109 MiB in use, 14 writes/s", "774 writes/s at the vdev against 100 at each disk"],
        &[("samples", 2.0), ("log_ops_write", 14.0), ("log_alloc", 109.0 * 1048576.0)], &[]),
    row("iostat-v-13", "zpool iostat -v",
        &["one burst of 14.9 MiB in every 5 reports", "1 at 14.7 MiB, 4 of nothing", "2.98 MiB/s on average",
          "the row is cut after 1 of 6 cells"],
        &[("burst_period", 5.0), ("samples", 17.0)], &[18]),
    row("iostat-v-15", "zpool iostat -v",
        &["1 report of 2 pools", "raidz2 of 6", "disk5_crypt does 5 reads/s where its siblings do 18"],
        &[("odd_disk_ops", 5.0), ("odd_disk_peers", 18.0)], &[]),
    row("iostat-w-01", "zpool iostat -w", &["0.7 (heads sync_queue and async_queue)", "12 of 37 buckets, 1ns to 4us"],
        &[("asyncq_read_peak", 5939.0), ("rows", 12.0)], &[1]),
    row("iostat-w-03", "zpool iostat -w", &["11 of 37 buckets, 1ns to 2us"], &[("rows", 11.0)], &[]),
    row("iostat-w-05", "zpool iostat -w",
        &["The command line above says -r, but by its head this is a table of -w", "most (2.04M) at 2us",
          "the row is cut after 5 of 9 cells"],
        &[("syncq_read_peak", 2.04 * 1048576.0)], &[1, 20]),
    row("list-01", "zpool list", &["FRAG 77% at CAP 56%", "fail with an error"],
        &[("frag", 77.0), ("cap", 56.0)], &[1]),
    row("list-03", "zpool list", &["6 pools: CAP 98%, FRAG 59% to 62%", "As good as full", "0.6.4 to 0.7 (FRAG, no CKPOINT)"],
        &[("pools", 6.0), ("cap_percent", 98.0), ("frag_percent", 62.0)], &[1]),
    row("list-05", "zpool list", &["50% full with FRAG 2%"], &[("frag", 2.0), ("cap", 50.0)], &[1]),
    row("list-v-01", "zpool list -v",
        &["2.2 or later (devices show a size)", "CAP 84.7%, FRAG 42%", "FRAG of the vdevs: 41 to 42", "about 34 such vdevs"],
        &[("vdev_full_percent", 84.7), ("vdevs", 34.0)], &[10]),
    row("list-v-03", "zpool list -v",
        &["EXPANDSZ 18446740775174668288 is a negative number shown unsigned (-3298534883328)", "mirror (special)",
          "the poster left lines out here"],
        &[("size", 599478650273792.0), ("expandsz", -3298534883328.0)], &[6, 7]),
    row("list-v-05", "zpool list -v",
        &["raidz2-0 holds 69.3 TiB of 88.9 TiB and is 68.1% full", "the fuller vdev gets the writes although it has less room"],
        &[("frag", 1.0), ("fuller_percent", 68.1), ("rest_percent", 33.8)], &[]),
    row("list-v-07", "zpool list -v",
        &["CAP 80.8%", "CAP 81.0%", "CAP 80.7%", "CAP 81.5%", "CAP 76.2%", "CAP 77.4%", "FRAG of the vdevs: 36 to 45",
          "Emptier than the rest, so probably newer: mirror-29 (76.2%), mirror-30 (77.4%)"],
        &[("emptier", 2.0)], &[17]),
    row("list-v-09", "zpool list -v",
        &["98.9% (39.0G free, FRAG 89%), 74.2% (1.81T free, FRAG 62%)", "EXPANDSZ 3.48T", "A special vdev is 98.9% full",
          "spills to the normal vdevs"],
        &[("special_percent", 98.9)], &[7]),
    row("list-v-11", "zpool list -v",
        &["mirror and raidz1 are mixed", "FRAG of the vdevs: 0 to 8", "mirror: EXPANDSZ 64M", "the last word is cut"],
        &[("expandsz", 67108864.0), ("vdev_kinds", 2.0)], &[10]),
    row("status-01", "zpool status",
        &["tank is ONLINE of raidz3-0", "unrecoverable error", "corrected", "resilvered 1.14G in 00:00:17 with 0 errors"],
        &[("scan_errors", 0.0)], &[]),
    row("txgs-01", "txgs",
        &["close after 149 ms to 281 ms instead of 5 s", "0.6.2 or older (no ndirty, no wtime", "ring of 60"],
        &[("txgs", 10.0), ("otime_min_ns", 148598128.0), ("otime_max_ns", 280572202.0)], &[1]),
    row("txgs-03", "txgs",
        &["The pool is idle", "open 5.00 s", "379 us to 690 us", "birth + otime is the next birth exactly, 7 times"],
        &[("txgs", 8.0), ("births", 7.0)], &[1]),
    row("txgs-05", "txgs", &["Something forces syncs", "4628 a second", "5611684927 to 5611684932", "8 of 11 numbers"],
        &[("txgs_a_second", 4628.0), ("empty_otime_ns", 227971.0)], &[8]),
    row("txgs-07", "txgs", &["autotrim", "375 ms", "25.7 us"],
        &[("otime_max_ns", 374781574.0), ("empty", 10.0), ("txgs", 10.0)], &[]),
    row("txgs-09", "txgs", &["The pool is idle", "5.12 s", "rounded up to clock ticks"], &[("otime_ns", 5.12e9), ("txgs", 9.0)], &[]),
    row("txgs-11", "txgs",
        &["txg 28147401: open 3.39 s, waits 3.36 s, syncs 9.68 s for 9.37 MiB", "bound by seeks", "cut behind the txg number"],
        &[("slowest_write_size", 5672.8), ("stime_max_ns", 9676628100.0)], &[1, 2, 7]),
    row("txgs-13", "txgs", &["The pool is idle", "5.00 s", "4608 bytes"], &[("nread", 4608.0), ("txgs", 6.0)], &[]),
    row("zdb-C-01", "zdb -C",
        &["disk, ashift 12, asize 2000385474560 (1.82 TiB) = 116 metaslabs of 16 GiB (shift 34)", "user-land import"],
        &[("metaslabs", 116.0), ("ashift", 12.0), ("metaslab_shift", 34.0), ("asize", 2000385474560.0)], &[]),
    row("zdb-C-03", "zdb -C",
        &["txg 36209561", "newest is txg 36657508", "guid_sum checks: pool guid + 1 vdev guid mod 2^64 = 2177948131408148422",
          "degraded (err_exceeded)"],
        &[("txg", 36209561.0), ("uberblock_txg", 36657508.0), ("config_behind", 447947.0)], &[]),
    row("zdb-b-01", "zdb -b",
        &["86372140 blocks, none ganged", "compressed 1.05 times", "0.77 of logical to allocated", "89.18% of the class used",
          "1133304 blocks have their copies on one vdev", "186 expected, 178 found", "No leaks"],
        &[("count", 86372140.0), ("ganged", 0.0), ("logical", 8189332243968.0), ("physical", 7767080585216.0),
          ("allocated", 10663598383104.0), ("dittoed", 1133304.0)], &[1]),
    row("zdb-b-03", "zdb -b",
        &["13671449 blocks, none ganged", "23.21%", "Special class: 99.4 GiB (106690252800 bytes), 6.68%",
          "Embedded log class: 0 B", "tried against the compressed size", "below 32 KiB: 7.21 GiB", "below 64 KiB: 16.3 GiB",
          "the poster left lines out here"],
        &[("special_bytes", 106690252800.0), ("normal_used_percent", 23.21), ("psize_below_32", 7.21 * GIB),
          ("psize_below_64", 16.3 * GIB)], &[20]),
    row("zdb-b-05", "zdb -b",
        &["The special vdev holds only 7.74 MiB (0%)", "added to a pool of old data", "mirror (special): 7.74 MiB used", "2.2 or later"],
        &[("special_bytes", 8114176.0)], &[1]),
    row("zdb-b-07", "zdb -b", &["calls its column Length", "from 512 to 256K", "last row of the size table is cut"],
        &[("psize_below_256", 23.9 * GIB)], &[]),
    row("zdb-d-01", "zdb -d",
        &["2 levels", "data blocks of 1K", "9314 bytes", "L1 at DVA 0:9001c400:400", "joined", "born in txg 623821"],
        &[("levels", 2.0), ("file_size", 9314.0), ("indirect_offset", 2415969280.0), ("joined", 2.0), ("cr_txg", 623816.0)], &[1]),
    row("zdb-d-03", "zdb -d",
        &["6 L0 pointers of 128 KiB in 1 run of adjacent blocks on vdev 0 from 0x1b85080000", "Not fragmented",
          "2420332 to 2420333"],
        &[("l0_pointers", 6.0), ("runs", 1.0), ("first_offset", 118196043776.0)], &[]),
    row("zdb-ddt-01", "zdb -D (ddt)", &["31262476 entries, 916 B each on disk", "148 B in memory", "have reference count 1"],
        &[("ddt_entries", 31262476.0), ("ddt_disk", 916.0), ("ddt_core", 148.0), ("refcount_one_percent", 99.5)], &[]),
    row("zdb-l-01", "zdb -lu",
        &["Old pool version 13", "mirror, ashift 9", "shift 31", "state 1 (exported)", "vdev_children, create_txg",
          "2 uberblocks have the same timestamp", "guid_sum checks"],
        &[("version", 13.0), ("ashift", 9.0), ("metaslab_shift", 31.0), ("txg", 16.0), ("state", 1.0), ("uberblocks", 2.0)], &[1]),
    row("zdb-leak-01", "zdb -b (leaks)",
        &["error 52 (ECKSUM", "20 leaked ranges on vdev 0", "14 of 4096 bytes, 6 of 8192 bytes"],
        &[("leaks", 20.0), ("leaks_of_4096", 14.0), ("leaks_of_8192", 6.0), ("read_errors", 1.0)], &[]),
    row("zdb-m-01", "zdb -m",
        &["vdev 0: 187 metaslabs of 4 GiB (offset step 0x100000000, shift 32)", "44.1 GiB of 56 GiB",
          "metaslab 13 with 5.96M", "9 are wholly empty", "0.7 or older (last rule of 13 dashes, no space map object lines)"],
        &[("metaslabs", 187.0), ("metaslab_shift", 32.0), ("rows", 14.0), ("free", 44.1 * GIB)], &[]),
    row("zdb-m-03", "zdb -m",
        &["a vdev whose heading is missing", "64 GiB", "54-69, 127-142", "metaslab 128 with 34.5M", "metaslab 68 with 59.6G"],
        &[("rows", 32.0), ("metaslab_shift", 36.0), ("free", 558.3 * GIB)], &[]),
    row("zdb-m-05", "zdb -m", &["116 metaslabs of 64 GiB", "the row is cut"],
        &[("metaslabs", 116.0), ("rows", 12.0), ("free", 264.1 * GIB)], &[1, 19]),
    row("zdb-m-07", "zdb -m",
        &["111 metaslabs of 4 GiB", "0-12, 29-45", "leap from 184 (metaslab 12) to 135256 (metaslab 29)"],
        &[("metaslabs", 111.0), ("rows", 30.0), ("free", 85.8 * GIB)], &[1]),
    row("zdb-m-09", "zdb -m", &["116 metaslabs of 8 GiB", "metaslab 2 with 338M", "the row is cut"],
        &[("metaslabs", 116.0), ("rows", 9.0), ("free", 19.8 * GIB), ("least_free", 338.0 * 1048576.0)], &[1, 16]),
    row("zdb-m-11", "zdb -m",
        &["174 metaslabs of 64 GiB", "64 GiB - smp_alloc 0xf376d8000 = 3.13G", "Free space adds up in 2 rows", "0.8 or later"],
        &[("metaslabs", 174.0), ("rows", 2.0)], &[1]),
    row("zdb-mm-01", "zdb -mm",
        &["metaslabs of 32 GiB", "92-94", "Metaslab 92: 3.96M free, fragmentation 83, largest bucket 2^18 (1 segment)",
          "Metaslab 93: 4.14M free, fragmentation 78, largest bucket 2^18 (1 segment)",
          "Metaslab 94: 3.05M free, fragmentation 87; its histogram is cut after bucket 13",
          "83 by the table of 2.3.0 and older", "78 by the table of 2.3.0 and older"],
        &[("rows", 3.0), ("metaslab_shift", 35.0)], &[]),
    row("zdb-mm-03", "zdb -mm",
        &["15 metaslabs of 128 MiB", "Metaslab 0: 3.12M free, fragmentation 64, largest bucket 2^17",
          "64 by the table of 2.3.0 and older", "Metaslab 1: 1.78M free, fragmentation 65", "the poster left lines out here"],
        &[("metaslabs", 15.0), ("rows", 2.0), ("metaslab_shift", 27.0)], &[24]),
    row("zfs-list-01", "zfs list", &["tank: USED 106 TiB, AVAIL 4.64 TiB", "USED 15.7 TiB is above REFER 7.59 TiB"],
        &[("avail", 4.64 * 1024.0 * GIB), ("used", 106.0 * 1024.0 * GIB)], &[1]),
    row("zil-01", "zil",
        &["18446744072731425348 is a wrapped counter", "3090 a commit", "to log devices", "2.1 or older (13 counters)"],
        &[("slog_count", 1169526.0), ("slog_bytes", 140983216376.0), ("itx_per_commit", 3090.0),
          ("zil_itx_needcopy_bytes", -978126268.0)], &[1]),
    row("zil-03", "zil (objset)",
        &["Data set tank/a: 2824 commits", "16522 records", "indirect: 3073 records", "needcopy: 10492 records",
          "normal vdevs (no log device)", "1.74 times", "2.3 or later"],
        &[("commits", 2824.0), ("indirect_bytes", 186049521.0), ("needcopy_bytes", 32314808.0), ("log_padding", 1.7417),
          ("log_write_bytes", 43057152.0), ("log_alloc_bytes", 61841408.0), ("slog_count", 0.0)], &[]),
    row("zpool-get-01", "zpool get", &["101G allocated", "padding"], &[("allocated", 101.0 * GIB), ("ashift", 12.0)], &[]),
];

fn folder() -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no folder {}", path.display());
    None
}

/// Every file with its name, sorted.
fn files() -> Vec<(String, String)> {
    let Some(folder) = folder() else {
        return Vec::new();
    };
    let mut out: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder can be listed")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let bytes = std::fs::read(&path).expect("the file can be read");
            (name.into_owned(), String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect();
    out.sort();
    out
}

/// All words of a reading in one text.
fn all_words(view: &ExplainView) -> String {
    let mut text = format!("{}\n{}\n{}\n", view.verdict, view.next_step, view.version_hint);
    for finding in &view.findings {
        text.push_str(&finding.text);
        text.push('\n');
    }
    for line in &view.not_understood {
        text.push_str(&line.why);
        text.push('\n');
    }
    text
}

/// What is wrong with the reading of one file.
fn faults(row: &Row, text: &str) -> Vec<String> {
    let view = explain(text);
    let words = all_words(&view);
    let mut out = Vec::new();
    if view.kind != row.kind {
        out.push(format!("kind {}, expected {}", view.kind, row.kind));
    }
    for word in row.words {
        if !words.contains(word) {
            out.push(format!("no word tells: {word}"));
        }
    }
    for (name, expect) in row.numbers {
        let slack = (expect * 0.005).abs();
        let found: Vec<f64> =
            view.numbers.iter().filter(|(n, _)| n == name).map(|(_, v)| *v).collect();
        if !found.iter().any(|v| (v - expect).abs() <= slack) {
            out.push(format!("{name} is {found:?}, expected {expect}"));
        }
    }
    for line in row.dropped {
        if !view.not_understood.iter().any(|d| d.line == *line) {
            out.push(format!("line {line} is not listed as dropped"));
        }
    }
    if view.verdict.is_empty() || view.next_step.is_empty() {
        out.push("no verdict or no next step".to_string());
    }
    out
}

#[test]
fn every_file_has_its_right_reading() {
    let files = files();
    let mut wrong = Vec::new();
    for (name, text) in &files {
        match ROWS.iter().find(|row| row.file == name) {
            Some(row) => {
                wrong.extend(faults(row, text).into_iter().map(|f| format!("{name}: {f}")));
            }
            None => {
                let kind = explain(text).kind;
                if kind == "unknown" {
                    wrong.push(format!("{name}: unknown"));
                }
            }
        }
    }
    if !files.is_empty() {
        for row in ROWS {
            assert!(files.iter().any(|(n, _)| n == row.file), "{} is gone", row.file);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_line_is_used_or_listed() {
    for (name, text) in files() {
        let view = explain(&text);
        let lines = text.lines().count();
        assert!(
            view.not_understood.len() * 3 <= lines + 6,
            "{name}: {} of {lines} lines were dropped",
            view.not_understood.len()
        );
        for dropped in &view.not_understood {
            assert!(!dropped.why.is_empty() && dropped.line as usize <= lines, "{name}");
            let line = text.lines().nth(dropped.line as usize - 1).unwrap_or("");
            let word = dropped.text.split_whitespace().next().unwrap_or("");
            assert!(line.contains(word), "{name}: line {} is quoted wrong", dropped.line);
        }
    }
}

#[test]
fn every_prefix_is_read_without_panic() {
    for (name, text) in files() {
        let mut last = String::new();
        for at in 0..=text.len() {
            let Some(prefix) = text.get(..at) else {
                continue;
            };
            let view = explain(prefix);
            let shown = print(&view, 80);
            assert!(!shown.is_empty(), "{name}: nothing printed at byte {at}");
            last = view.kind;
        }
        assert_ne!(last, "unknown", "{name}");
    }
}

/// The families of a kind: a lost line may turn `-mm` into `-m`, never into something else.
fn family(kind: &str) -> String {
    let words: Vec<&str> = kind.split_whitespace().collect();
    match words.as_slice() {
        ["zdb", option, ..] => format!("zdb {}", option.chars().take(2).collect::<String>()),
        ["zpool", what, ..] => format!("zpool {what}"),
        [first, ..] => first.to_string(),
        [] => String::new(),
    }
}

#[test]
fn the_kind_survives_lost_and_doubled_lines_and_collapsed_blanks() {
    let mut wrong = Vec::new();
    for (name, text) in files() {
        let kind = explain(&text).kind;
        let lines: Vec<&str> = text.lines().collect();
        let mut check = |what: String, damaged: String| {
            let view = explain(&damaged);
            if family(&view.kind) != family(&kind) {
                wrong.push(format!("{name}, {what}: {kind} became {}", view.kind));
            }
        };
        for lost in 0..lines.len() {
            let mut rest = lines.clone();
            rest.remove(lost);
            check(format!("without line {}", lost + 1), rest.join("\n"));
            let mut more = lines.clone();
            more.insert(lost, lines[lost]);
            check(format!("line {} twice", lost + 1), more.join("\r\n"));
        }
        let words = |line: &&str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        check("collapsed".into(), lines.iter().map(words).collect::<Vec<_>>().join("\n"));
        let tabs = lines.iter().map(|l| l.replace("  ", "\t"));
        check("with tabs".into(), tabs.collect::<Vec<_>>().join("\n"));
        let deep = lines.iter().map(|l| format!("        {l}"));
        check("indented".into(), deep.collect::<Vec<_>>().join("\n"));
        let quoted =
            format!("Hello, my pool is slow. Here is what it says:\n\n{text}\n\nAny idea?\n");
        check("inside a letter".into(), quoted);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_kinds_in_one_text_are_both_told() {
    let files = files();
    let get = |name: &str| files.iter().find(|(n, _)| n == name).map(|(_, t)| t.as_str());
    let (Some(txgs), Some(iostat)) = (get("txgs-11"), get("iostat-v-09")) else {
        return;
    };
    let view = explain(&format!("{txgs}\n{iostat}"));
    let words = all_words(&view);
    for expect in ["The text holds 2 kinds", "txgs", "zpool iostat -v", "xvdg", "28147401"] {
        assert!(words.contains(expect), "{expect} is missing in\n{words}");
    }
}
