import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { systemSearchPath } from '../find-program.js'
import { readStat, snapshotProcesses } from './process-table.js'

/** Selects the processes of one tree. */
export interface ProcessQuery {
  /** Text in the environment of marked processes. */
  readonly mark?: string | undefined
  /** The process that leads the group and the session of the tree. */
  readonly leader?: number | undefined
  /** Clock ticks since boot: processes that started earlier cannot belong to the tree. Linux only. */
  readonly startedAt?: number | undefined
}

export interface FoundProcesses {
  readonly pids: readonly number[]
  /** Processes that ended before or during the search: one of them may have forked unseen. */
  readonly ended: ReadonlySet<number>
  /** Processes in the middle of exec, whose environment is empty for a moment. */
  readonly startingPids: ReadonlySet<number>
}

/**
 * Finds running processes that belong to the group or the session of the leader, that carry the mark, or that run in the
 * session of a process with the mark, unless it is our own session. Without /proc, sessions are not searched.
 */
export function findProcesses(query: ProcessQuery): Promise<FoundProcesses> {
  return process.platform === 'linux' ? findInProc(query) : findByPs(query)
}

async function findInProc({ mark, leader, startedAt = 0 }: ProcessQuery): Promise<FoundProcesses> {
  const { findStartedSince, environmentOf } = await snapshotProcesses()
  const { processes: recentProcesses, endedPids } = findStartedSince(startedAt)
  const runningProcesses = recentProcesses.filter(({ state }) => state !== 'Z')
  const zombies = recentProcesses.filter(({ state }) => state === 'Z').map(({ pid }) => pid)
  const startingPids = new Set<number>()
  const sessions = new Set(leader === undefined ? [] : [leader])
  const ownSession = readStat(process.pid)?.session
  const markedPids = new Set<number>()
  for (const { pid, session, hasMemory } of runningProcesses) {
    if (mark === undefined || session === leader) continue
    const environment = environmentOf(pid)
    if (environment?.includes(mark)) {
      markedPids.add(pid)
      // Every process of these sessions is ended, so our own session must never be among them.
      if (session !== ownSession) sessions.add(session)
    } else if (environment?.length === 0 && hasMemory) startingPids.add(pid)
  }
  const foundProcesses = runningProcesses.filter(
    ({ pid, session, group }) => markedPids.has(pid) || sessions.has(session) || group === leader,
  )
  return { pids: foundProcesses.map(({ pid }) => pid), ended: new Set([...endedPids, ...zombies]), startingPids }
}

/** For systems without /proc. Uses BSD options, which Linux understands too. */
export async function findByPs({ mark, leader }: ProcessQuery): Promise<FoundProcesses> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,pgid=,stat=,command='], {
    encoding: 'latin1',
    env: { PATH: systemSearchPath(process.env.PATH) },
    maxBuffer: 256 * 1024 * 1024,
  })
  const pids = stdout.split('\n').flatMap((line) => {
    const [, pid, group, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s(.*)$/.exec(line) ?? []
    if (state === undefined || state.startsWith('Z')) return []
    const isMarked = mark !== undefined && command?.includes(mark)
    return Number(group) === leader || isMarked ? [Number(pid)] : []
  })
  return { pids, ended: new Set(), startingPids: new Set() }
}
