import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createSystemSearchPath } from '../find-program.js'
import { findProcesses } from './end-processes.js'
import { readResidentBytes } from './process-table.js'

const BYTES_PER_KB = 1024

/**
 * Returns the resident memory of a process tree in bytes. Pages that processes share count for each of them. Undefined if it
 * cannot be measured here.
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

async function measureByPs(pids: readonly number[]): Promise<number> {
  if (pids.length === 0) return 0
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', pids.join(',')], {
    env: { PATH: createSystemSearchPath(process.env.PATH) },
  })
  return stdout.split('\n').reduce((sum, line) => sum + Number(line) * BYTES_PER_KB, 0)
}
