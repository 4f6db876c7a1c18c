import { plainOutput } from '../../shared/plain-output.js'

/** Progress of a command: its last lines and the total number of bytes. */
export interface CommandProgress {
  readonly type: 'output'
  readonly lastLines: string
  readonly receivedBytes: number
}

const LINES_SHOWN = 5
const TAIL_BYTES = 4_096
const MAX_BYTES_BETWEEN_REPORTS = 64 * 1024

/**
 * Reports output as it arrives. The interval grows with the output: a slow command is reported line by line, and one that
 * prints megabytes costs almost nothing.
 */
export function createProgress(report: (progress: CommandProgress) => void): (chunk: Uint8Array) => void {
  let tail = new Uint8Array(0)
  let receivedBytes = 0
  let nextReportAt = 1
  return (chunk) => {
    receivedBytes += chunk.length
    tail = endOf(tail, chunk)
    if (receivedBytes < nextReportAt) return
    nextReportAt = receivedBytes + Math.min(receivedBytes >> 4, MAX_BYTES_BETWEEN_REPORTS) + 1
    report({ type: 'output', lastLines: lastLines(tail), receivedBytes })
  }
}

/** Copies the tail, because the port may reuse the chunk. */
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
