import { closeSync, fdatasyncSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'

/**
 * Reads a file and writes it again, in a process of its own: its garbage is not collected at the cost of what it is
 * compared with. Answers a message of `{ file, isSynced }` with the milliseconds that it took.
 */
process.on('message', (/** @type {{ file: string, isSynced: boolean }} */ { file, isSynced }) => {
  const start = process.hrtime.bigint()
  if (isSynced) copyForGood(file)
  else writeFileSync(file, readFileSync(file))
  process.send?.(Number(process.hrtime.bigint() - start) / 1e6)
})

/**
 * A write that a power failure cannot halve is none before it is on the disk.
 * @param {string} file
 */
function copyForGood(file) {
  const content = readFileSync(file)
  const handle = openSync(file, 'w')
  writeSync(handle, content)
  fdatasyncSync(handle)
  closeSync(handle)
}
