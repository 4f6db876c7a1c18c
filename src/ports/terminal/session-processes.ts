import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** The variable by which processes are found that left their session. */
export const RUN_MARK = 'HAFT_TERMINAL_MARK'

/** How long a program may take to clean up after the line was hung up. */
const GRACE_MS = 500
/** How long a killed process is awaited: one that is stuck in the kernel must not hold up the call. */
const DEATH_MS = 1_000
const POLL_MS = 10

/** Ends all processes of the session that `leader` leads, and where the system lets us look whatever else carries the mark. */
export async function endSession(leader: number, mark: string): Promise<void> {
  if (await isGone(leader, mark, 'SIGHUP', GRACE_MS)) return
  await isGone(leader, mark, 'SIGKILL', DEATH_MS)
}

async function isGone(leader: number, mark: string, name: NodeJS.Signals, withinMs: number): Promise<boolean> {
  const told = new Set<number>()
  const end = performance.now() + withinMs
  for (;;) {
    // Looked for again each time, because a process may fork while it is looked for.
    const pids = await findSession(leader, mark)
    if (pids.length === 0) return true
    if (performance.now() >= end) return false
    for (const pid of pids) {
      if (name !== 'SIGKILL' && told.has(pid)) continue
      told.add(pid)
      signal(pid, name)
      // A stopped process hears nothing else before it goes on.
      signal(pid, 'SIGCONT')
    }
    await sleep(POLL_MS)
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    // Gone, or not ours: there is nothing more to do in either case.
    return false
  }
}

async function findSession(leader: number, mark: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return signal(-leader, 0) ? [-leader] : []
  const entries = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number)
  const found = await Promise.all(entries.map(async (pid) => ((await belongs(pid, leader, mark)) ? [pid] : [])))
  return found.flat()
}

async function belongs(pid: number, leader: number, mark: string): Promise<boolean> {
  const status = await read(pid, 'stat')
  // The name comes before, in parentheses, and may hold anything.
  const [state, , , session] = status.slice(status.lastIndexOf(')') + 2).split(' ')
  if (status === '' || state === 'Z' || state === 'X') return false
  if (Number(session) === leader) return true
  return (await read(pid, 'environ')).split('\0').includes(`${RUN_MARK}=${mark}`)
}

/** Gone meanwhile, or somebody else's: neither is ours to judge. */
function read(pid: number, file: 'stat' | 'environ'): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')
}
