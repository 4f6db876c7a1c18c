import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { contentHash } from '../../shared/content-hash.js'
import { START_FIELD, statFields } from '../../shared/stat-fields.js'

/** Which process something belongs to: where it runs, its number, and when it began. */
export interface ProcessMark {
  readonly place: string
  readonly pid: number
  /** In ticks since the machine began; 0 where the system does not tell. */
  readonly start: string
}

export function ownMark(): ProcessMark {
  own ??= { place: place(), pid: process.pid, start: look(process.pid)?.start ?? '0' }
  return own
}

let own: ProcessMark | undefined

/** Whether that process will never do anything again. In doubt it will. */
export function isGone(mark: ProcessMark): boolean {
  if (mark.place !== place()) return false
  const now = look(mark.pid)
  if (now === undefined) return !isRunning(mark.pid)
  // One that was killed is listed until its parent has heard of it.
  return now.hasEnded || (mark.start !== '0' && now.start !== mark.start)
}

export function isHere(mark: ProcessMark): boolean {
  return mark.place === place()
}

let here: string | undefined

/** Process numbers mean something only on one machine, since it began, and there in one namespace. */
function place(): string {
  here ??= contentHash(Buffer.from(`${hostname()} ${namespace()}`)).slice(0, 8)
  return here
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Only Linux has them.
    return ''
  }
}

/** A number that is given out again does not bring the time with it. */
function look(pid: number): { readonly start: string; readonly hasEnded: boolean } | undefined {
  try {
    const fields = statFields(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    return { start: fields[START_FIELD] ?? '0', hasEnded: fields[0] === 'Z' || fields[0] === 'X' }
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
