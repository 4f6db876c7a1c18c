import { lstat, open, readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describeFailure } from '../../../results/preview.js'
import { claimDailyWork } from '../../../system/daily-work.js'
import { makeFolder } from '../../../system/make-folder.js'
import { findHolder, lockSession, type SessionLock } from '../storage/session-lock.js'
import { getProjectsRoot, isSessionId, SessionPaths } from '../storage/session-paths.js'
import { listSessionIds, readHead } from './list-sessions.js'

const DAY_MS = 24 * 60 * 60 * 1000
const DEFAULT_CLEANUP_PERIOD_DAYS = 30
const STAMP_FILE = 'cleaned'

/** Options of `cleanUpSessions` and `cleanUpWhenDue`. */
export interface SessionCleanUp {
  readonly home: string | undefined
  /** Sessions are removed after this many days without a write. `cleanupPeriodDays` in the settings. */
  readonly days?: number
  readonly now?: number
}

/** The sessions that a clean-up removed, and the problems that it had. */
export interface SessionCleanUpReport {
  /** The ids of the removed sessions. */
  readonly removed: readonly string[]
  readonly problems: readonly string[]
}

/** Cleans up once a day, but not in the week after the clock jumped. Otherwise reads only one small file. Never rejects. */
export async function cleanUpWhenDue(options: SessionCleanUp): Promise<SessionCleanUpReport | undefined> {
  const { home, now = Date.now() } = options
  if (home === undefined || !isDue(getProjectsRoot(home), now)) return undefined
  return cleanUpSessions(options)
}

/** Removes sessions without a write for `days` days, and their results. Open sessions are kept. Never rejects. */
export async function cleanUpSessions({
  home,
  days = DEFAULT_CLEANUP_PERIOD_DAYS,
  now = Date.now(),
}: SessionCleanUp): Promise<SessionCleanUpReport> {
  const removedIds: string[] = []
  const problems: string[] = []
  if (home === undefined || !(days > 0)) return { removed: removedIds, problems }
  const root = getProjectsRoot(home)
  for (const name of await listFolders(root)) {
    const folder = join(root, name)
    try {
      removedIds.push(...(await cleanUpProject(folder, now - days * DAY_MS, problems)))
      // Fails unless the folder is empty.
      await rmdir(folder).catch(() => {})
    } catch (error) {
      problems.push(`${folder} could not be cleaned up: ${describeFailure(error)}`)
    }
  }
  return { removed: removedIds, problems }
}

function isDue(root: string, now: number): boolean {
  try {
    makeFolder(root)
    return claimDailyWork(join(root, STAMP_FILE), now)
  } catch {
    // A home that cannot be written to cannot be cleaned up either.
    return false
  }
}

async function cleanUpProject(folder: string, cutoffMs: number, problems: string[]): Promise<readonly string[]> {
  const ids = new Set([
    ...(await listSessionIds(folder)),
    ...(await listFolders(folder)).map(withoutLockSuffix).filter(isSessionId),
  ])
  const removedIds: string[] = []
  const neededResults = new Set<string>()
  for (const id of ids) {
    const paths = new SessionPaths(folder, id)
    const isOld = (await findLastWriteTime(paths)) < cutoffMs
    if (isOld && (await removeUnlessOpen(paths, cutoffMs, problems))) removedIds.push(id)
    else neededResults.add(await readResultsOwner(paths))
  }
  // Results are removed with the last session that refers to them.
  for (const id of removedIds) if (!neededResults.has(id)) await rm(join(folder, id), { recursive: true, force: true })
  return removedIds
}

/** Deletes a session and its results, unless a fork needs these. Throws a `SessionError` if a process has the session open. */
export async function deleteSession(paths: SessionPaths): Promise<void> {
  const lock = lockSession(paths)
  try {
    await removeTranscript(paths)
    const otherIds = (await listSessionIds(paths.folder)).filter((id) => id !== paths.id)
    const owners = await Promise.all(otherIds.map((id) => readResultsOwner(new SessionPaths(paths.folder, id))))
    if (!owners.includes(paths.id)) await rm(paths.attached, { recursive: true, force: true })
  } finally {
    lock.release()
  }
}

async function removeTranscript(paths: SessionPaths): Promise<void> {
  await rm(paths.transcript, { force: true })
  await rm(paths.gap, { force: true })
}

/** Removes everything but the results, which a fork may still need. */
async function removeUnlessOpen(paths: SessionPaths, cutoffMs: number, problems: string[]): Promise<boolean> {
  let lock: SessionLock | undefined
  try {
    if (findHolder(paths) !== undefined) return false
    lock = lockSession(paths)
    // Another process may have opened and closed the session in the meantime.
    if ((await findLastWriteTime(paths)) >= cutoffMs) return false
    await removeTranscript(paths)
    return true
  } catch (error) {
    problems.push(`${paths.transcript} could not be removed: ${describeFailure(error)}`)
    return false
  } finally {
    lock?.release()
  }
}

/** Returns the time of the last write to any file of a session. A fork's results count for the session that owns the folder. */
async function findLastWriteTime(paths: SessionPaths): Promise<number> {
  const times = [await readModificationTime(paths.transcript), await findNewestTime(paths.attached)]
  return Math.max(0, ...times.filter((time) => time !== undefined))
}

async function findNewestTime(folder: string): Promise<number | undefined> {
  const stats = await lstat(folder).catch(() => undefined)
  if (stats === undefined) return undefined
  if (!stats.isDirectory()) return stats.mtimeMs
  const entries = await readdir(folder)
  const times = await Promise.all(entries.map((name) => findNewestTime(join(folder, name))))
  return Math.max(stats.mtimeMs, ...times.filter((time) => time !== undefined))
}

async function readModificationTime(path: string): Promise<number | undefined> {
  return (await lstat(path).catch(() => undefined))?.mtimeMs
}

async function readResultsOwner(paths: SessionPaths): Promise<string> {
  const handle = await open(paths.transcript).catch(() => undefined)
  if (handle === undefined) return paths.id
  const { start } = await readHead(handle).finally(() => handle.close())
  return typeof start?.resultsOf === 'string' ? start.resultsOf : paths.id
}

async function listFolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

/** Returns the session id from the name of a session's lock folder or of its folder for results. */
function withoutLockSuffix(name: string): string {
  return name.replace(/\.lock$/, '')
}
