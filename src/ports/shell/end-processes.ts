import { setTimeout as sleep } from 'node:timers/promises'
import { type FoundProcesses, findProcesses, type ProcessQuery } from './find-processes.js'

/** How long a process may take to clean up after SIGTERM. */
const GRACE_MS = 500
/** How long a killed process is awaited: one that is stuck in the kernel must not hold up the call. */
const DEATH_MS = 1_000
const POLL_MS = 5
/** How often a process that is just becoming another program is looked at again. */
const MOST_UNCLEAR = 3

/** Ends all processes that fit: politely first, then for good. Gives those that even so remain. */
export async function endProcesses(query: ProcessQuery): Promise<readonly number[]> {
  const asked = new Set<number>()
  const polite = await signalUntilGone(query, GRACE_MS, (pid) => {
    if (asked.has(pid)) return
    asked.add(pid)
    signal(pid, 'SIGTERM')
    // A stopped process acts on the signal only when it goes on.
    signal(pid, 'SIGCONT')
  })
  if (polite.length === 0) return polite
  return signalUntilGone(query, DEATH_MS, (pid) => signal(pid, 'SIGKILL'))
}

/** Looks again after each signal, because a process may fork while it is looked for. */
async function signalUntilGone(
  query: ProcessQuery,
  withinMs: number,
  send: (pid: number) => void,
): Promise<readonly number[]> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await findClearly(query)
    if (found.length === 0) return found
    for (const pid of found) send(pid)
    if (performance.now() >= end) return found
    await sleep(POLL_MS)
  }
}

async function findClearly(query: ProcessQuery): Promise<readonly number[]> {
  let found: FoundProcesses
  for (let looks = 1; ; looks++) {
    found = await findProcesses(query)
    if (!found.isUnclear || found.pids.length > 0 || looks === MOST_UNCLEAR) return found.pids
    await sleep(POLL_MS)
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone, or not ours: there is nothing more to do in either case.
  }
}
