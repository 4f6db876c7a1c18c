import { closeSync, fdatasyncSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'

/**
 * Reads a file and writes it again, in a separate process, so that its garbage collection does not slow down the tool
 * that it is compared with. Answers a message `{ file, isSynced }` with the time in milliseconds.
 */
process.on('message', (/** @type {{ file: string, isSynced: boolean }} */ { file, isSynced }) => {
  const start = process.hrtime.bigint()
  if (isSynced) rewriteSynced(file)
  else writeFileSync(file, readFileSync(file))
  process.send?.(Number(process.hrtime.bigint() - start) / 1e6)
})

/**
 * Rewrites the file in place and waits until its content is on the disk, so that it survives a power failure.
 * @param {string} file
 */
function rewriteSynced(file) {
  const content = readFileSync(file)
  const handle = openSync(file, 'w')
  writeSync(handle, content)
  fdatasyncSync(handle)
  closeSync(handle)
}
