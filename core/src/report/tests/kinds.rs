//! Every family on made-up snippets: other versions and other damage than the corpus has.

use super::{check, number};
use crate::report::explain;
use crate::view::Picture;

#[test]
fn metaslabs_of_2_3_with_log_space_maps() {
    let text = "
Metaslabs:
\tvdev          0      ms_unflushed_phys object 97
\tmetaslabs     3   offset                spacemap          free
\t---------------   -------------------   ---------------   ------------
\tmetaslab      0   offset            0   spacemap     99   free     512M
space map object 99:
  smp_length = 0x100
  smp_alloc = 0x20000000
\tFlush data:
\tunflushed txg=120
\tmetaslab      1   offset     40000000   spacemap      0   free       1G
\tmetaslab      2   offset     80000000   spacemap     88   free    1.00G
\tvdev          1   special
\tmetaslabs     2   offset                spacemap          free
\tmetaslab      0   offset            0   spacemap     50   free     16M
\tmetaslab      1   offset      1000000   spacemap     51   free     4M
Log Space Maps in Pool:
Log Spacemap object 200 txg 118
";
    check(
        text,
        "zdb -m",
        &[
            "2.0 or later",
            "vdev 0: 3 metaslabs of 1 GiB",
            "vdev 1 (special): 2 metaslabs of 16 MiB",
            "1 log space map listed",
            "Free space adds up in 1 row",
        ],
    );
    let Some(Picture::Map { map, .. }) = explain(text).pictures.first().cloned() else {
        panic!("a map is drawn");
    };
    let first = map.vdevs.first().expect("two vdevs are drawn");
    assert_eq!((first.metaslab_shift, first.metaslabs.len(), map.log_space_maps), (30, 3, 1));
    let slab = first.metaslabs.first().expect("it has metaslabs");
    assert_eq!((slab.free, slab.unflushed_txg.0, slab.space_map.0), (536_870_912, 120, 99));
    assert_eq!(map.vdevs.get(1).map(|v| v.class.as_str()), Some("special"));
}

#[test]
fn metaslab_rows_wrapped_glued_and_in_one_line() {
    let glued =
        "metaslab 0 offset 0 spacemap 5 free 1.5G metaslab 1 offset 100000000 spacemap 6 free 2G";
    check(glued, "zdb -m", &["2 rows here (0-1)", "metaslabs of 4 GiB"]);
    let wrapped = "metaslab 0 offset 0 spacemap\n 5 free 1.5G\nmetaslab 1 offset \
        100000000\nspacemap 6 free 2G\n";
    check(wrapped, "zdb -m", &["2 rows here (0-1)"]);
    assert_eq!(number(wrapped, "free"), Some(3.5 * 1_073_741_824.0));
}

#[test]
fn fragmentation_of_the_new_table_and_a_wrong_one() {
    let new = "metaslab 0 offset 0 spacemap 5 free 16M\nOn-disk histogram: fragmentation 17\n24: \
        1 *\nmetaslab 1 offset 10000000 spacemap 6 free 0\n";
    check(
        new,
        "zdb -mm",
        &["17 by the table of 2.3.1 (0 by the older one)", "made with the table of 2.3.1."],
    );
    let wrong = "metaslab 0 offset 0 spacemap 5 free 16M\nOn-disk histogram: fragmentation \
        55\n24: 1 *\nmetaslab 1 offset 10000000 spacemap 6 free 0\n";
    check(wrong, "zdb -mm", &["mismatch: Metaslab 0", "it does not fit"]);
}

#[test]
fn groups_loaded_trees_and_allocated_maps() {
    let groups = "\tvdev          0\t\tmetaslabs   15\t\tfragmentation  3%\n\t 12: 5 *\n\t 20: 2 \
        *\n\tpool tank\tfragmentation\t  3%\n";
    check(
        groups,
        "zdb -M",
        &["vdev 0 (15 metaslabs): 3%; largest bucket 2^20 (2 segments)", "the pool: 3%"],
    );
    let loaded = "metaslab 0 offset 0 spacemap 5 free 16M\nsegments 5 maxsize 8M freepct \
        50%\nIn-memory histogram:\n 14: 13 ***\n";
    check(loaded, "zdb -mmm", &["16M"]);
    let map = "vdev 0\nALLOC: 0 4096\nALLOC: 8192 8192\n";
    check(map, "zdb --allocated-map", &["vdev 0: 2 runs allocated, 12 KiB"]);
}

#[test]
fn free_space_that_does_not_add_up_is_told() {
    let text = "metaslab 0 offset 0 spacemap 5 free 3.00G\nsmp_alloc = 0x10000000\nmetaslab 1 \
        offset 100000000 spacemap 6 free 1G\n";
    check(
        text,
        "zdb -m",
        &["mismatch: Metaslab 0: 3.00G free is printed, but 4 GiB - smp_alloc 0x10000000 is 3.75G"],
    );
}

#[test]
fn transaction_groups_wrapped_and_running() {
    let text = "txg birth state ndirty nread nwritten reads writes otime qtime wtime stime
100 1000000000 C 1000000 0 5000000000 0 10000 5000000000 1000
 9000000 9000000000
101 6000000000 C 1000000 0 5000000000 0 10000 5000000000 1000 9000000000 9000000000
102 11000000000 O 0 0 0 0 0 0 0 0 0
";
    check(
        text,
        "txgs",
        &["3 transaction groups (100 to 102)", "at their bandwidth", "488 KiB", "exactly, 2 times"],
    );
    let wrong = text.replace("101 6000000000", "101 7000000000");
    check(&wrong, "txgs", &["mismatch: txg 100: birth + otime misses the next birth by 1 s"]);
}

#[test]
fn iostat_without_indentation_and_with_time_stamps() {
    let text = "pool alloc free read write read write
tank 1T 1T 10 20 1M 2M
mirror-0 1T 1T 10 20 1M 2M
sda - - 5 20 512K 2M
sdb - - 5 20 512K 2M
logs - - - - - -
sdc 1G 9G 0 50 0 5M
2024-01-02 10:00:01 tank 1T 1T 10 20 1M 2M
";
    check(
        text,
        "zpool iostat -v",
        &[
            "mirror-0 of 2",
            "4 MiB/s, 2.00 times",
            "Log device sdc: 1 GiB in use, 50 writes/s",
            "2 reports of 1 pool",
        ],
    );
}

#[test]
fn one_slow_disk_among_siblings() {
    let head = "pool alloc free read write read write read write read write read write read write \
        wait wait wait\n";
    let row = |name: &str, wait: &str| {
        std_alloc::format!(
            "    {name} - - 10 50 1M 5M 9ms {wait} 8ms {wait} 1us 1us 1us 1us - - -\n"
        )
    };
    let mut text = std_alloc::string::String::from(head);
    text.push_str("tank 1T 1T 40 200 4M 20M 9ms 50ms 8ms 40ms 1us 1us 1us 9ms - - -\n");
    text.push_str("  raidz1-0 1T 1T 40 200 4M 20M 9ms 50ms 8ms 40ms 1us 1us 1us 9ms - - -\n");
    for (name, wait) in [("sda", "9ms"), ("sdb", "10ms"), ("sdc", "9ms"), ("sdd", "95ms")] {
        text.push_str(&row(name, wait));
    }
    check(
        &text,
        "zpool iostat -l",
        &["One disk is slow: sdd takes 95 ms where its siblings take 10 ms", "2.2 or later"],
    );
}

#[test]
fn queues_that_are_not_empty() {
    let text = "pool alloc free read write read write pend activ pend activ pend activ pend activ \
        pend activ\ntank 1T 1T 1 2 3 4 0 0 5 10 0 0 900 10 0 0\n";
    check(
        text,
        "zpool iostat -q",
        &["905 waiting (pend) and 20 in the devices", "Longest asyncq_write: 900"],
    );
}

#[test]
fn a_whole_latency_table_has_percentiles_and_two_peaks() {
    let mut text = std_alloc::string::String::from(
        "tank total_wait disk_wait syncq_wait asyncq_wait\nlatency read write read write read \
         write read write scrub trim rebuild\n",
    );
    for n in 0..37u32 {
        let ns = (1u64 << (n + 1)) - 1;
        let label = match ns {
            0..1000 => std_alloc::format!("{ns}ns"),
            1000..1_000_000 => std_alloc::format!("{}us", ns / 1000),
            1_000_000..1_000_000_000 => std_alloc::format!("{}ms", ns / 1_000_000),
            _ => std_alloc::format!("{}s", ns / 1_000_000_000),
        };
        let count = match n {
            17 => 5000,
            23 => 3000,
            _ => 1,
        };
        text.push_str(&std_alloc::format!("{label} 0 0 {count} 0 0 0 0 0 0 0 0\n"));
    }
    check(
        &text,
        "zpool iostat -w",
        &["all 37 buckets", "two peaks", "2.2 or later", "half within"],
    );
}

#[test]
fn request_sizes_with_trim() {
    let text = "tank sync_read sync_write async_read async_write scrub trim\nreq_size ind agg ind \
        agg ind agg ind agg ind agg ind agg\n4K 0 0 0 0 0 0 900 10 0 0 0 0\n128K 0 0 0 0 0 0 100 \
        1 0 0 0 0\n";
    check(
        text,
        "zpool iostat -r",
        &["0.8 to 2.1 (trim columns)", "Nothing to speak of is aggregated: 1%"],
    );
}

#[test]
fn pools_of_every_age() {
    let old =
        "NAME SIZE ALLOC FREE CAP DEDUP HEALTH ALTROOT\ntank 10T 9.7T 300G 97% 1.00x ONLINE -\n";
    check(old, "zpool list", &["0.6.3 or older (no FRAG)", "CAP 97%", "As good as full"]);
    let sums = "NAME SIZE ALLOC FREE CKPOINT EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT\ntank 10T 2T \
        3T - - 1% 50% 1.00x DEGRADED -\n";
    check(
        sums,
        "zpool list",
        &["mismatch: tank: ALLOC + FREE is 5 TiB, SIZE 10 TiB", "warning: tank is DEGRADED"],
    );
}

#[test]
fn counters_taken_twice() {
    let text = "name type data\ndmu_tx_assigned 4 1000\ndmu_tx_dirty_delay 4 \
        0\ndmu_tx_dirty_over_max 4 0\nname type data\ndmu_tx_assigned 4 3000\ndmu_tx_dirty_delay \
        4 500\ndmu_tx_dirty_over_max 4 100\n";
    check(
        text,
        "dmu_tx",
        &["2000 transactions assigned between", "far too slow", "100 transactions of 2000"],
    );
    assert_eq!(number(text, "tx_dirty_delay"), Some(500.0));
}

#[test]
fn arcstats_and_unknown_kstats() {
    let arc = "name type data\nhits 4 900\nmisses 4 100\nc 4 1073741824\nc_max 4 4294967296\nsize \
        4 1073741824\nmemory_direct_count 4 7\n";
    check(arc, "arcstats", &["90.0% hits of 1000", "below its maximum", "7 by allocators"]);
    check("name type data\nsome_counter 4 12\n", "kstat", &["some_counter 12"]);
}

#[test]
fn labels_that_disagree_and_a_missing_vdev() {
    let label = |n: u64, txg: u64| {
        std_alloc::format!(
            "LABEL {n}\n version: 5000\n name: 'tank'\n state: 0\n txg: {txg}\n pool_guid: 10\n \
             vdev_children: 1\n vdev_tree:\n type: 'mirror'\n id: 0\n guid: 5\n metaslab_array: \
             34\n metaslab_shift: 29\n ashift: 12\n asize: 8585216000\n children[0]:\n type: \
             'disk'\n guid: 6\n path: '/dev/sda'\n"
        )
    };
    let text = std_alloc::format!(
        "{}{}Uberblock[0]\n magic = 0000000000bab10c\n txg = 9\n guid_sum = 30\n timestamp = 5\n",
        label(0, 9),
        label(1, 7)
    );
    check(
        &text,
        "zdb -lu",
        &[
            "2 labels, txg 9, 7. They differ",
            "mismatch: guid_sum is 30, but pool guid + the 2 vdev guids shown give 21",
            "15 metaslabs of 512 MiB",
        ],
    );
}

#[test]
fn block_sums_with_gangs() {
    let text = "bp count: 1000\nganged count: 25\nbp logical: 2000 avg: 2\nbp physical: 1000 avg: \
        1 compression: 2.00\nbp allocated: 1500 avg: 1 compression: 1.33\nNormal class: 1500 \
        used: 50.00%\n";
    check(
        text,
        "zdb -b",
        &[
            "25 of 1000 blocks are ganged (2.50%)",
            "check: Logical",
            "2.50% of the blocks are ganged",
        ],
    );
    let wrong = text.replace("compression: 2.00", "compression: 3.00");
    check(&wrong, "zdb -b", &["mismatch: Logical"]);
}

#[test]
fn files_in_pieces() {
    let text = "Object lvl iblk dblk dsize dnsize lsize %full type\n 7 2 128K 128K 512K 512 512K \
        100.00 ZFS plain file\n path /big\n size 500000\n 0 L0 0:10000:20000 20000L/20000P F=1 \
        B=5/5\n 20000 L0 0:30000:20000 20000L/20000P F=1 B=5/5\n 40000 L0 1:90000:20000 \
        20000L/20000P F=1 B=6/6\n";
    check(
        text,
        "zdb -d",
        &["Object 7 /big", "3 L0 pointers of 128 KiB in 2 runs", "2.67 seeks per MiB"],
    );
}

#[test]
fn a_pool_with_errors() {
    let text = "  pool: tank\n state: DEGRADED\nstatus: One or more devices are \
        faulted.\nconfig:\n\tNAME STATE READ WRITE CKSUM SLOW\n\ttank DEGRADED 0 0 0 -\n\t  \
        mirror-0 DEGRADED 0 0 0 -\n\t    sda ONLINE 0 0 3 17\n\t    sdb FAULTED 12 4 0 0 too many \
        errors\nerrors: No known data errors\n";
    check(
        text,
        "zpool status",
        &[
            "Pool tank is DEGRADED",
            "sdb is FAULTED: 12 read, 4 write, 0 checksum errors",
            "sda is ONLINE: 0 read, 0 write, 3 checksum errors, 17 slow",
        ],
    );
}

#[test]
fn the_debug_log_of_a_load_storm() {
    let text = "1 metaslab.c:1:metaslab_load_impl(): metaslab_load: txg 5, ms_id 3, smp_length \
        100, loading_time 20 ms, ms_max_size 49152, max size error 0, old_weight 440000000000001, \
        new_weight 3c0000000000005\n";
    check(
        text,
        "dbgmsg",
        &["No block of 128 KiB fits: a load storm", "loaded for nothing", "weight index 17 to 15"],
    );
    let frees = "1700000000 dsl_scan.c:3:dsl_process_async_destroys(): freed 22 blocks in 500ms \
        from free_bpobj/bptree txg 7; err=85\n1700000005 \
        dsl_scan.c:3:dsl_process_async_destroys(): freed 755 blocks in 500ms from \
        free_bpobj/bptree txg 8; err=85\n";
    check(
        frees,
        "dbgmsg",
        &["2 passes freed 22 to 755 blocks each, 777 in all", "err=85 (ERESTART"],
    );
}

#[test]
fn events_of_new_versions() {
    let text = "Jan  2 2025 03:04:05.000000001 ereport.fs.zfs.checksum\n class = \
        \"ereport.fs.zfs.checksum\"\n vdev_path = \"/dev/sdx\"\n zio_err = 0x34\n zio_type = \
        0x1\n zio_offset = 0x100000\n zio_size = 0x1000\n zio_delay = 0x64\n zio_delta = 0x2710\n \
        vdev_slow_io_n = 0x5\n";
    check(
        text,
        "zpool events -v",
        &[
            "2.4 or later (zio_type)",
            "Read error (zio_err 52, ECKSUM",
            "most of it was in the queue",
        ],
    );
}

#[test]
fn traces_and_loads() {
    let fio = "job: (g=0): rw=randread, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, \
        ioengine=libaio, iodepth=16\njob: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=16.0k, \
        BW=125MiB/s (131MB/s)(1GiB/8msec)\n    clat (usec): min=1, max=9, avg=1000.00, stdev=2\n";
    check(
        fio,
        "fio",
        &["8 KiB read, 1 job: 16.0k IOPS, mean 1 ms", "check: IOPS times block size"],
    );
    let trace = "8,0 1 1 0.000000000 5 Q W 100 + 8 [a]\n8,0 1 2 0.001000000 5 I W 100 + 8 \
        [a]\n8,0 1 3 0.002000000 5 D W 100 + 8 [a]\n8,0 1 4 0.010000000 5 C W 100 + 8 [0]\n";
    check(trace, "blktrace", &["Requests take 10 ms", "8 sectors (4 KiB)"]);
}

#[test]
fn prose_around_a_table_is_dropped_with_a_reason() {
    let text = "Hi all,\nmy pool is slow:\n\nNAME SIZE ALLOC FREE CAP DEDUP HEALTH ALTROOT\ntank \
        10T 1T 9T 10% 1.00x ONLINE -\n[...]\nany idea?\n";
    check(
        text,
        "zpool list",
        &["dropped 1:", "dropped 6: the poster left lines out here", "dropped 7:"],
    );
}
