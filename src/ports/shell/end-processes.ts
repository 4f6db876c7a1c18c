import { setTimeout as sleep } from 'node:timers/promises'
import { findProcesses, type ProcessQuery } from './find-processes.js'

/** How long a process may take to clean up after SIGTERM. */
const GRACE_MS = 500
/** How long a killed process is awaited: one that is stuck in the kernel must not hold up the call. */
const DEATH_MS = 1_000
const POLL_MS = 5
/** How often one looks again because of processes that could not be judged. */
const MOST_LOOKS = 5
/** A program that starts is through with it by then; one without any environment stays doubtful for ever. */
const MOST_DOUBTS = 3

/** Ends all processes that fit: politely first, then for good. Gives how many there were. */
export async function endProcesses(query: ProcessQuery): Promise<number> {
  const asked = new Set<number>()
  const areGone = await signalUntilGone(query, GRACE_MS, (pid) => {
    if (asked.has(pid)) return
    asked.add(pid)
    signal(pid, 'SIGTERM')
    // A stopped process acts on the signal only when it goes on.
    signal(pid, 'SIGCONT')
  })
  if (!areGone) await signalUntilGone(query, DEATH_MS, (pid) => signal(pid, 'SIGKILL'))
  return asked.size
}

/** Looks again after each signal, because a process may fork while it is looked for. Tells whether none is left. */
async function signalUntilGone(query: ProcessQuery, withinMs: number, send: (pid: number) => void): Promise<boolean> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await findClearly(query)
    if (found.length === 0) return true
    for (const pid of found) send(pid)
    if (performance.now() >= end) return false
    await sleep(POLL_MS)
  }
}

/** Finds none only where none can have been missed. */
export async function findClearly(query: ProcessQuery): Promise<readonly number[]> {
  const starts = new Map<number, number>()
  let knownDead: ReadonlySet<number> = new Set()
  for (let looks = 1; ; looks++) {
    const { pids, ended, starting } = await findProcesses(query)
    for (const pid of starting) starts.set(pid, (starts.get(pid) ?? 0) + 1)
    const isStarting = Array.from(starting).some((pid) => (starts.get(pid) ?? 0) < MOST_DOUBTS)
    // What was dead at the look before has forked nothing since.
    const mayHaveForked = Array.from(ended).some((pid) => !knownDead.has(pid))
    if (pids.length > 0 || !(isStarting || mayHaveForked) || looks === MOST_LOOKS) return pids
    knownDead = ended
    if (isStarting) await sleep(POLL_MS)
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone, or not ours: there is nothing more to do in either case.
  }
}
