import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { contentHash } from '../../shared/content-hash.js'
import { START_FIELD, statFields } from '../../shared/stat-fields.js'

/** Says which process something belongs to, in letters that fit a file name: where it runs, its number, when it began. */
export function ownerMark(): string {
  own ??= `${place()}-${process.pid}-${startOf(process.pid) ?? 0}`
  return own
}

let own: string | undefined

/** Whether nobody will come back to what carries this mark. In doubt somebody will. */
export function isOwnerGone(mark: string): boolean {
  const [where, id, start] = mark.split('-')
  const pid = Number(id)
  if (where !== place() || !Number.isInteger(pid) || pid <= 0) return false
  const now = startOf(pid)
  return now === undefined ? !isRunning(pid) : now !== start
}

/** Process numbers mean something only on one machine, and there in one namespace. */
function place(): string {
  let namespace = ''
  try {
    namespace = readlinkSync('/proc/self/ns/pid')
  } catch {
    // Only Linux has them.
  }
  return contentHash(Buffer.from(`${hostname()} ${namespace}`)).slice(0, 8)
}

/** When a process began, in ticks since the machine did: a number that is given out again does not bring the time with it. */
function startOf(pid: number): string | undefined {
  try {
    return statFields(readFileSync(`/proc/${pid}/stat`, 'latin1'))[START_FIELD]
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
