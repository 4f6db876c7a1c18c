import { setTimeout as sleep } from 'node:timers/promises'
import { findByVariable, findGroupMembers } from './find-processes.js'

/** The variable by which processes are found that left the process group. */
export const RUN_ID_VARIABLE = 'HAFT_HOOK_RUN_ID'

/** How long a process may take to clean up after SIGTERM. */
const GRACE_MS = 500
/** How long a killed process is awaited: one that is stuck in the kernel must not hold up the call. */
const DEATH_MS = 500
const POLL_MS = 10

/** Ends the process group that `pid` leads: politely first, then for good. */
async function endProcessGroup(pid: number): Promise<void> {
  if (process.platform === 'win32') return endWindowsTree(pid)
  if (!signal(-pid, 'SIGTERM') || (await isGroupGone(pid, GRACE_MS))) return
  signal(-pid, 'SIGKILL')
  await isGroupGone(pid, DEATH_MS)
}

/** Ends the group and, where the system lets us look, whatever else carries the run's id. */
export async function endProcessTree(pid: number, runId: string): Promise<void> {
  await endProcessGroup(pid)
  await endMarkedProcesses(runId)
}

/** Ends, where the system lets us look, whatever was started with a run id of that beginning. */
export async function endMarkedProcesses(runId: string): Promise<void> {
  if (process.platform !== 'linux') return
  await until(DEATH_MS, async () => {
    // Looked for again after each kill, because a process may fork while it is looked for.
    const escaped = await findByVariable(RUN_ID_VARIABLE, runId)
    for (const each of escaped) signal(each, 'SIGKILL')
    return escaped.length === 0
  })
}

function isGroupGone(pid: number, withinMs: number): Promise<boolean> {
  return until(withinMs, async () => {
    if (!signal(-pid, 0)) return true
    // In a container often nobody reaps orphans, and a dead one would look alive for ever.
    return process.platform === 'linux' && (await findGroupMembers(pid)).length === 0
  })
}

async function until(withinMs: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + withinMs
  while (!(await isDone())) {
    if (performance.now() >= end) return false
    await sleep(POLL_MS)
  }
  return true
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
