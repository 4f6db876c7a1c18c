import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { SUPERVISOR_SCRIPT } from '../system/processes/supervisor.js'

/** Returns the ids of processes with this entry in their environment. Zombies have no environment. Linux only. */
export function findProcessesWith(entry: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => readProcFile(pid, 'environ').split('\0').includes(entry))
}

/** Whether a process is running. A zombie does not count as running. */
export function isAlive(pid: number): boolean {
  const stat = readProcFile(pid, 'stat')
  return stat !== '' && !/^\d+ \(.*\) Z/s.test(stat)
}

/** Polls until the condition holds. Has no time limit of its own: that of the test applies. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

/** Reads a file of the process. Returns an empty text if the process has ended or belongs to another user. */
function readProcFile(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

export function isSupervisor(pid: number): boolean {
  return readProcFile(pid, 'cmdline').includes(SUPERVISOR_SCRIPT)
}
