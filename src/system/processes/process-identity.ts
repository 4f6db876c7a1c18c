import { createHash } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { readStat } from './process-table.js'

/** Identifies a process, even if its process id is reused later. */
export interface ProcessIdentity {
  /** A hash of the host name and the PID namespace, within which process ids are unique. */
  readonly host: string
  readonly pid: number
  /** Clock ticks from boot to the start of the process; 0 on systems that do not report it. */
  readonly start: string
}

const IDENTITY_PATTERN = /^([0-9a-f]{8})-([1-9]\d{0,9})-(\d+)$/

export function getOwnIdentity(): ProcessIdentity {
  cachedIdentity ??= { host: getOwnHost(), pid: process.pid, start: String(readStat(process.pid)?.startedAt ?? 0) }
  return cachedIdentity
}

let cachedIdentity: ProcessIdentity | undefined

/** Returns an identity as text that is safe in file names. */
export function formatIdentity({ host, pid, start }: ProcessIdentity = getOwnIdentity()): string {
  return `${host}-${pid}-${start}`
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, host, pid, start] = IDENTITY_PATTERN.exec(text) ?? []
  return host === undefined || pid === undefined || start === undefined ? undefined : { host, pid: Number(pid), start }
}

/** Whether the process has certainly ended. False in doubt: for other machines and for malformed text. */
export function hasEnded(identity: ProcessIdentity | string): boolean {
  const parsedIdentity = typeof identity === 'string' ? parseIdentity(identity) : identity
  if (parsedIdentity === undefined || !isOnThisHost(parsedIdentity)) return false
  const stat = readStat(parsedIdentity.pid)
  if (stat === undefined) return !isRunning(parsedIdentity.pid)
  // A killed process stays listed as a zombie until its parent reaps it.
  const isDead = stat.state === 'Z' || stat.state === 'X'
  return isDead || (parsedIdentity.start !== '0' && String(stat.startedAt) !== parsedIdentity.start)
}

export function isOnThisHost({ host }: ProcessIdentity): boolean {
  return host === getOwnHost()
}

let cachedHost: string | undefined

function getOwnHost(): string {
  cachedHost ??= createHash('sha256').update(`${hostname()} ${readPidNamespace()}`).digest('hex').slice(0, 8)
  return cachedHost
}

function readPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Only Linux has PID namespaces.
    return ''
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
