import { closeSync, openSync, readSync } from 'node:fs'
import { START_FIELD, statFields } from '../../shared/stat-fields.js'

/** Longer than any: it holds some 50 numbers, and a name of 16 bytes. */
const line = Buffer.allocUnsafe(4096)

export interface ProcessStat {
  readonly state: string
  readonly group: number
  readonly session: number
  /** Clock ticks since boot. */
  readonly startedAt: number
  /** False for a thread of the kernel. */
  readonly hasMemory: boolean
}

/** What Linux says of a process; undefined where it is gone. */
export function readStat(pid: number): ProcessStat | undefined {
  try {
    const fields = statFields(readLine(`/proc/${pid}/stat`))
    return {
      state: fields[0] ?? '',
      group: Number(fields[2]),
      session: Number(fields[3]),
      startedAt: Number(fields[START_FIELD]),
      hasMemory: fields[20] !== '0',
    }
  } catch {
    // Gone, or no such system.
    return undefined
  }
}

/** All processes are looked at whenever a command ends, so that it counts how a file is read. */
function readLine(path: string): string {
  const file = openSync(path, 'r')
  try {
    return line.toString('latin1', 0, readSync(file, line, 0, line.length, 0))
  } finally {
    closeSync(file)
  }
}
