import { readFileSync } from 'node:fs'

/** Whether a process still runs. One that has ended and waits for a parent to notice does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    // Nothing of this number is there any more.
    return false
  }
}
