import './lib/restart-clean.mjs'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleCli } from '../scripts/build/bundle-cli.mjs'
import { readFeatures } from '../scripts/build/features.mjs'
import { interleave } from './lib/interleave.mjs'
import { isOverLimit, report } from './lib/report.mjs'
import { measureSpawnTime } from './lib/spawn-time.mjs'

/* Measures `haft permissions check` for a thousand calls, from start to exit, relative to Node without a program. */

const MAX_MS = 2_000
const LINE_COUNT = 1_000
const TOOL_CASES = [
  { tool: 'Read', input: (/** @type {number} */ n) => ({ file_path: `src/${n}.ts` }) },
  { tool: 'Bash', input: (/** @type {number} */ n) => ({ command: `git log -${n}` }) },
  { tool: 'Write', input: (/** @type {number} */ n) => ({ file_path: `out/${n}`, content: 'x' }) },
  { tool: 'Glob', input: () => ({ pattern: '**/*.ts' }) },
]
const RULES = { allow: ['Edit(out/**)', 'Bash(git log:*)'], deny: ['Read(secrets/**)', 'Bash(rm:*)'] }

const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
try {
  const outdir = join(folder, 'build')
  await bundleCli({ features: await readFeatures(), outdir, toolsModule: 'src/testing/files/file-tools.ts' })
  mkdirSync(join(folder, '.git'))
  const mainPath = join(outdir, 'main.js')
  const results = await interleave({
    rounds: 11,
    cases: [
      { name: 'node -e 0', run: () => measureSpawnTime(['-e', '0']) },
      {
        name: `${LINE_COUNT} lines, with the settings of the folder`,
        run: () => timeCheck(mainPath, createRequestLines()),
      },
      {
        name: `${LINE_COUNT} lines, each with its own rules`,
        run: () => timeCheck(mainPath, createRequestLines({ rules: RULES })),
      },
    ],
  })
  report(
    'haft permissions check --jsonl, median of 11 interleaved rounds',
    results.map(({ name, median, ratio }, index) => ({
      name: `${name} (${ratio.toFixed(1)}×)`,
      value: `${median.toFixed(0)} ms`,
      ...(index > 0 && { limit: `${MAX_MS} ms`, isOver: isOverLimit(median, MAX_MS) }),
    })),
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @param {object} [fields] */
function createRequestLines(fields = {}) {
  return Array.from({ length: LINE_COUNT }, (_, id) => {
    const { tool, input } = TOOL_CASES[id % TOOL_CASES.length] ?? { tool: '', input: () => ({}) }
    return `${JSON.stringify({ id, tool, input: input(id), ...fields })}\n`
  }).join('')
}

/**
 * @param {string} main
 * @param {string} input
 */
function timeCheck(main, input) {
  const start = process.hrtime.bigint()
  const args = [main, 'permissions', 'check', '--jsonl']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, input, encoding: 'utf8' })
  if (status !== 0 || stdout.split('\n').length !== LINE_COUNT + 1)
    throw new Error(`haft permissions check failed: ${stderr}`)
  return Number(process.hrtime.bigint() - start) / 1e6
}
