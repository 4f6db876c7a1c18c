import { lstatSync, utimesSync, writeFileSync } from 'node:fs'
import { lstat, open, readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describeFailure } from '../../results/preview.js'
import { makeFolder } from '../../system/make-folder.js'
import { lookAtHead, sessionsIn } from './list-sessions.js'
import { holderOf, lockSession, type SessionLock } from './session-lock.js'
import { isSessionId, projectsRoot, SessionPlace } from './session-place.js'

const DAY_MS = 24 * 60 * 60 * 1000
const DEFAULT_CLEANUP_PERIOD_DAYS = 30
const STAMP = 'cleaned'

export interface SessionCleanUp {
  readonly home: string | undefined
  /** How long a session in which nothing happens is kept; `cleanupPeriodDays` of the settings. */
  readonly days?: number
  readonly now?: number
}

export interface SessionCleanUpReport {
  /** Ids. */
  readonly removed: readonly string[]
  readonly problems: readonly string[]
}

/** Cleans up once a day; on other starts it costs one look at a file. Never rejects. */
export async function cleanUpWhenDue(options: SessionCleanUp): Promise<SessionCleanUpReport | undefined> {
  const { home, now = Date.now() } = options
  if (home === undefined || !isDue(projectsRoot(home), now)) return undefined
  return cleanUpSessions(options)
}

/** Removes sessions in which nothing was written for so long, with their results. Those that are open stay. Never rejects. */
export async function cleanUpSessions({
  home,
  days = DEFAULT_CLEANUP_PERIOD_DAYS,
  now = Date.now(),
}: SessionCleanUp): Promise<SessionCleanUpReport> {
  const removed: string[] = []
  const problems: string[] = []
  if (home === undefined || !(days > 0)) return { removed, problems }
  const root = projectsRoot(home)
  for (const name of await foldersIn(root)) {
    const folder = join(root, name)
    try {
      removed.push(...(await cleanUpProject(folder, now - days * DAY_MS, problems)))
      // Only where nothing is left in it.
      await rmdir(folder).catch(() => {})
    } catch (error) {
      problems.push(`${folder} could not be cleaned up: ${describeFailure(error)}`)
    }
  }
  return { removed, problems }
}

function isDue(root: string, now: number): boolean {
  const stamp = join(root, STAMP)
  try {
    const last = lstatSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0
    // A clock that was put back must not keep everything for ever.
    if (now - last < DAY_MS && last - now < DAY_MS) return false
    makeFolder(root)
    writeFileSync(stamp, '', { mode: 0o600 })
    utimesSync(stamp, now / 1000, now / 1000)
    return true
  } catch {
    // Where nothing can be written, nothing can be removed.
    return false
  }
}

async function cleanUpProject(folder: string, before: number, problems: string[]): Promise<readonly string[]> {
  const ids = new Set([
    ...(await sessionsIn(folder)),
    ...(await foldersIn(folder)).map(withoutEnding).filter(isSessionId),
  ])
  const removed: string[] = []
  const needed = new Set<string>()
  for (const id of ids) {
    const place = new SessionPlace(folder, id)
    const isOld = (await lastWritten(place)) < before
    if (isOld && (await removeUnlessOpen(place, before, problems))) removed.push(id)
    else needed.add(await resultsOwner(place))
  }
  // Results go with the last session whose messages name them.
  for (const id of removed) if (!needed.has(id)) await rm(join(folder, id), { recursive: true, force: true })
  return removed
}

/** Everything but the results, which a fork may still need. */
async function removeUnlessOpen(place: SessionPlace, before: number, problems: string[]): Promise<boolean> {
  let lock: SessionLock | undefined
  try {
    if (holderOf(place) !== undefined) return false
    lock = lockSession(place)
    // Somebody may have had it open, and closed it again, meanwhile.
    if ((await lastWritten(place)) >= before) return false
    await rm(place.transcript, { force: true })
    await rm(place.gap, { force: true })
    return true
  } catch (error) {
    problems.push(`${place.transcript} could not be removed: ${describeFailure(error)}`)
    return false
  } finally {
    lock?.release()
  }
}

/** The newest of what belongs to a session; a fork's results count for the one that they lie with. */
async function lastWritten(place: SessionPlace): Promise<number> {
  const times = [await changedAt(place.transcript), await newestIn(place.attached)]
  return Math.max(0, ...times.filter((time) => time !== undefined))
}

async function newestIn(folder: string): Promise<number | undefined> {
  const stat = await lstat(folder).catch(() => undefined)
  if (stat === undefined) return undefined
  if (!stat.isDirectory()) return stat.mtimeMs
  const entries = await readdir(folder)
  const times = await Promise.all(entries.map((name) => newestIn(join(folder, name))))
  return Math.max(stat.mtimeMs, ...times.filter((time) => time !== undefined))
}

async function changedAt(path: string): Promise<number | undefined> {
  return (await lstat(path).catch(() => undefined))?.mtimeMs
}

async function resultsOwner(place: SessionPlace): Promise<string> {
  const handle = await open(place.transcript).catch(() => undefined)
  if (handle === undefined) return place.id
  const { start } = await lookAtHead(handle).finally(() => handle.close())
  return typeof start?.resultsOf === 'string' ? start.resultsOf : place.id
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

/** Of the folder of a lock, the session that it is for. */
function withoutEnding(name: string): string {
  return name.replace(/\.lock$/, '')
}
