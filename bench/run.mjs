import './lib/restart-clean.mjs'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

/** Runs the named benches, or all of them: `npm run bench -- start-up`. */
const benches = readdirSync('bench')
  .filter((name) => name.endsWith('.mjs') && name !== 'run.mjs')
  .map((name) => name.replace(/\.mjs$/, ''))
const requested = process.argv.slice(2)
const unknown = requested.filter((name) => !benches.includes(name))
if (unknown.length > 0) {
  console.error(`bench: unknown bench ${unknown.join(', ')}. Available: ${benches.join(', ')}.`)
  process.exit(2)
}
for (const name of requested.length === 0 ? benches : requested) {
  const { status } = spawnSync(process.execPath, [`bench/${name}.mjs`], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
