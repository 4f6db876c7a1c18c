import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { lookAtProcesses } from './process-table.js'
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
  /** They ended before or while all were looked at: one may have forked unseen. */
  readonly ended: ReadonlySet<number>
  /** They were becoming another program, and could not be judged. */
  readonly starting: ReadonlySet<number>
}

/** Processes that still run: of the group and the session of the leader, with the mark, or in a session of such a one. */
export function findProcesses(query: ProcessQuery): Promise<FoundProcesses> {
  return process.platform === 'linux' ? findInProc(query) : findByPs(query)
}

async function findInProc({ mark, leader, startedAt = 0 }: ProcessQuery): Promise<FoundProcesses> {
  const { since, environmentOf } = await lookAtProcesses()
  const { processes, gone } = since(startedAt)
  const running = processes.filter(({ state }) => state !== 'Z')
  const dead = processes.filter(({ state }) => state === 'Z').map(({ pid }) => pid)
  const starting = new Set<number>()
  const sessions = new Set(leader === undefined ? [] : [leader])
  const ownSession = readStat(process.pid)?.session
  const marked = new Set<number>()
  for (const { pid, session, hasMemory } of running) {
    if (session === leader) continue
    const environment = environmentOf(pid)
    if (environment?.includes(mark)) {
      marked.add(pid)
      // All in it would be ended: whatever happens, never those beside whom this process runs.
      if (session !== ownSession) sessions.add(session)
    } else if (environment?.length === 0 && hasMemory) starting.add(pid)
  }
  const found = running.filter(
    ({ pid, session, group }) => marked.has(pid) || sessions.has(session) || group === leader,
  )
  return { pids: found.map(({ pid }) => pid), ended: new Set([...gone, ...dead]), starting }
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
  return { pids, ended: new Set(), starting: new Set() }
}
