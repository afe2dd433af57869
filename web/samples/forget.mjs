// Zeroes what a pool does not use, so that its image packs well:
//   node forget.mjs TIDEPOOL DISKS_PER_VDEV IMAGE...
//
// Free segments come from Tidepool's own map. A plain disk holds offset X of its vdev at X + 4 MiB;
// a raidz of N disks deals its sectors out one by one. What older uberblocks refer to is lost.
import { execFileSync } from "node:child_process";
import { openSync, writeSync, closeSync } from "node:fs";

const [, , tidepool, width, ...images] = process.argv;
const disks = Number(width);
const START = 4 << 20;
const json = (...args) => JSON.parse(execFileSync(tidepool, ["map", ...args, "--json", ...images],
  { maxBuffer: 1 << 30 }));
let bytes = 0;
for (const vdev of json().vdevs) {
  const sector = 1 << vdev.ashift;
  const first = vdev.id * disks;
  const files = images.slice(first, first + disks).map((name) => openSync(name, "r+"));
  for (const metaslab of vdev.metaslabs) {
    for (const { start, end } of json("--vdev", `${vdev.id}`, "--metaslab", `${metaslab.id}`).segments) {
      bytes += end - start;
      if (disks === 1) {
        writeSync(files[0], Buffer.alloc(end - start), 0, end - start, start + START);
        continue;
      }
      for (let at = start; at < end; at += sector) {
        const index = at / sector;
        writeSync(files[index % disks], Buffer.alloc(sector), 0, sector,
          Math.floor(index / disks) * sector + START);
      }
    }
  }
  files.forEach((file) => closeSync(file));
}
console.log(`${bytes} free bytes zeroed`);
