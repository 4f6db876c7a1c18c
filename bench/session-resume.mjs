import './lib/restart-clean.mjs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../scripts/build/root.mjs'
import { interleave } from './lib/interleave.mjs'
import { createRatioRows, isOverLimit, report } from './lib/report.mjs'
import { runProgram } from './lib/run-program.mjs'

/**
 * Measures resuming a session of 200 MB in a new process, relative to parsing every line of the same file: once with all
 * messages in use, once with a conversation that was compacted many times.
 */
const ROUND_COUNT = 5
const MAX_MS = 2_000

const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
try {
  const program = join(folder, 'program.mjs')
  const entryPoints = [join(root, 'bench/lib/long-session.ts')]
  await build({ entryPoints, outfile: program, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' })
  /** @param {string[]} args */
  const runStep = async (...args) =>
    JSON.parse(String(await runProgram(process.execPath, [program, folder, ...args], folder)))
  for (const kind of ['whole', 'compacted']) await runStep('write', kind)
  const memory = new Map()
  /** @param {string} step @param {string} kind */
  const createTimedStep = (step, kind) => async () => {
    const { ms, peakMb } = await runStep(step, kind)
    memory.set(`${step} ${kind}`, peakMb)
    return ms
  }
  const results = await interleave({
    cases: [
      { name: 'every line parsed', run: createTimedStep('parse', 'whole') },
      { name: 'resume, all messages in use', run: createTimedStep('resume', 'whole') },
      { name: 'resume, compacted', run: createTimedStep('resume', 'compacted') },
    ],
    rounds: ROUND_COUNT,
  })
  report('A transcript of 200 MB', [
    ...createRatioRows(results, 'ms'),
    ...results.slice(1).map(({ name, median }) => ({
      name: `${name}, time`,
      value: `${median.toFixed(0)} ms`,
      limit: `${MAX_MS} ms`,
      isOver: isOverLimit(median, MAX_MS),
    })),
    ...[...memory].map(([name, mb]) => ({ name: `${name}, peak memory`, value: `${mb} MB` })),
  ])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
