import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createSystemSearchPath } from '../find-program.js'
import { findProcesses } from './end-processes.js'

const BYTES_PER_KB = 1024

/**
 * The resident memory of a process tree in bytes. Pages that processes share count for each of them. Undefined if it cannot be
 * measured here.
 */
export async function measureMemory(leader: number): Promise<number | undefined> {
  try {
    const { pids } = await findProcesses({ leader })
    if (process.platform === 'linux') return pids.reduce((sum, pid) => sum + readResidentBytes(pid), 0)
    return process.platform === 'win32' ? undefined : await measureByPs(pids)
  } catch {
    // The processes cannot be listed.
    return undefined
  }
}

function readResidentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return Number(kilobytes ?? 0) * BYTES_PER_KB
  } catch {
    // The process has ended.
    return 0
  }
}

async function measureByPs(pids: readonly number[]): Promise<number> {
  if (pids.length === 0) return 0
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', pids.join(',')], {
    env: { PATH: createSystemSearchPath(process.env.PATH) },
  })
  return stdout.split('\n').reduce((sum, line) => sum + Number(line) * BYTES_PER_KB, 0)
}
