import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** The variable by which processes are found that left the process group. */
export const RUN_ID_VARIABLE = 'HAFT_HOOK_RUN_ID'

/** How long a process may take to clean up after SIGTERM. */
const GRACE_MS = 500
/** How long a killed process is awaited: one that is stuck in the kernel, or that nobody reaps, must not hold up the call. */
const DEATH_MS = 500
const POLL_MS = 10
const MOST_LOOKS = 20

/** Ends the process group that `pid` leads: politely first, then for good. */
export async function endProcessGroup(pid: number): Promise<void> {
  if (process.platform === 'win32') return endWindowsTree(pid)
  if (!signalGroup(pid, 'SIGTERM')) return
  if (await isGroupGone(pid, GRACE_MS)) return
  signalGroup(pid, 'SIGKILL')
  await isGroupGone(pid, DEATH_MS)
}

/** Ends the group and, where the system lets us look, whatever else carries the run's id. */
export async function endProcessTree(pid: number, runId: string): Promise<void> {
  await endProcessGroup(pid)
  if (process.platform !== 'linux') return
  // A process may fork while it is looked for, so it is over when a look finds nothing.
  for (let look = 0; look < MOST_LOOKS; look++) {
    const escaped = await processesOf(runId)
    if (escaped.length === 0) return
    for (const each of escaped) signal(each, 'SIGKILL')
    await sleep(POLL_MS)
  }
}

async function isGroupGone(pid: number, withinMs: number): Promise<boolean> {
  for (let waited = 0; waited < withinMs; waited += POLL_MS) {
    if (!signalGroup(pid, 0)) return true
    await sleep(POLL_MS)
  }
  return !signalGroup(pid, 0)
}

async function processesOf(runId: string): Promise<readonly number[]> {
  const marker = `${RUN_ID_VARIABLE}=${runId}`
  const found: number[] = []
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue
    // Gone meanwhile, or somebody else's: neither is ours to end.
    const environment = await readFile(`/proc/${entry}/environ`, 'latin1').catch(() => '')
    if (environment.includes(marker)) found.push(Number(entry))
  }
  return found
}

function signalGroup(pid: number, name: NodeJS.Signals | 0): boolean {
  return signal(-pid, name)
}

/** False where there is nobody left to get the signal. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    // Gone, or not ours: there is nothing more to do in either case.
    return false
  }
}

async function endWindowsTree(pid: number): Promise<void> {
  const { spawn } = await import('node:child_process')
  await new Promise<void>((resolve) => {
    const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    killer.once('error', () => resolve())
    killer.once('close', () => resolve())
  })
}
