import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { instrumentSources } from './walk/instrument.mjs'

/**
 * Prints how much code one call passes through: `node scripts/walk-of-a-call.mjs [--list] [ROOT]`. One Bash call `ls` with
 * default options is run through a session, from the model's event with the complete block to the next request.
 *
 * files      files of which a function runs
 * crossings  pairs of top-level folders in which the first calls a function of the second
 * callbacks  functions that are neither declared by name nor methods, and that another file calls. The members of a
 *            tool definition are not counted: the contract names them.
 */
const root = resolve(process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? '.')
const outdir = join(root, 'dist/walk')
rmSync(outdir, { recursive: true, force: true })
mkdirSync(outdir, { recursive: true })
const functions = instrumentSources(root, outdir)
const stepsPath = join(outdir, 'steps.json')
execFileSync(process.execPath, [join(import.meta.dirname, 'walk/walk-worker.mjs'), outdir, stepsPath])
/** @type {readonly (readonly [number, number])[]} */
const steps = JSON.parse(readFileSync(stepsPath, 'utf8'))
rmSync(outdir, { recursive: true })

/** @type {Record<'files' | 'crossings' | 'callbacks', Set<string>>} */
const results = { files: new Set(), crossings: new Set(), callbacks: new Set() }
for (const [callerId, id] of steps) {
  const caller = functions[callerId]
  const callee = functions[id]
  if (callee === undefined) continue
  results.files.add(callee.file)
  if (caller === undefined || caller.file === callee.file) continue
  if (folderOf(caller.file) !== folderOf(callee.file))
    results.crossings.add(`${folderOf(caller.file)} → ${folderOf(callee.file)}`)
  if (callee.isCallback && !/^tools\/.*\/tool\.ts$/.test(callee.file))
    results.callbacks.add(`${callee.file} ${callee.name} #${id}`)
}
for (const [name, items] of Object.entries(results)) {
  console.log(`${name.padEnd(9)} ${items.size}`)
  if (process.argv.includes('--list')) for (const item of [...items].sort()) console.log(`  ${item}`)
}

/** @param {string} file */
function folderOf(file) {
  return file.slice(0, file.indexOf('/'))
}
