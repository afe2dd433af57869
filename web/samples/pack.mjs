// Packs an image: node pack.mjs IMAGE OUT. The zeros are left out and the rest is gzipped.
//
//   "TIDEPOOL-SPARSE\n", size u64, then extents: offset u64, length u64, bytes (little-endian)
import { openSync, readSync, fstatSync, writeFileSync } from "node:fs";
import { gzipSync, constants } from "node:zlib";

const [, , from, to] = process.argv;
const file = openSync(from, "r");
const size = fstatSync(file).size;
const CHUNK = 4096;
const zero = Buffer.alloc(CHUNK);
const parts = [Buffer.from("TIDEPOOL-SPARSE\n"), word(size)];

function word(n) {
  const b = Buffer.alloc(8);
  b.writeBigUInt64LE(BigInt(n));
  return b;
}

let run = [];
let start = 0;
function flush() {
  if (run.length === 0) return;
  const bytes = Buffer.concat(run);
  parts.push(word(start), word(bytes.length), bytes);
  run = [];
}
for (let at = 0; at < size; at += CHUNK) {
  const chunk = Buffer.alloc(Math.min(CHUNK, size - at));
  readSync(file, chunk, 0, chunk.length, at);
  if (chunk.equals(zero.subarray(0, chunk.length))) flush();
  else {
    if (run.length === 0) start = at;
    run.push(chunk);
  }
}
flush();
writeFileSync(to, gzipSync(Buffer.concat(parts), { level: 9, strategy: constants.Z_DEFAULT_STRATEGY }));
