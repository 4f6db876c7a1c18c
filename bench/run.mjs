import './lib/restart-clean.mjs'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

/** Runs the named benches, or all of them: `npm run bench -- start-up`. */
const benches = readdirSync('bench')
  .filter((name) => name.endsWith('.mjs') && name !== 'run.mjs')
  .map((name) => name.replace(/\.mjs$/, ''))
const requestedNames = process.argv.slice(2)
const unknownNames = requestedNames.filter((name) => !benches.includes(name))
if (unknownNames.length > 0) {
  console.error(`bench: unknown bench ${unknownNames.join(', ')}. Available: ${benches.join(', ')}.`)
  process.exit(2)
}
for (const name of requestedNames.length === 0 ? benches : requestedNames) {
  const { status } = spawnSync(process.execPath, [`bench/${name}.mjs`], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
