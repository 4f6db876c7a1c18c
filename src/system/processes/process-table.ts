import { readdirSync, readFileSync } from 'node:fs'

/** What Linux reports about a process in /proc/PID/stat. */
export interface ProcessStat {
  /** One letter; Z is a zombie: dead, but not yet reaped by its parent. */
  readonly state: string
  readonly group: number
  readonly session: number
  /** Clock ticks since boot. A reused process id comes with a different start time. */
  readonly startedAt: number
  /** False for a thread of the kernel. */
  readonly hasMemory: boolean
}

/** Positions behind the name of the program, see proc(5). */
const STATE = 0
const GROUP = 2
const SESSION = 3
const START_TIME = 19
const VIRTUAL_SIZE = 20

/** Undefined where the process is gone, and on systems without /proc. */
export function readStat(pid: number): ProcessStat | undefined {
  const line = readProcFile(pid, 'stat')?.toString('latin1')
  if (line === undefined) return undefined
  // The name of the program comes first, in parentheses, and may contain spaces and parentheses itself.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ', VIRTUAL_SIZE + 1)
  return {
    state: fields[STATE] ?? '',
    group: Number(fields[GROUP]),
    session: Number(fields[SESSION]),
    startedAt: Number(fields[START_TIME]),
    hasMemory: fields[VIRTUAL_SIZE] !== '0',
  }
}

export interface ListedProcess extends ProcessStat {
  readonly pid: number
}

/** A snapshot of all processes of this machine. Linux only. */
export interface ProcessTable {
  readonly processes: readonly ListedProcess[]
  /** Processes that ended between being listed and being read. */
  readonly gone: readonly number[]
  /** Undefined where the process is gone or belongs to another user. */
  environmentOf(pid: number): Buffer | undefined
}

let pending: Promise<ProcessTable> | undefined

/** Everyone who asks in the same turn of the event loop shares a snapshot: commands that ran in parallel often end together. */
export function snapshotProcesses(): Promise<ProcessTable> {
  pending ??= new Promise((resolve) => {
    setImmediate(() => {
      pending = undefined
      resolve(takeSnapshot())
    })
  })
  return pending
}

function takeSnapshot(): ProcessTable {
  const processes: ListedProcess[] = []
  const gone: number[] = []
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const stat = readStat(pid)
    if (stat === undefined) gone.push(pid)
    else processes.push({ pid, ...stat })
  }
  const environments = new Map<number, Buffer | undefined>()
  return {
    processes,
    gone,
    environmentOf(pid) {
      if (!environments.has(pid)) environments.set(pid, readProcFile(pid, 'environ'))
      return environments.get(pid)
    },
  }
}

function readProcFile(pid: number, name: 'stat' | 'environ'): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`)
  } catch {
    // Gone, not ours to read, or there is no /proc.
    return undefined
  }
}
