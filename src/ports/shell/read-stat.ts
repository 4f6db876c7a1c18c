import { readFileSync } from 'node:fs'

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
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name comes before, in parentheses, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
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
