import './lib/restart-clean.mjs'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { isOverLimit, report } from './lib/report.mjs'

/* Measures the extra time for 50 MB of output through the shell port, compared with writing to a file, and the peak memory. */

const MEGABYTE = 1024 ** 2
const OUTPUT_BYTES = 50 * MEGABYTE
const MAX_EXTRA_MS = 250
const MAX_MEMORY = 140 * MEGABYTE

const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
try {
  const worker = join(folder, 'worker.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('./lib/shell-output-worker.mjs', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: worker,
    logLevel: 'error',
  })
  const workFolder = join(folder, 'work')
  mkdirSync(workFolder)
  const file = join(workFolder, 'input')
  writeFileSync(file, Buffer.alloc(OUTPUT_BYTES, 'some text in lines\n'))
  const answer = execFileSync(process.execPath, [worker, workFolder, file, String(OUTPUT_BYTES)], { encoding: 'utf8' })
  const { timings, peakBytes } = /** @type {{ timings: { name: string, median: number }[], peakBytes: number }} */ (
    JSON.parse(answer)
  )
  const [catToFile, catThroughPort, trueAlone, trueThroughPort] = timings.map(({ median }) => median)
  const extraMs = (catThroughPort ?? Number.NaN) - (catToFile ?? Number.NaN)
  report('50 MB of output through the shell port, median of 9 interleaved rounds', [
    { name: 'cat > file', value: formatMs(catToFile) },
    { name: 'through the port', value: formatMs(catThroughPort) },
    {
      name: 'difference',
      value: formatMs(extraMs),
      limit: formatMs(MAX_EXTRA_MS),
      isOver: isOverLimit(extraMs, MAX_EXTRA_MS),
    },
    {
      name: 'peak memory',
      value: formatMegabytes(peakBytes),
      limit: formatMegabytes(MAX_MEMORY),
      isOver: isOverLimit(peakBytes, MAX_MEMORY),
    },
    { name: 'bash -c true', value: formatMs(trueAlone) },
    { name: 'true through the port', value: formatMs(trueThroughPort) },
  ])
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @param {number} [time] */
function formatMs(time = Number.NaN) {
  return `${time.toFixed(1)} ms`
}

/** @param {number} bytes */
function formatMegabytes(bytes) {
  return `${(bytes / MEGABYTE).toFixed(0)} MB`
}
