import { lstatSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'

const DAY_MS = 24 * 60 * 60 * 1000
/** If the stamp is older than this, the clock is assumed to have jumped. */
const MAX_PAUSE_MS = 60 * DAY_MS
/** How long nothing is removed after the clock jumped, so that the user has time to correct it. */
const WAIT_AFTER_JUMP_MS = 7 * DAY_MS

/**
 * Whether work that removes old files is due: once a day, by the date of a stamp file. It is not due for a week after the
 * clock jumped, because a wrong clock makes every file look old. Without a stamp it is unknown how old files are, so that
 * counts as a jump as well.
 */
export function isDailyWorkDue(stamp: string, now: number): boolean {
  return readDueState(stamp, now) === 'due'
}

/** Like `isDailyWorkDue`, but also writes the stamp, so that the work is due once. The folder of the stamp must exist. */
export function claimDailyWork(stamp: string, now: number): boolean {
  const dueState = readDueState(stamp, now)
  if (dueState === 'not yet') return false
  const jumpedAt = dueState === 'jump' ? now : readJumpTime(stamp)
  writeFileSync(stamp, String(jumpedAt), { mode: 0o600 })
  utimesSync(stamp, now / 1000, now / 1000)
  return dueState === 'due'
}

/** `jump`: the clock was set wrong, or there is no stamp. `waiting`: a day has passed, but the clock jumped recently. */
type DueState = 'due' | 'not yet' | 'jump' | 'waiting'

function readDueState(stamp: string, now: number): DueState {
  const lastWorkTime = lstatSync(stamp, { throwIfNoEntry: false })?.mtimeMs
  if (lastWorkTime === undefined || lastWorkTime - now >= DAY_MS || now - lastWorkTime > MAX_PAUSE_MS) return 'jump'
  if (now - lastWorkTime < DAY_MS) return 'not yet'
  return now - readJumpTime(stamp) < WAIT_AFTER_JUMP_MS ? 'waiting' : 'due'
}

/** Returns when the last jump was noticed; 0 if there was none. */
function readJumpTime(stamp: string): number {
  return Number(readFileSync(stamp, 'utf8')) || 0
}
