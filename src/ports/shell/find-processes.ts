import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { readStat } from './read-stat.js'

/** Whose processes are looked for. */
export interface ProcessQuery {
  /** What their environment has. */
  readonly mark: string
  /** The process that leads their group and their session. */
  readonly leader?: number | undefined
  /** Clock ticks since boot; nothing that was there before is looked into. Linux only. */
  readonly startedAt?: number | undefined
}

export interface FoundProcesses {
  readonly pids: readonly number[]
  /** One was just becoming another program and could not be looked into. */
  readonly isUnclear: boolean
}

/** Processes that still run: of the group and the session of the leader, with the mark, or in a session of such a one. */
export function findProcesses(query: ProcessQuery): Promise<FoundProcesses> {
  return process.platform === 'linux' ? findInProc(query) : findByPs(query)
}

async function findInProc({ mark, leader, startedAt = 0 }: ProcessQuery): Promise<FoundProcesses> {
  const young = listProc().flatMap((pid) => {
    const stat = readStat(pid)
    return stat !== undefined && stat.state !== 'Z' && stat.startedAt >= startedAt ? [{ pid, ...stat }] : []
  })
  const sessions = new Set(leader === undefined ? [] : [leader])
  const ownSession = readStat(process.pid)?.session
  const marked = new Set<number>()
  let isUnclear = false
  for (const { pid, session, hasMemory } of young) {
    if (session === leader) continue
    const environment = readEnvironment(pid)
    if (environment?.includes(mark)) {
      marked.add(pid)
      // All in it would be ended: whatever happens, never those beside whom this process runs.
      if (session !== ownSession) sessions.add(session)
    } else if (environment?.length === 0 && hasMemory) isUnclear = true
  }
  const found = young.filter(({ pid, session, group }) => marked.has(pid) || sessions.has(session) || group === leader)
  return { pids: found.map(({ pid }) => pid), isUnclear }
}

function listProc(): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
}

function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    // Gone meanwhile, or somebody else's.
    return undefined
  }
}

/** For systems without /proc: BSD options that Linux knows, too. */
export async function findByPs({ mark, leader }: ProcessQuery): Promise<FoundProcesses> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,pgid=,stat=,command='], {
    encoding: 'latin1',
    maxBuffer: 256 * 1024 * 1024,
  })
  const pids = stdout.split('\n').flatMap((line) => {
    const [, pid, group, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s(.*)$/.exec(line) ?? []
    if (state === undefined || state.startsWith('Z')) return []
    return Number(group) === leader || command?.includes(mark) ? [Number(pid)] : []
  })
  return { pids, isUnclear: false }
}
