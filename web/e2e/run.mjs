// Drives the playground in headless Chromium: node run.mjs ADDRESS [FOLDER FOR SCREENSHOTS]
//
// Opens a raidz member set and a single pool by file picker, looks at the map, opens a metaslab,
// walks its range tree by keyboard, pastes a `zdb -mm`, exports SVG and JSON, and holds the JSON of
// the page against that of the command line for the same files.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '..', '..');
const [address, shots] = process.argv.slice(2);
if (!address) {
  console.error('usage: node run.mjs ADDRESS [FOLDER]');
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), 'tidepool-e2e-'));
let passed = 0;

function check(what, holds, found = '') {
  if (!holds) throw new Error(`${what}: ${found}`);
  passed += 1;
  console.log(`ok ${what}`);
}

/** Unpacks samples into files, as a user would have them. */
function unpack(names) {
  return names.map((name) => {
    const path = join(scratch, name);
    writeFileSync(path, gunzipSync(readFileSync(join(root, 'web/static/samples', `${name}.gz`))));
    return path;
  });
}

function commandLine() {
  const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');
  const found = ['release', 'debug'].map((p) => join(target, p, 'tidepool')).find(existsSync);
  return found ?? null;
}

async function open(page, files) {
  await page.goto(`${address}#/open`);
  await page.locator('#pick').setInputFiles(files);
  await page.waitForFunction(() => document.querySelector('#main')?.dataset.view === 'pool',
    undefined, { timeout: 60000 });
}

async function view(page, key, word) {
  await page.locator('#main').focus();
  await page.keyboard.press(key);
  await page.waitForFunction((w) => document.querySelector('#main')?.dataset.view === w, word);
}

async function save(page, id) {
  await page.locator('#main').focus();
  await page.keyboard.press('e');
  const waiting = page.waitForEvent('download', { timeout: 60000 });
  await page.locator(id).click();
  const text = readFileSync(await (await waiting).path(), 'utf8');
  await page.keyboard.press('Escape');
  return text;
}

async function shot(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

async function sameMap(page, files, what) {
  await view(page, '3', 'map');
  await page.locator('[role=gridcell]').first().waitFor({ state: 'attached', timeout: 60000 });
  const mine = JSON.parse(await save(page, '#export-json'));
  const binary = commandLine();
  if (!binary) {
    console.log(`skipped: ${what} map beside the command line: it was not built`);
    return;
  }
  const args = ['map', '--json', ...files];
  const theirs = execFileSync(binary, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  const strip = (map) => JSON.stringify({ ...map, vdevs: map.vdevs.map((v) => ({ ...v, name: '' })) });
  check(`${what}: the page and the command line give the same map`,
    strip(mine) === strip(JSON.parse(theirs)));
}

async function raidz(page) {
  const files = unpack(['raidz-1.img', 'raidz-2.img', 'raidz-3.img']);
  const start = Date.now();
  await open(page, files);
  await view(page, '3', 'map');
  await page.locator('[role=gridcell]').first().waitFor({ state: 'attached' });
  console.log(`first map after ${Date.now() - start} ms`);
  await shot(page, 'map-raidz');
  await sameMap(page, files, 'raidz1');
  const svg = await save(page, '#export-svg');
  check('the map exports as SVG', svg.startsWith('<svg') && svg.includes('</svg>'));
  await open(page, files.slice(1));
  check('a lost member is told', (await page.locator('#main').innerText()).includes('degraded'));
}

async function single(page) {
  const files = unpack(['aged-1.img', 'aged-2.img']);
  await open(page, files);
  await shot(page, 'pool');
  await sameMap(page, files, 'aged');
  await page.locator('[role=grid]').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#main')?.dataset.view === 'metaslab');
  await page.locator('[role=slider]').first().waitFor();
  await shot(page, 'metaslab');
  await page.goto(`${page.url().replace(/&tab=[a-z]+/, '')}&tab=tree`);
  const row = page.locator('.node-row').first();
  await row.waitFor({ timeout: 30000 });
  await row.focus();
  const before = await page.locator('#node-0-active').innerText();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((old) => document.querySelector('#node-0-active')?.innerText !== old,
    before);
  check('the arrows walk the range tree', true);
  await shot(page, 'tree');
}

async function explain(page) {
  const text = readFileSync(join(root, 'web/static/samples/zdb-mm.txt'), 'utf8');
  await page.goto(`${address}#/open`);
  await page.locator('#paste').fill(text);
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await page.locator('#verdict').waitFor({ timeout: 30000 });
  const said = await page.locator('#main').innerText();
  check('a pasted zdb -mm is recognised', said.includes('zdb -mm'), said.slice(0, 200));
  await shot(page, 'explain');
  await page.locator('#verdict').waitFor();
}

async function small(browser) {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  await page.goto(`${address}#/open`);
  await page.locator('#pick').waitFor({ state: 'attached' });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check('the first screen fits 390 pixels', wide <= 390, `${wide} pixels`);
  await shot(page, 'small-dark');
  await page.close();
}

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: flags });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  const errors = [];
  page.on('pageerror', (e) => errors.push(String(e)));
  await raidz(page);
  await single(page);
  await explain(page);
  await small(browser);
  check('no error reached the page', errors.length === 0, errors.join('; '));
  console.log(`${passed} checks in the browser`);
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
