import { Cron } from 'croner'
import { quote } from './quote.js'
import { reasonOf } from './reason-of.js'

/** The times of a task: a cron expression in a time zone, or one moment. */
export interface TaskTimes {
  /** Undefined for a task that runs at `runAt`. */
  readonly cron?: string
  readonly timezone: string
  readonly recurring: boolean
  /** Milliseconds since 1970; only for a task without a cron expression. */
  readonly runAt?: number
}

/** Further missed times are not counted, so that a task of every minute costs little after a year without a computer. */
const MAX_COUNTED_TIMES = 100

/** Five fields with numbers, names, lists, ranges and steps. Croner reads more, which other cron programs do not. */
const FIVE_FIELDS = /^(?:[\d*,/\-A-Za-z]+\s+){4}[\d*,/\-A-Za-z]+$/
const NON_STANDARD = /[LW#?]|\d(?=[A-Za-z])/i

/** Says what is wrong with a cron expression or time zone; undefined if both are valid and there is a next time. */
export function findCronProblem(cron: string, timezone: string, now: number): string | undefined {
  if (!isTimeZone(timezone))
    return `Unknown time zone ${quote(timezone)}. Use an IANA name, for example Europe/Berlin or UTC.`
  const usage = 'Use five fields: minute, hour, day of the month, month, day of the week; for example "30 8 * * 1-5".'
  if (!FIVE_FIELDS.test(cron.trim()) || hasNonStandardField(cron))
    return `${quote(cron)} is not a cron expression. ${usage}`
  try {
    const times = openTimes(cron, timezone)
    if (times.nextRun(new Date(now)) === null) return `${quote(cron)} never matches a date. ${usage}`
    return undefined
  } catch (error) {
    return `${quote(cron)} is not a cron expression: ${reasonOf(error).replace(/^CronPattern: /, '')}. ${usage}`
  }
}

/** Whether a field is not standard. Names of months and days are removed first: their letters have other meanings. */
function hasNonStandardField(cron: string): boolean {
  const withoutNames = cron.replace(
    /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)\b/gi,
    '0',
  )
  return /[a-z]/i.test(withoutNames) || NON_STANDARD.test(withoutNames)
}

/**
 * Returns the first time of a task after a moment. A time that the change to summer time skips is moved to the change; a time that
 * the change to winter time repeats counts once, unless the task runs every hour or more often.
 */
export function findNextTime(times: TaskTimes, after: number): number | undefined {
  if (times.cron === undefined) return times.runAt !== undefined && times.runAt > after ? times.runAt : undefined
  return openTimes(times.cron, times.timezone).nextRun(new Date(after))?.getTime()
}

/** Returns the latest due time of a task in a period, and how many there are; undefined if there is none. */
export function findDueTimes(
  times: TaskTimes,
  { after, until }: { readonly after: number; readonly until: number },
): { readonly latest: number; readonly count: number } | undefined {
  const first = findNextTime(times, after)
  if (first === undefined || first > until) return undefined
  if (!times.recurring || times.cron === undefined) return { latest: first, count: 1 }
  const cron = openTimes(times.cron, times.timezone)
  let due: number = first
  for (let count = 1; ; count++) {
    const next: number | undefined = cron.nextRun(new Date(due))?.getTime()
    if (next === undefined || next > until) return { latest: due, count }
    // The exact number of very many missed times does not matter, but the latest one does. `previousRuns` finds times
    // before the second of its argument.
    if (count === MAX_COUNTED_TIMES)
      return { latest: cron.previousRuns(1, new Date(until + 1_000))[0]?.getTime() ?? next, count }
    due = next
  }
}

/** Returns the time zone of this machine. */
export function getLocalZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

function openTimes(cron: string, timezone: string): Cron {
  return new Cron(cron, { timezone, mode: '5-part', paused: true })
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    // The constructor refuses unknown names.
    return false
  }
}
