import { readdirSync, readFileSync } from 'node:fs'
import { readMonotonicMs } from '../../shared/waiting.js'

/** The fields of /proc/PID/stat that are used here. */
export interface ProcessStat {
  /** One letter; Z is a zombie: dead, but not yet reaped by its parent. */
  readonly state: string
  readonly group: number
  readonly session: number
  /** Clock ticks since boot. A reused process id has a different start time. */
  readonly startedAt: number
  /** False for a kernel thread. */
  readonly hasMemory: boolean
}

/** Field positions after the program name, see proc(5). */
const STATE_FIELD = 0
const GROUP_FIELD = 2
const SESSION_FIELD = 3
const START_TIME_FIELD = 19
const VIRTUAL_SIZE_FIELD = 20

/** Reads /proc/PID/stat. Undefined if the process has ended, and on systems without /proc. */
export function readStat(pid: number): ProcessStat | undefined {
  const line = readStatLine(pid)
  if (line === undefined) return undefined
  // The name of the program comes first, in parentheses, and may contain spaces and parentheses itself.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ', VIRTUAL_SIZE_FIELD + 1)
  return {
    state: fields[STATE_FIELD] ?? '',
    group: Number(fields[GROUP_FIELD]),
    session: Number(fields[SESSION_FIELD]),
    startedAt: Number(fields[START_TIME_FIELD]),
    hasMemory: fields[VIRTUAL_SIZE_FIELD] !== '0',
  }
}

/** Returns the resident memory of a process in bytes; 0 if it has ended. Linux only. */
export function readResidentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch {
    // The process has ended.
    return 0
  }
}

interface ListedProcess extends ProcessStat {
  readonly pid: number
}

/** A snapshot of all processes of this machine. Linux only. */
export interface ProcessTable {
  /** Returns the processes that started at this time or later, in clock ticks since boot. */
  findStartedSince(startedAt: number): RecentProcesses
  /** Returns the environment of a process; undefined if it has ended or belongs to another user. */
  getEnvironment(pid: number): Buffer | undefined
}

interface RecentProcesses {
  readonly processes: readonly ListedProcess[]
  /** Processes that ended between being listed and being read: one of them may have forked unseen. */
  readonly endedPids: readonly number[]
}

let pendingTable: Promise<ProcessTable> | undefined

/**
 * Returns a snapshot of all processes. Rejects if /proc cannot be listed. Calls in the same turn of the event loop share a
 * snapshot, because commands that ran in parallel often end together.
 */
export function snapshotProcesses(): Promise<ProcessTable> {
  pendingTable ??= new Promise((resolve, reject) => {
    setImmediate(() => {
      pendingTable = undefined
      try {
        resolve(takeSnapshot())
      } catch (error) {
        reject(error)
      }
    })
  })
  return pendingTable
}

/** How long start times are remembered. No machine reuses all its process ids in that time. */
const MAX_START_TIME_AGE_MS = 200

let startTimes: { readonly expiresAt: number; readonly startTimeByPid: ReadonlyMap<number, number> } | undefined

/**
 * Reads only processes that may be recent: a process that forks all the time escapes if it ends between being listed and
 * being read, so that interval must be short. New process ids are usually the highest and are read first.
 */
function takeSnapshot(): ProcessTable {
  const now = readMonotonicMs()
  const knownStarts =
    startTimes !== undefined && now < startTimes.expiresAt ? startTimes.startTimeByPid : new Map<number, number>()
  const pids = readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .sort((a, b) => b - a)
  const getStat = memoise(readStat)
  const startTimeByPid = new Map(pids.map((pid) => [pid, knownStarts.get(pid) ?? getStat(pid)?.startedAt]))
  if (knownStarts.size === 0)
    startTimes = {
      expiresAt: now + MAX_START_TIME_AGE_MS,
      startTimeByPid: new Map([...startTimeByPid].filter(hasStartTime)),
    }
  return {
    findStartedSince(startedAt) {
      const recentPids = pids.filter((pid) => (startTimeByPid.get(pid) ?? startedAt) >= startedAt)
      return {
        processes: recentPids.flatMap((pid) => {
          const stat = getStat(pid)
          return stat === undefined ? [] : [{ pid, ...stat }]
        }),
        endedPids: recentPids.filter((pid) => getStat(pid) === undefined),
      }
    },
    getEnvironment: memoise(readEnvironment),
  }
}

function hasStartTime(entry: [number, number | undefined]): entry is [number, number] {
  return entry[1] !== undefined
}

function memoise<T>(read: (pid: number) => T): (pid: number) => T {
  const results = new Map<number, T>()
  return (pid) => {
    if (!results.has(pid)) results.set(pid, read(pid))
    return results.get(pid) as T
  }
}

/**
 * Reads the stat line of a process. UTF-8 is twice as fast to read as bytes, and only the program name may be invalid UTF-8.
 */
function readStatLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // The process has ended, or there is no /proc.
    return undefined
  }
}

function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    // The process has ended or belongs to another user.
    return undefined
  }
}
