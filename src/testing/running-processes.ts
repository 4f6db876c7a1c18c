import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { SUPERVISOR_SCRIPT } from '../system/processes/supervisor.js'

/** The processes that have this entry in their environment. Zombies have none. Linux only. */
export function runningWith(entry: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => readProcFile(pid, 'environ').split('\0').includes(entry))
}

/** Whether a process is running. A zombie is not. */
export function isAlive(pid: number): boolean {
  const stat = readProcFile(pid, 'stat')
  return stat !== '' && !/^\d+ \(.*\) Z/s.test(stat)
}

/** Polls until the condition holds. The test's time limit is the only limit. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5)
}

/** Empty if the process has ended or belongs to another user. */
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
