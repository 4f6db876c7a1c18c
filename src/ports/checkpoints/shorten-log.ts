import { appendFileSync, closeSync, fstatSync, openSync, readSync, unlinkSync } from 'node:fs'
import { writeFileAtomically } from '../../system/write-file-atomically.js'
import { linesOf, parseLine } from './checkpoint-log.js'

const CHUNK_BYTES = 64 * 1024

/**
 * Puts a log in place that has only some of its checkpoints; one that would be empty goes. Whoever adds a line sees
 * afterwards whether that was the old log, and adds it to the new one; what was added before that is carried over.
 */
export async function shortenLog(file: string, isKept: (id: string) => boolean): Promise<void> {
  const old = openSync(file, 'r')
  try {
    const end = endOfLines(old)
    const lines = keptLines(file, end, isKept)
    const first = await lines.next()
    if (first.done) unlinkSync(file)
    else await writeFileAtomically(file, startingWith(first.value, lines), { mode: 0o600, isDurable: false })
    const late = readFrom(old, end)
    if (late.length > 0) appendFileSync(file, late, { mode: 0o600 })
  } finally {
    closeSync(old)
  }
}

async function* keptLines(file: string, end: number, isKept: (id: string) => boolean): AsyncGenerator<string, void> {
  for await (const text of linesOf(file, end)) {
    const line = parseLine(text)
    if (line !== undefined && isKept(line.id)) yield `\n${text}\n`
  }
}

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncIterable<string> {
  yield first
  yield* rest
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
