import { toPlainOutput } from '../../shared/plain-output.js'

/** Progress of a command: its last lines and the total number of bytes. */
export interface CommandProgress {
  readonly type: 'output'
  readonly lastLines: string
  readonly receivedBytes: number
}

const MAX_SHOWN_LINES = 5
const MAX_TAIL_BYTES = 4_096
const MAX_BYTES_BETWEEN_REPORTS = 64 * 1024

/**
 * Creates a function that reports output as it arrives. The number of bytes between two reports grows with the output. So a
 * slow command is reported line by line, and reports for a command that prints megabytes cost almost nothing.
 */
export function createProgressReporter(report: (progress: CommandProgress) => void): (chunk: Uint8Array) => void {
  let tail = new Uint8Array(0)
  let receivedBytes = 0
  let nextReportAt = 1
  return (chunk) => {
    receivedBytes += chunk.length
    tail = appendToTail(tail, chunk)
    if (receivedBytes < nextReportAt) return
    nextReportAt = receivedBytes + Math.min(receivedBytes >> 4, MAX_BYTES_BETWEEN_REPORTS) + 1
    report({ type: 'output', lastLines: lastLinesOf(tail), receivedBytes })
  }
}

/** Returns the new tail as a copy, because the port may reuse the chunk. */
function appendToTail(tail: Uint8Array, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const newBytes = chunk.subarray(-MAX_TAIL_BYTES)
  const oldBytes = tail.subarray(Math.max(0, tail.length - (MAX_TAIL_BYTES - newBytes.length)))
  const joinedBytes = new Uint8Array(oldBytes.length + newBytes.length)
  joinedBytes.set(oldBytes)
  joinedBytes.set(newBytes, oldBytes.length)
  return joinedBytes
}

function lastLinesOf(tail: Uint8Array): string {
  const text = toPlainOutput(new TextDecoder().decode(tail)).replace(/\n+$/, '')
  return text.split('\n').slice(-MAX_SHOWN_LINES).join('\n')
}
