import { closeSync, openSync, readSync } from 'node:fs'

/** Longer than any: it holds some 50 numbers, and a name of 16 bytes. */
const line = Buffer.allocUnsafe(4096)
/** Behind the name; what follows says nothing here. */
const FIELDS = 21

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
    const stat = readLine(`/proc/${pid}/stat`)
    // The name comes before, in parentheses, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', FIELDS)
    return {
      state: fields[0] ?? '',
      group: Number(fields[2]),
      session: Number(fields[3]),
      startedAt: Number(fields[19]),
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
