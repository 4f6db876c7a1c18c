import './lib/restart-clean.mjs'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

/** Runs the named benches, or all of them: `npm run bench -- start-up`. */
const all = readdirSync('bench')
  .filter((name) => name.endsWith('.mjs') && name !== 'run.mjs')
  .map((name) => name.replace(/\.mjs$/, ''))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`bench: unknown bench ${unknown.join(', ')}. Available: ${all.join(', ')}.`)
  process.exit(2)
}
for (const name of wanted.length === 0 ? all : wanted) {
  const { status } = spawnSync(process.execPath, [`bench/${name}.mjs`], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
