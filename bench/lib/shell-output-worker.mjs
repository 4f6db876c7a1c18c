import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createShellPort } from '../../src/ports/shell/create-shell-port.js'
import { Spill } from '../../src/results/spill.js'
import { interleave } from './interleave.mjs'

/**
 * Measures the shell port in a separate process, so that the peak memory of the process is that of the port: the time of
 * a command with much output, relative to `cat` alone, and the time of the shortest command.
 */
const ROUND_COUNT = 9
const [folder = '', file = '', bytes = ''] = process.argv.slice(2)
const resultsFolder = join(folder, 'results')
const port = createShellPort({
  environment: process.env,
  openOutput: (id) => new Spill({ directory: resultsFolder, id }),
})

const timings = await interleave({
  rounds: ROUND_COUNT,
  cases: [
    { name: 'cat > file', run: () => measureTime(() => runPlain(`cat '${file}' > '${join(folder, 'plain')}'`)) },
    { name: 'cat through the port', run: () => measureTime(() => runThroughPort(`cat '${file}'`, Number(bytes))) },
    { name: 'bash -c true', run: () => measureTime(() => runPlain('true')) },
    { name: 'true through the port', run: () => measureTime(() => runThroughPort('true', 0)) },
  ],
})
await port.dispose()
console.log(JSON.stringify({ timings, peakBytes: process.resourceUsage().maxRSS * 1024 }))

/** @param {() => Promise<void>} action */
async function measureTime(action) {
  const start = performance.now()
  await action()
  const time = performance.now() - start
  for (const name of readdirSync(folder))
    if (join(folder, name) !== file) rmSync(join(folder, name), { recursive: true })
  return time
}

/** @param {string} command */
async function runPlain(command) {
  const [status] = await once(spawn('bash', ['-c', command], { stdio: 'ignore' }), 'exit')
  if (status !== 0) throw new Error(`${command} exited with ${status}`)
}

/**
 * @param {string} command
 * @param {number} expected
 */
async function runThroughPort(command, expected) {
  const request = { id: 'call', command, cwd: folder }
  const { exitCode, output } = await port.run(request, { signal: new AbortController().signal })
  if (exitCode !== 0 || output.keptBytes !== expected)
    throw new Error(`${command} wrote ${output.keptBytes} bytes, expected ${expected}`)
}
