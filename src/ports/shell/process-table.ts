import { readdirSync, readFileSync } from 'node:fs'
import { type ProcessStat, readStat } from './read-stat.js'

interface ListedProcess extends ProcessStat {
  readonly pid: number
}

/** All processes of this machine, as they were in one look. Linux only. */
export interface ProcessTable {
  readonly processes: readonly ListedProcess[]
  /** They ended between being listed and being looked at. */
  readonly gone: readonly number[]
  /** Read once for all who ask; undefined where it is gone, or somebody else's. */
  environmentOf(pid: number): Buffer | undefined
}

let coming: Promise<ProcessTable> | undefined

/** One look serves all who ask for it in the same turn: commands that ran side by side often end together. */
export function lookAtProcesses(): Promise<ProcessTable> {
  coming ??= new Promise((resolve) => {
    setImmediate(() => {
      // Whoever asks from now on asks about what happened later.
      coming = undefined
      resolve(lookNow())
    })
  })
  return coming
}

function lookNow(): ProcessTable {
  const processes: ListedProcess[] = []
  const gone: number[] = []
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (Number.isNaN(pid)) continue
    const stat = readStat(pid)
    if (stat === undefined) gone.push(pid)
    else processes.push({ pid, ...stat })
  }
  const environments = new Map<number, Buffer | undefined>()
  return {
    processes,
    gone,
    environmentOf(pid) {
      if (!environments.has(pid)) environments.set(pid, readEnvironment(pid))
      return environments.get(pid)
    },
  }
}

function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return undefined
  }
}
