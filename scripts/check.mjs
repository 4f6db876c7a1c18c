import { spawn } from 'node:child_process'

/** Runs all static checks, two at a time, and prints the output of those that fail. */
const CHECKS = {
  types: ['tsc', '-p', 'tsconfig.json'],
  'types of the page': ['tsc', '-p', 'web/tsconfig.json'],
  lint: ['biome', 'ci', '.'],
  layers: ['depcruise', '--config', '.dependency-cruiser.cjs', 'src'],
  'folder cycles': ['depcruise', '--config', '.dependency-cruiser-folders.cjs', 'src'],
  'dead code': ['knip'],
  package: ['publint', '--strict'],
  'package types': ['attw', '--pack', '.', '--profile', 'esm-only'],
}

const pendingChecks = Object.entries(CHECKS)
let failedCount = 0
await Promise.all([runPendingChecks(), runPendingChecks()])
console.log(`${Object.keys(CHECKS).length - failedCount} checks passed, ${failedCount} failed`)
process.exitCode = failedCount === 0 ? 0 : 1

async function runPendingChecks() {
  for (let nextCheck = pendingChecks.shift(); nextCheck !== undefined; nextCheck = pendingChecks.shift()) {
    const [name, command] = nextCheck
    const { code, output } = await run(command)
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`)
    if (code === 0) continue
    failedCount++
    console.log(output)
  }
}

/**
 * @param {readonly string[]} command
 * @returns {Promise<{ code: number, output: string }>}
 */
function run([program = '', ...args]) {
  return new Promise((resolve) => {
    const child = spawn(`node_modules/.bin/${program}`, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 1, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
