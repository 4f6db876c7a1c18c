import { execFile, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readMonotonicMs } from '../../shared/waiting.js'
import { createSystemSearchPath } from '../find-program.js'
import { readStat, snapshotProcesses } from './process-table.js'

/** How long a process may take to clean up after SIGTERM. */
const GRACE_PERIOD_MS = 500
/** How long to wait for a killed process: one that is stuck in the kernel must not block the caller. */
const MAX_KILL_WAIT_MS = 1_000
const POLL_MS = 5
/** How many searches to make before an uncertain empty result is accepted. */
const MAX_SEARCHES = 5
/** A process whose environment is still empty after this many searches is not in the middle of exec. */
const MAX_STARTING_SEARCHES = 3

/**
 * Ends a process tree: SIGTERM first, SIGKILL for processes that ignore it. Returns how many processes were
 * signalled; a group that cannot be listed, or a tree on Windows, counts as one.
 * Never rejects, because a failed clean-up must not replace the result of the command.
 */
export async function endProcesses(query: ProcessQuery): Promise<number> {
  if (process.platform === 'win32') return endWindowsTree(query.leader)
  try {
    return await endFoundProcesses(query)
  } catch {
    // The processes cannot be listed: there is no /proc and no ps, or no free file descriptor.
    return endGroup(query.leader)
  }
}

async function endFoundProcesses(query: ProcessQuery): Promise<number> {
  const signalledPids = new Set<number>()
  const haveEnded = await signalUntilGone(query, GRACE_PERIOD_MS, (pid) => {
    if (signalledPids.has(pid)) return
    signalledPids.add(pid)
    sendSignal(pid, 'SIGTERM')
    // A stopped process handles the signal only after it continues.
    sendSignal(pid, 'SIGCONT')
  })
  if (!haveEnded) await signalUntilGone(query, MAX_KILL_WAIT_MS, (pid) => sendSignal(pid, 'SIGKILL'))
  return signalledPids.size
}

/** Ends a process group whose members cannot be listed. */
async function endGroup(leader: number | undefined): Promise<number> {
  if (leader === undefined || !sendSignal(-leader, 'SIGTERM')) return 0
  sendSignal(-leader, 'SIGCONT')
  await sleep(GRACE_PERIOD_MS)
  sendSignal(-leader, 'SIGKILL')
  return 1
}

/** Kills a process and, except on Windows, the process group that it leads, without a grace period. */
export function killProcessGroup(leader: number | undefined): void {
  if (leader === undefined) return
  sendSignal(process.platform === 'win32' ? leader : -leader, 'SIGKILL')
}

/** Returns whether all processes ended in time. Searches again after each round, because a process may have forked. */
async function signalUntilGone(query: ProcessQuery, limitMs: number, send: (pid: number) => void): Promise<boolean> {
  const deadline = readMonotonicMs() + limitMs
  for (;;) {
    const pids = await findRemainingPids(query)
    if (pids.length === 0) return true
    for (const pid of sortLeaderFirst(pids, query.leader)) send(pid)
    if (readMonotonicMs() >= deadline) return false
    await sleep(POLL_MS)
  }
}

/** Sorts the leader first, because a shell whose child dies first would continue with its next command. */
function sortLeaderFirst(pids: readonly number[], leader: number | undefined): readonly number[] {
  return [...pids].sort((a, b) => Number(b === leader) - Number(a === leader) || a - b)
}

/** Like `findProcesses`, but searches again until an empty result cannot have missed a process that was just starting. */
export async function findRemainingPids(query: ProcessQuery): Promise<readonly number[]> {
  const startingCounts = new Map<number, number>()
  let knownEndedPids: ReadonlySet<number> = new Set()
  for (let searches = 1; ; searches++) {
    const { pids, endedPids, startingPids } = await findProcesses(query)
    for (const pid of startingPids) startingCounts.set(pid, (startingCounts.get(pid) ?? 0) + 1)
    const isStarting = Array.from(startingPids).some((pid) => (startingCounts.get(pid) ?? 0) < MAX_STARTING_SEARCHES)
    // A process that had already ended at the previous search has not forked since.
    const mayHaveForked = Array.from(endedPids).some((pid) => !knownEndedPids.has(pid))
    if (pids.length > 0 || !(isStarting || mayHaveForked) || searches === MAX_SEARCHES) return pids
    knownEndedPids = endedPids
    if (isStarting) await sleep(POLL_MS)
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // Gone, or owned by another user: nothing more can be done in either case.
    return false
  }
}

async function endWindowsTree(leader: number | undefined): Promise<number> {
  if (leader === undefined) return 0
  return new Promise((resolve) => {
    const taskkill = spawn('taskkill', ['/pid', String(leader), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    taskkill.once('error', () => resolve(0))
    taskkill.once('close', (code) => resolve(code === 0 ? 1 : 0))
  })
}

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
  readonly endedPids: ReadonlySet<number>
  /** Processes in the middle of exec, whose environment is empty for a moment. */
  readonly startingPids: ReadonlySet<number>
}

/**
 * Finds running processes that belong to the group or the session of the leader, that have the mark, or that run in the
 * session of a process with the mark, unless it is our own session. Without /proc, sessions are not searched.
 */
export function findProcesses(query: ProcessQuery): Promise<FoundProcesses> {
  return process.platform === 'linux' ? findInProc(query) : findByPs(query)
}

async function findInProc({ mark, leader, startedAt = 0 }: ProcessQuery): Promise<FoundProcesses> {
  const { findStartedSince, getEnvironment } = await snapshotProcesses()
  const { processes: recentProcesses, endedPids } = findStartedSince(startedAt)
  const runningProcesses = recentProcesses.filter(({ state }) => state !== 'Z')
  const zombies = recentProcesses.filter(({ state }) => state === 'Z').map(({ pid }) => pid)
  const startingPids = new Set<number>()
  const sessions = new Set(leader === undefined ? [] : [leader])
  const ownSession = readStat(process.pid)?.session
  const markedPids = new Set<number>()
  for (const { pid, session, hasMemory } of runningProcesses) {
    if (mark === undefined || session === leader) continue
    const environment = getEnvironment(pid)
    if (environment?.includes(mark)) {
      markedPids.add(pid)
      // Every process of these sessions is ended, so our own session must never be among them.
      if (session !== ownSession) sessions.add(session)
    } else if (environment?.length === 0 && hasMemory) startingPids.add(pid)
  }
  const foundProcesses = runningProcesses.filter(
    ({ pid, session, group }) => markedPids.has(pid) || sessions.has(session) || group === leader,
  )
  return { pids: foundProcesses.map(({ pid }) => pid), endedPids: new Set([...endedPids, ...zombies]), startingPids }
}

/** Finds processes with `ps`, for systems without /proc. Uses BSD options, which Linux understands too. */
export async function findByPs({ mark, leader }: ProcessQuery): Promise<FoundProcesses> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,pgid=,stat=,command='], {
    encoding: 'latin1',
    env: { PATH: createSystemSearchPath(process.env.PATH) },
    maxBuffer: 256 * 1024 * 1024,
  })
  const pids = stdout.split('\n').flatMap((line) => {
    const [, pid, group, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s(.*)$/.exec(line) ?? []
    if (state === undefined || state.startsWith('Z')) return []
    const isMarked = mark !== undefined && command?.includes(mark)
    return Number(group) === leader || isMarked ? [Number(pid)] : []
  })
  return { pids, endedPids: new Set(), startingPids: new Set() }
}
