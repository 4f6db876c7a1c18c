import './lib/restart-clean.mjs'
import { spawnSync } from 'node:child_process'
import { computeMedian } from './lib/interleave.mjs'
import { isOverLimit, report } from './lib/report.mjs'

/**
 * Measures the assembly of the pool and the definitions of many MCP tools, each round in a new process.
 * `node bench/assembly.mjs [FOLDER]`: uses the real schemas in the `{ tools: [{ inputSchema }] }` files of a folder.
 */
const ROUND_COUNT = 15
const counts = [1_000, 10_000]
/** @type {Map<number, { copy: number, pool: number, definitions: number, unchanged: number }[]>} */
const rounds = new Map(counts.map((count) => [count, []]))
for (let round = 0; round < ROUND_COUNT; round++) {
  for (const count of counts) rounds.get(count)?.push(measure(count))
}

for (const count of counts) {
  const measurements = rounds.get(count) ?? []
  const medianOf = (/** @type {'copy' | 'pool' | 'definitions' | 'unchanged'} */ part) =>
    computeMedian(measurements.map((measurement) => measurement[part]))
  const definitionsMs = medianOf('definitions')
  report(`${count} tools, median of ${ROUND_COUNT} new processes`, [
    { name: 'JSON text of the same schemas', value: `${medianOf('copy').toFixed(2)} ms` },
    { name: 'pool, first time', value: `${medianOf('pool').toFixed(2)} ms` },
    {
      name: `definitions, first time (${(definitionsMs / medianOf('copy')).toFixed(2)}× the JSON text)`,
      value: `${definitionsMs.toFixed(2)} ms`,
      ...(count === 1_000 && { limit: '5 ms', isOver: isOverLimit(definitionsMs, 5) }),
    },
    {
      name: 'pool and definitions, unchanged',
      value: `${(medianOf('unchanged') * 1000).toFixed(1)} µs`,
      limit: '20 µs',
      isOver: isOverLimit(medianOf('unchanged'), 0.02),
    },
  ])
}

/** @param {number} count */
function measure(count) {
  const args = ['bench/lib/assembly-round.mjs', String(count), ...process.argv.slice(2)]
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
