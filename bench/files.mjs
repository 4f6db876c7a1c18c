import './lib/restart-clean.mjs'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rgPath } from '@vscode/ripgrep'
import { openFileTools } from './lib/file-tools.mjs'
import { makeHugeFile, makeTree } from './lib/file-tree.mjs'
import { interleave } from './lib/interleave.mjs'
import { createRatioRows, isOverLimit, report } from './lib/report.mjs'
import { runProgram } from './lib/run-program.mjs'

/**
 * Measures the file tools, called through the whole pipeline, relative to the programs and system calls that do the same.
 * `node bench/files.mjs [tree] [huge] [edits]` runs the named parts, or all of them.
 */
const SEARCHED_WORD = 'needleInAHaystack'
const READ_RANGE = { offset: 1_000_000, limit: 101 }
const MAX_MEMORY_MB = 100

const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
const home = join(folder, 'home')
try {
  const parts = { tree: benchTree, huge: benchHugeFile, edits: benchEdits }
  for (const [name, bench] of Object.entries(parts)) if (isRequested(name)) await bench()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @param {string} part */
function isRequested(part) {
  const requestedParts = process.argv.slice(2)
  return requestedParts.length === 0 || requestedParts.includes(part)
}

async function benchTree() {
  const tree = join(folder, 'tree')
  mkdirSync(tree)
  makeTree(tree, SEARCHED_WORD)
  const tools = openFileTools(tree, { home, hasCheckpoints: true })
  const timeRipgrep = (/** @type {string[]} */ ...args) =>
    measureWallTime(() => runProgram(rgPath, ['--no-config', ...args], tree))
  const outputs = { files_with_matches: '-l', content: '-n', count: '-c' }
  for (const [output_mode, flag] of Object.entries(outputs)) {
    const search = () => measureWallTime(() => tools.call('Grep', { pattern: SEARCHED_WORD, output_mode }))
    await comparePair(`rg ${flag}`, () => timeRipgrep(flag, SEARCHED_WORD), `Grep, ${output_mode}`, search, {
      limit: 1.2,
    })
  }
  for (const pattern of ['**/*.ts', 'part-7/**/*.md', '**/*']) {
    const list = () => timeRipgrep('--files', '--sortr=modified', '-g', pattern)
    const timeGlob = () => measureWallTime(() => tools.call('Glob', { pattern }))
    await comparePair(`rg --files --sortr=modified -g ${pattern}`, list, 'Glob', timeGlob, { limit: 1.3 })
  }
  await tools.dispose()
  rmSync(tree, { recursive: true })
}

async function benchHugeFile() {
  const file = join(folder, 'huge')
  makeHugeFile(file)
  const tools = openFileTools(folder, { home, hasCheckpoints: true })
  const timeSed = () => measureWallTime(() => runProgram('sed', ['-n', '1000000,1000100p;1000100q', file], folder))
  const readAsText = async () => {
    // Read does not repeat lines that it has just shown, so another line is read in between.
    await tools.call('Read', { file_path: file, offset: 1, limit: 1 })
    return measureWallTime(() => tools.call('Read', { file_path: file, ...READ_RANGE }))
  }
  await comparePair('sed, lines 1,000,000 to 1,000,100 of 1 GB', timeSed, 'Read', readAsText, { limit: 1.2 })
  await tools.dispose()
  const megabytes = await measureMemoryOfRead(file)
  const isOver = isOverLimit(megabytes, MAX_MEMORY_MB)
  report('Memory of a process that reads these lines', [
    { name: 'peak memory', value: `${megabytes.toFixed(0)} MB`, limit: `${MAX_MEMORY_MB} MB`, isOver },
  ])
  rmSync(file)
}

/** @param {string} file */
async function measureMemoryOfRead(file) {
  const moduleUrl = pathToFileURL(join(import.meta.dirname, 'lib/file-tools.mjs')).href
  const source = `
    const { openFileTools } = await import(${JSON.stringify(moduleUrl)})
    const tools = openFileTools(${JSON.stringify(folder)}, { home: ${JSON.stringify(home)}, hasCheckpoints: true })
    await tools.call('Read', ${JSON.stringify({ file_path: file, ...READ_RANGE })})
    console.log(process.resourceUsage().maxRSS / 1024)
    await tools.dispose()
  `
  return Number(await runProgram(process.execPath, ['--input-type=module', '-e', source], folder))
}

async function benchEdits() {
  const toolsWithoutCheckpoints = openFileTools(folder, { home, hasCheckpoints: false })
  const toolsWithCheckpoints = openFileTools(folder, { home, hasCheckpoints: true })
  const largeContent = `${'some text that no edit searches for, line by line\n'.repeat(200_000)}state 0\n`
  const copiedFile = join(folder, 'copied.txt')
  writeFileSync(copiedFile, largeContent)
  const edit = await createEditsInTurn(toolsWithoutCheckpoints, 'large', largeContent)
  const { copy, end } = startCopyWorker()
  const cases = /** @type {const} */ ([
    { name: 'read and write 10 MB', run: () => copy(copiedFile, false) },
    { name: 'read, write and sync', run: () => copy(copiedFile, true) },
    { name: 'Edit', run: () => measureWallTime(edit), limit: 3 },
  ])
  const rounds = 21
  report(
    `Edit of 10 MB, median of ${rounds} interleaved rounds`,
    createRatioRows(await interleave({ rounds, cases }), 'ms'),
  )
  end()

  const smallContent = `${'line of a source file of the usual size\n'.repeat(200)}state 0\n`
  const editSmall = await createEdit(toolsWithoutCheckpoints, 'small.txt', smallContent)
  const editSmallWithCheckpoints = await createEdit(toolsWithCheckpoints, 'small-checkpoints.txt', smallContent)
  await comparePair(
    '1,000 edits',
    () => measureWallTime(() => repeat(1_000, editSmall)),
    '1,000 edits with checkpoints',
    () => measureWallTime(() => repeat(1_000, editSmallWithCheckpoints)),
    { limit: 2, rounds: 3 },
  )
  await toolsWithoutCheckpoints.dispose()
  await toolsWithCheckpoints.dispose()
}

/**
 * Creates a file and reads it, because Edit changes only files that were read. Returns a function that edits its last line.
 * @param {ReturnType<typeof openFileTools>} tools
 * @param {string} name
 * @param {string} content
 */
async function createEdit(tools, name, content) {
  const file_path = join(folder, name)
  writeFileSync(file_path, content)
  await tools.call('Read', { file_path, limit: 1 })
  let state = 0
  return () => tools.call('Edit', { file_path, old_string: `state ${state}`, new_string: `state ${++state}` })
}

/**
 * Creates many files like `createEdit`. Returns a function that edits them in turn, so that some seconds pass between two edits of a
 * file, as between the calls of a model.
 * @param {ReturnType<typeof openFileTools>} tools
 * @param {string} name
 * @param {string} content
 */
async function createEditsInTurn(tools, name, content) {
  const edits = await Promise.all(
    Array.from({ length: 24 }, (_, index) => createEdit(tools, `${name}-${index}`, content)),
  )
  let turn = 0
  return () => edits[turn++ % edits.length]?.()
}

function startCopyWorker() {
  const worker = fork(join(import.meta.dirname, 'lib/copy-worker.mjs'))
  /**
   * @param {string} file
   * @param {boolean} isSynced
   * @returns {Promise<number>}
   */
  const copyFile = async (file, isSynced) => {
    worker.send({ file, isSynced })
    const [milliseconds] = await once(worker, 'message')
    return milliseconds
  }
  return { copy: copyFile, end: () => worker.disconnect() }
}

/**
 * @param {number} count
 * @param {() => Promise<unknown>} action
 */
async function repeat(count, action) {
  for (let doneCount = 0; doneCount < count; doneCount++) await action()
}

/**
 * @param {string} baseName
 * @param {() => Promise<number>} baseAction
 * @param {string} name
 * @param {() => Promise<number>} runHaft
 * @param {{ limit: number, rounds?: number }} how
 */
async function comparePair(baseName, baseAction, name, runHaft, { limit, rounds = 9 }) {
  const cases = /** @type {const} */ ([
    { name: baseName, run: baseAction },
    { name, run: runHaft, limit },
  ])
  report(`${name}, median of ${rounds} interleaved rounds`, createRatioRows(await interleave({ rounds, cases }), 'ms'))
}

/** @param {() => unknown} action */
async function measureWallTime(action) {
  const start = process.hrtime.bigint()
  await action()
  return Number(process.hrtime.bigint() - start) / 1e6
}
