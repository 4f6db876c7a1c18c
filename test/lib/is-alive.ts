import { readFileSync } from 'node:fs'

/** Whether a process is still running. A zombie does not count as running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    // No process has this id any more.
    return false
  }
}
