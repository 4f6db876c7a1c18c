import { readdirSync, readFileSync } from 'node:fs'
import { type ProcessStat, readStat } from './read-stat.js'

interface ListedProcess extends ProcessStat {
  readonly pid: number
}

/** All processes of this machine, as they were in one look. Linux only. */
export interface ProcessTable {
  /** Those that began at this time or later, in clock ticks since boot. */
  since(startedAt: number): RecentProcesses
  /** Read once for all who ask; undefined where it is gone, or somebody else's. */
  environmentOf(pid: number): Buffer | undefined
}

interface RecentProcesses {
  readonly processes: readonly ListedProcess[]
  /** They ended between being listed and being looked at. */
  readonly gone: readonly number[]
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

/** How long it is remembered when a process began: no machine gives out all its numbers again in that time. */
const MEMORY_MS = 200

let memory: { readonly until: number; readonly starts: ReadonlyMap<number, number> } | undefined

function lookNow(): ProcessTable {
  const now = performance.now()
  const known = memory !== undefined && now < memory.until ? memory.starts : new Map<number, number>()
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const statOf = memoised(readStat)
  const startOf = (pid: number) => known.get(pid) ?? statOf(pid)?.startedAt
  const starts = new Map(pids.map((pid) => [pid, startOf(pid)]))
  if (known.size === 0) memory = { until: now + MEMORY_MS, starts: new Map([...starts].filter(hasStart)) }
  return {
    since(startedAt) {
      const recent = pids.filter((pid) => (starts.get(pid) ?? startedAt) >= startedAt)
      return {
        processes: recent.flatMap((pid) => {
          const stat = statOf(pid)
          return stat === undefined ? [] : [{ pid, ...stat }]
        }),
        gone: recent.filter((pid) => statOf(pid) === undefined),
      }
    },
    environmentOf: memoised(readEnvironment),
  }
}

function hasStart(entry: [number, number | undefined]): entry is [number, number] {
  return entry[1] !== undefined
}

function memoised<T>(read: (pid: number) => T): (pid: number) => T {
  const known = new Map<number, T>()
  return (pid) => {
    if (!known.has(pid)) known.set(pid, read(pid))
    return known.get(pid) as T
  }
}

function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return undefined
  }
}
