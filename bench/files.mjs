import { spawnSync } from 'node:child_process'
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rgPath } from '@vscode/ripgrep'
import { build } from 'esbuild'
import { makeHugeFile, makeTree } from './lib/file-tree.mjs'
import { interleave } from './lib/interleave.mjs'
import { ratioRows, report } from './lib/report.mjs'

/**
 * Files and search against the programs and system calls that do the same, each pair in turn in one run.
 * `node bench/files.mjs [tree] [huge] [edits]`: all parts, or those named.
 */
const WORD = 'needleInAHaystack'
const LINES = { offset: 1_000_000, limit: 101 }
const MAX_MEMORY_MB = 100

const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
try {
  const operations = await loadOperations()
  const parts = { tree: benchTree, huge: benchHugeFile, edits: benchEdits }
  for (const [name, bench] of Object.entries(parts)) if (isWanted(name)) await bench(operations)
  await operations.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @param {string} part */
function isWanted(part) {
  const wanted = process.argv.slice(2)
  return wanted.length === 0 || wanted.includes(part)
}

/** @typedef {ReturnType<typeof import('./lib/file-operations.ts').fileOperations>} Operations */

/** @returns {Promise<Operations>} */
async function loadOperations() {
  const outfile = join(folder, 'operations.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'lib/file-operations.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
    // Found from here: the bundle lies elsewhere.
    alias: { '@vscode/ripgrep': join(import.meta.dirname, '../node_modules/@vscode/ripgrep/lib/index.js') },
    banner: { js: `const importMetaUrl = ${JSON.stringify(import.meta.url)};` },
    define: { 'import.meta.url': 'importMetaUrl' },
  })
  const { fileOperations } = await import(pathToFileURL(outfile).href)
  return fileOperations(folder)
}

/** @param {Operations} operations */
async function benchTree({ grep, glob }) {
  const tree = join(folder, 'tree')
  mkdirSync(tree)
  makeTree(tree, WORD)
  const rg = (/** @type {string[]} */ ...args) => wall(() => run(rgPath, ['--no-config', ...args], tree))
  await pair(
    'rg -l',
    () => rg('-l', WORD),
    'Grep, files',
    () => wall(() => grep(tree, WORD, 'files')),
    1.2,
  )
  await pair(
    'rg -n',
    () => rg('-n', WORD),
    'Grep, content',
    () => wall(() => grep(tree, WORD, 'content')),
    1.2,
  )
  await pair(
    'rg -c',
    () => rg('-c', WORD),
    'Grep, count',
    () => wall(() => grep(tree, WORD, 'count')),
    1.2,
  )
  for (const pattern of ['**/*.ts', 'part-7/**/*.md', '**/*']) {
    const list = () => rg('--files', '--sortr=modified', '-g', pattern)
    await pair(`rg --files --sortr=modified -g ${pattern}`, list, 'Glob', () => wall(() => glob(tree, pattern)), 1.3)
  }
  rmSync(tree, { recursive: true })
}

/** @param {Operations} operations */
async function benchHugeFile({ readLines }) {
  const file = join(folder, 'huge')
  makeHugeFile(file)
  const sed = () => wall(() => run('sed', ['-n', '1000000,1000100p;1000100q', file], folder))
  const read = () => wall(() => readLines(file, LINES.offset, LINES.limit))
  await pair('sed, lines 1,000,000 to 1,000,100 of 1 GB', sed, 'Read', read, 1.2)
  const megabytes = memoryOfRead(file)
  const isOver = megabytes > MAX_MEMORY_MB
  report('Memory of a process that reads them', [
    { name: 'peak', value: `${megabytes.toFixed(0)} MB`, limit: `${MAX_MEMORY_MB} MB`, isOver },
  ])
  rmSync(file)
}

/** @param {string} file */
function memoryOfRead(file) {
  const source = `
    const { fileOperations } = await import(${JSON.stringify(pathToFileURL(join(folder, 'operations.mjs')).href)})
    await fileOperations(${JSON.stringify(folder)}).readLines(${JSON.stringify(file)}, ${LINES.offset}, ${LINES.limit})
    console.log(process.resourceUsage().maxRSS / 1024)
  `
  return Number(run(process.execPath, ['--input-type=module', '-e', source], folder))
}

/** @param {Operations} operations */
async function benchEdits({ edit, editKept }) {
  const large = join(folder, 'large.txt')
  writeFileSync(large, `${'some text that is not looked for, line after line\n'.repeat(200_000)}state 0\n`)
  let state = 0
  const change = () => edit(large, `state ${state}`, `state ${++state}`)
  const copy = () => writeFileSync(large, readFileSync(large))
  // A write that a power failure cannot halve is none before it is on the disk.
  const copyForGood = () => {
    const content = readFileSync(large)
    const handle = openSync(large, 'w')
    writeSync(handle, content)
    fdatasyncSync(handle)
    closeSync(handle)
  }
  const ours = () => wall(change)
  await pair('read and write 10 MB', () => wall(copy), 'Edit of 10 MB', ours, undefined)
  await pair('read, write and sync 10 MB', () => wall(copyForGood), 'Edit of 10 MB', ours, 3)

  const small = join(folder, 'small.txt')
  writeFileSync(small, `${'line of a source file of the usual size\n'.repeat(200)}state 0\n`)
  let turn = 0
  const thousand = (/** @type {(from: string, to: string) => Promise<void>} */ one) =>
    wall(async () => {
      for (let count = 0; count < 1_000; count++) await one(`state ${turn}`, `state ${++turn}`)
    })
  const plain = () => thousand((from, to) => edit(small, from, to))
  const kept = () => thousand((from, to) => editKept(small, from, to, `toolu_${turn}`))
  await pair('1,000 edits', plain, '1,000 edits with checkpoints', kept, 2, 3)
}

/**
 * @param {string} baseName
 * @param {() => Promise<number>} base
 * @param {string} name
 * @param {() => Promise<number>} ours
 * @param {number | undefined} limit
 */
async function pair(baseName, base, name, ours, limit, rounds = 9) {
  const cases = /** @type {const} */ ([
    { name: baseName, run: base },
    { name, run: ours, ...(limit !== undefined && { limit }) },
  ])
  report(`${name}, median of ${rounds} interleaved rounds`, ratioRows(await interleave({ rounds, cases }), 'ms'))
}

/** @param {() => unknown} work */
async function wall(work) {
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start) / 1e6
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(program, args, cwd) {
  const { status, stdout } = spawnSync(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1024 ** 3,
  })
  if (status !== 0) throw new Error(`${program} ended with ${status}`)
  return stdout.toString('latin1')
}
