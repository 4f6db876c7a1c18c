import './lib/restart-clean.mjs'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundleCli } from '../scripts/build/bundle-cli.mjs'
import { readFeatures } from '../scripts/build/features.mjs'
import { findWrongDecisions } from './lib/git-context.mjs'
import { computeMedian } from './lib/interleave.mjs'
import { isOverLimit, report } from './lib/report.mjs'

/**
 * Measures the accuracy and speed of the command analysis: `node bench/bash-safety.mjs [FOLDER]`. The folder has rows in the format
 * of `test/fixtures/bash-safety`, which is the default.
 */
const CWD = '/home/dev/proj'
const LIMITS = {
  coreRecall: 0.92,
  needlessInRepositories: 0.06,
  needlessEveryday: 0.05,
  typicalMicroseconds: 60,
  longLineMilliseconds: 20,
  hostileMilliseconds: 50,
}
/** After this many rounds, V8 has compiled the analysis. */
const WARM_UP_ROUNDS = 6
const HARD_CATEGORIES = ['ro_hard', 'ro_var']

/** @typedef {{ id: string, command: string, category: string, rules?: object, expected?: string, also_ok?: string[], part?: number }} Row */

const dataFolder = process.argv[2] ?? fileURLToPath(new URL('../test/fixtures/bash-safety', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
try {
  await bundleCli({ features: await readFeatures(), outdir: folder })
  const rows = {
    reading: readRows('benign_readonly'),
    changing: readRows('benign_effect'),
    adversarial: readRows('adversarial'),
    rules: readRows('rules'),
  }
  report('Bash commands: decisions', [
    ...measureReadOnly(rows),
    ...measureRules(rows.rules),
    ...measureAutoMode(rows.adversarial),
    ...(await measureRepositories()),
    ...measureAttacks(),
  ])
  const commands = [...rows.reading, ...rows.changing, ...rows.adversarial].map(({ command }) => command)
  report('Bash commands: time of the analysis', await timeAnalysis(commands))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * @param {string} name
 * @returns {Row[]}
 */
function readRows(name) {
  const file = findRows(name)
  if (file === undefined)
    throw new Error(
      `${dataFolder} has no file ${name}.jsonl. Pass a folder with the same files as test/fixtures/bash-safety.`,
    )
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** @param {string} name */
function findRows(name) {
  return [`${name}.dev.jsonl`, `${name}.jsonl`, `${name.replace('_', '-')}.jsonl`]
    .map((candidate) => join(dataFolder, candidate))
    .find((candidate) => existsSync(candidate))
}

/**
 * @param {readonly Row[]} rows
 * @param {object} fields
 * @returns {{ behavior: string, readOnly: boolean }[]}
 */
function check(rows, fields = {}) {
  const lines = rows.map(({ id, command, rules = {} }) =>
    JSON.stringify({ id, tool: 'Bash', input: { command }, cwd: CWD, rules, sandbox: true, ...fields }),
  )
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'main.js'), 'permissions', 'check', '--jsonl'],
    { input: `${lines.join('\n')}\n`, encoding: 'utf8', maxBuffer: 1e8 },
  )
  if (status !== 0) throw new Error(`haft permissions check failed: ${stderr}`)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** @param {{ reading: Row[], changing: Row[], adversarial: Row[] }} rows */
function measureReadOnly({ reading, changing, adversarial }) {
  const countReadOnly = (/** @type {readonly Row[]} */ rows) => check(rows).filter((answer) => answer.readOnly).length
  const countAllowedWithoutSandbox = (/** @type {readonly Row[]} */ rows) =>
    check(rows, { sandbox: false }).filter(({ behavior }) => behavior === 'allow').length
  const coreRows = reading.filter(({ category }) => !HARD_CATEGORIES.includes(category))
  const recall = countReadOnly(coreRows) / coreRows.length
  return [
    expectNone('adversarial, considered read-only', countReadOnly(adversarial), adversarial.length),
    expectNone('with effects, considered read-only', countReadOnly(changing), changing.length),
    {
      name: `read-only, not recognised (core, ${coreRows.length})`,
      value: formatPercent(1 - recall),
      limit: formatPercent(1 - LIMITS.coreRecall),
      isOver: isOverLimit(1 - recall, 1 - LIMITS.coreRecall),
    },
    expectNone(
      'adversarial, allowed without a sandbox',
      countAllowedWithoutSandbox(adversarial) + countAllowedWithoutSandbox(changing),
      adversarial.length + changing.length,
    ),
    {
      name: `read-only, allowed without a sandbox (core, ${coreRows.length})`,
      value: formatPercent(countAllowedWithoutSandbox(coreRows) / coreRows.length),
    },
    {
      name: `read-only, recognised (all, ${reading.length})`,
      value: formatPercent(countReadOnly(reading) / reading.length),
    },
  ]
}

async function measureRepositories() {
  const { wrong: wrongRows, count } = await findWrongDecisions(dataFolder, (commands, cwd) =>
    check(
      commands.map((command, id) => ({ id: String(id), command, category: '' })),
      { cwd },
    ),
  )
  const unsafeRows = wrongRows.filter(({ executes }) => executes)
  for (const { setup, command } of unsafeRows) console.log(`  unsafe after ${JSON.stringify(setup)}: ${command}`)
  const needlessCount = wrongRows.length - unsafeRows.length
  return [
    expectNone('git in unusual repositories, runs a program without approval', unsafeRows.length, count),
    // The limit is not zero: the analysis assumes that a repository's drivers, filters and signature checks apply to every file.
    {
      name: `git in unusual repositories, asks unnecessarily (of ${count})`,
      value: formatPercent(needlessCount / count),
      limit: formatPercent(LIMITS.needlessInRepositories),
      isOver: isOverLimit(needlessCount / count, LIMITS.needlessInRepositories),
    },
  ]
}

/** @param {readonly Row[]} rows */
function measureRules(rows) {
  const answers = check(rows)
  const wrongRows = rows.filter(
    ({ expected, also_ok = [] }, index) => ![expected, ...also_ok].includes(answers[index]?.behavior),
  )
  for (const { command } of wrongRows) console.log(`  not acceptable: ${JSON.stringify(command)}`)
  return [expectNone('rules, decision not acceptable', wrongRows.length, rows.length)]
}

/** @param {readonly Row[]} rows */
function measureAutoMode(rows) {
  const allowedCount = check(rows, { mode: 'auto' }).filter(({ behavior }) => behavior === 'allow').length
  return [expectNone('adversarial, allowed in auto mode', allowedCount, rows.length)]
}

/**
 * Measures the decisions about commands and rules by an attacker who read the source, and about everyday commands. Rows with
 * the expectation `either` are skipped.
 */
function measureAttacks() {
  if (findRows('attack') === undefined) return []
  const rows = readRows('attack').filter(({ expected }) => expected !== 'either')
  const answers = check(rows)
  const wrongRows = rows.filter((row, index) => (answers[index]?.behavior === 'allow') !== (row.expected === 'allow'))
  const unsafeRows = wrongRows.filter(({ expected }) => expected !== 'allow')
  const everydayRows = rows.filter(({ part }) => part === 3)
  const needlessShare = wrongRows.filter(({ part }) => part === 3).length / everydayRows.length
  const countPart = (/** @type {readonly Row[]} */ list, /** @type {number} */ part) =>
    list.filter((row) => row.part === part).length
  for (const { command } of unsafeRows.slice(0, 10)) console.log(`  unsafe: ${JSON.stringify(command)}`)
  return [
    expectNone('attack: commands with effects, allowed', countPart(unsafeRows, 1), countPart(rows, 1)),
    expectNone('attack: rules that do not hold', countPart(unsafeRows, 2), countPart(rows, 2)),
    {
      name: `attack: everyday commands, asked about (of ${everydayRows.length})`,
      value: formatPercent(needlessShare),
      limit: formatPercent(LIMITS.needlessEveryday),
      isOver: isOverLimit(needlessShare, LIMITS.needlessEveryday),
    },
  ]
}

/**
 * @param {string} name
 * @param {number} count
 * @param {number} all
 */
function expectNone(name, count, all) {
  return { name: `${name} (of ${all})`, value: String(count), limit: '0', isOver: isOverLimit(count, 0) }
}

/** @param {number} share */
function formatPercent(share) {
  return `${(100 * share).toFixed(1)}%`
}

/** @param {readonly string[]} commands */
async function timeAnalysis(commands) {
  const outfile = join(folder, 'analyse-command.mjs')
  const entry = fileURLToPath(new URL('../src/shell/analyse-command.ts', import.meta.url))
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' })
  const { analyseCommand } = await import(pathToFileURL(outfile).href)
  const measureMs = (/** @type {string} */ command) => {
    const start = performance.now()
    analyseCommand(command, { cwd: CWD })
    return performance.now() - start
  }
  for (const command of commands) measureMs(command)
  const typicalCold = 1_000 * computeMedian(commands.map(measureMs))
  for (let round = 0; round < WARM_UP_ROUNDS; round++) for (const command of commands) measureMs(command)
  const typicalMicros = 1_000 * computeMedian(commands.map(measureMs))
  const slowestMs = Math.max(
    ...createHostileCommands().map((command) => Math.min(measureMs(command), measureMs(command))),
  )
  const longLine = Math.min(...Array.from({ length: 5 }, () => measureMs(createLongLine(commands))))
  const { typicalMicroseconds, hostileMilliseconds, longLineMilliseconds } = LIMITS
  return [
    {
      name: `median of ${commands.length} commands, each analysed once before`,
      value: `${typicalCold.toFixed(1)} µs`,
    },
    {
      name: `median of ${commands.length} commands, compiled by V8`,
      value: `${typicalMicros.toFixed(1)} µs`,
      limit: `${typicalMicroseconds} µs`,
      isOver: isOverLimit(typicalMicros, typicalMicroseconds),
    },
    {
      name: 'a line of 20,000 characters',
      value: `${longLine.toFixed(1)} ms`,
      limit: `${longLineMilliseconds} ms`,
      isOver: isOverLimit(longLine, longLineMilliseconds),
    },
    {
      name: 'slowest hostile command of 100 kB',
      value: `${slowestMs.toFixed(1)} ms`,
      limit: `${hostileMilliseconds} ms`,
      isOver: isOverLimit(slowestMs, hostileMilliseconds),
    },
  ]
}

/**
 * Joins commands of the rows that can be followed by another one, up to 20,000 characters.
 * @param {readonly string[]} commands
 */
function createLongLine(commands) {
  const parts = ['true']
  let length = 0
  // Long commands come first, because a line with more than a thousand separators is not parsed.
  for (const command of commands.toSorted((a, b) => b.length - a.length)) {
    if (/[#\n\\]|<</.test(command) || length + command.length + 2 > 19_990) continue
    parts.push(command)
    length += command.length + 2
  }
  return parts.join('; ')
}

function createHostileCommands() {
  const pieces = [
    'a ',
    'ls;',
    'ls|',
    '$(',
    '`',
    '"',
    '{a,',
    '{a{',
    '(',
    '$((',
    'cat <<A\n',
    'env ',
    "'",
    '${a:-',
    '\\',
    '[',
  ]
  return pieces.map((piece) => `echo ${piece.repeat(Math.ceil(100_000 / piece.length))}`)
}
