import { plainOutput } from '../../shared/plain-output.js'

/** How far a command has come: the end of what it printed, and how much that was in all. */
export interface CommandProgress {
  readonly type: 'output'
  readonly lastLines: string
  readonly receivedBytes: number
}

const LINES_SHOWN = 5
const TAIL_BYTES = 4_096
const MOST_BYTES_BETWEEN = 64 * 1024

/**
 * Tells of output as it comes. The more has come, the more has to come before it is told again: a command that prints
 * a line a minute is followed line by line, one that prints megabytes costs next to nothing.
 */
export function createProgress(tell: (progress: CommandProgress) => void): (chunk: Uint8Array) => void {
  let tail = new Uint8Array(0)
  let receivedBytes = 0
  let tellAt = 1
  return (chunk) => {
    receivedBytes += chunk.length
    tail = endOf(tail, chunk)
    if (receivedBytes < tellAt) return
    tellAt = receivedBytes + Math.min(receivedBytes >> 4, MOST_BYTES_BETWEEN) + 1
    tell({ type: 'output', lastLines: lastLines(tail), receivedBytes })
  }
}

/** The port may use a chunk again, so what is kept is a copy. */
function endOf(tail: Uint8Array, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const fresh = chunk.subarray(-TAIL_BYTES)
  const old = tail.subarray(Math.max(0, tail.length - (TAIL_BYTES - fresh.length)))
  const joined = new Uint8Array(old.length + fresh.length)
  joined.set(old)
  joined.set(fresh, old.length)
  return joined
}

function lastLines(tail: Uint8Array): string {
  const text = plainOutput(new TextDecoder().decode(tail)).replace(/\n+$/, '')
  return text.split('\n').slice(-LINES_SHOWN).join('\n')
}
