import { randomBytes } from 'node:crypto'
import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { linesOf, parseLine } from './checkpoint-log.js'

const CHUNK_BYTES = 64 * 1024

/**
 * Puts a log in place that has only some of its checkpoints; one that would be empty goes. Whoever adds a line sees
 * afterwards whether that was the old log, and adds it to the new one; what was added before that is carried over.
 */
export async function shortenLog(file: string, isKept: (id: string) => boolean): Promise<void> {
  const old = openSync(file, 'r')
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const end = endOfLines(old)
    if (await copyLines(file, end, { temporary, isKept })) renameSync(temporary, file)
    else unlinkSync(file)
    const late = readFrom(old, end)
    if (late.length > 0) appendFileSync(file, late, { mode: 0o600 })
  } finally {
    closeSync(old)
    rmSync(temporary, { force: true })
  }
}

interface Copying {
  readonly temporary: string
  readonly isKept: (id: string) => boolean
}

/** Tells whether there were any. */
async function copyLines(file: string, end: number, { temporary, isKept }: Copying): Promise<boolean> {
  let hasAny = false
  const target = await open(temporary, 'wx', 0o600)
  try {
    for await (const text of linesOf(file, end)) {
      const line = parseLine(text)
      if (line === undefined || !isKept(line.id)) continue
      await target.appendFile(`\n${text}\n`)
      hasAny = true
    }
  } finally {
    await target.close()
  }
  return hasAny
}

/** Behind the last whole line: one that is just being written belongs to what comes late. */
function endOfLines(log: number): number {
  for (let end = fstatSync(log).size; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const chunk = Buffer.alloc(end - start)
    const at = chunk.subarray(0, readSync(log, chunk, 0, chunk.length, start)).lastIndexOf('\n')
    if (at !== -1) return start + at + 1
    end = start
  }
  return 0
}

function readFrom(log: number, start: number): Buffer {
  const late = Buffer.alloc(fstatSync(log).size - start)
  return late.subarray(0, readSync(log, late, 0, late.length, start))
}
