import { describe, expect, test } from 'vitest'
import { findCronProblem, findDueTimes, findNextTime } from './cron-times.js'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** The local time of a moment, read by Node's own time zone data and not by the library that is tested. */
function createLocalClock(timeZone: string): (ms: number) => Readonly<Record<string, number>> {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric' },
  })
  return (ms) => Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
}

function listTimes(cron: string, timezone: string, from: number, until: number): readonly number[] {
  const times: number[] = []
  for (let time: number | undefined = from; time !== undefined; ) {
    time = findNextTime({ cron, timezone, recurring: true }, time)
    if (time === undefined || time >= until) break
    times.push(time)
  }
  return times
}

describe('over a year with both changes of the clock', () => {
  const from = Date.UTC(2026, 5, 1)
  const until = from + 365 * DAY_MS

  test.each([
    ['Europe/Berlin', 9, 30],
    ['America/New_York', 23, 59],
    ['Australia/Lord_Howe', 12, 0],
    ['UTC', 0, 1],
  ])('a daily task in %s runs once on each day, at its local time', (timezone, hour, minute) => {
    const times = listTimes(`${minute} ${hour} * * *`, timezone, from, until)
    const toLocal = createLocalClock(timezone)
    expect(times).toHaveLength(365)
    for (const time of times) expect(toLocal(time)).toMatchObject({ hour, minute })
  })

  test.each([
    ['summer', Date.UTC(2027, 2, 27)],
    ['winter', Date.UTC(2026, 9, 24)],
  ])('a task of every quarter of an hour runs every 15 minutes through the change to %s time', (_, start) => {
    const times = listTimes('*/15 * * * *', 'Europe/Berlin', start, start + 2 * DAY_MS)
    expect(times).toEqual(Array.from({ length: 2 * 96 - 1 }, (_, index) => start + (index + 1) * 15 * MINUTE_MS))
  })

  test('weekdays and months match the minutes that the calendar says', () => {
    const toLocal = createLocalClock('Europe/Berlin')
    const expected: number[] = []
    for (let time = from + MINUTE_MS; time < until; time += MINUTE_MS) {
      // Only full hours can match, and formatting every minute would take seconds.
      if (time % (60 * MINUTE_MS) !== 0) continue
      const { hour, day, month, year } = toLocal(time)
      const weekday = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDay()
      if (hour === 6 && weekday >= 1 && weekday <= 5 && [2, 3, 10].includes(month ?? 0)) expected.push(time)
    }
    expect(listTimes('0 6 * feb,mar,10 mon-fri', 'Europe/Berlin', from, until)).toEqual(expected)
  })
})

test('a time that the change to summer time skips is moved to the change', () => {
  const changeDay = Date.UTC(2027, 2, 27, 12)
  expect(listTimes('30 2 * * *', 'Europe/Berlin', changeDay, changeDay + DAY_MS)).toEqual([Date.UTC(2027, 2, 28, 1)])
})

test('a time that the change to winter time repeats counts once', () => {
  const changeDay = Date.UTC(2026, 9, 24, 12)
  expect(listTimes('30 2 * * *', 'Europe/Berlin', changeDay, changeDay + DAY_MS)).toEqual([
    Date.UTC(2026, 9, 25, 0, 30),
  ])
})

test('missed times are counted, and the latest one is known even if there are very many', () => {
  const times = { cron: '* * * * *', timezone: 'UTC', recurring: true }
  const after = Date.UTC(2026, 0, 1)
  expect(findDueTimes(times, { after, until: after + 10 * MINUTE_MS + 30_000 })).toEqual({
    latest: after + 10 * MINUTE_MS,
    count: 10,
  })
  const aYearLater = after + 365 * DAY_MS + 1
  expect(findDueTimes(times, { after, until: aYearLater })).toEqual({ latest: after + 365 * DAY_MS, count: 100 })
  expect(findDueTimes(times, { after, until: after + 59_999 })).toBeUndefined()
})

test.each([
  ['* * * *', 'is not a cron expression'],
  ['60 * * * *', 'Invalid value for minute'],
  ['* * * * * *', 'is not a cron expression'],
  ['@daily', 'is not a cron expression'],
  ['0 0 L * *', 'is not a cron expression'],
  ['0 0 ? * MON#2', 'is not a cron expression'],
  ['0 0 30 2 *', 'never matches a date'],
  ['every day', 'is not a cron expression'],
  ['', 'is not a cron expression'],
])('%j is refused with the usage', (cron, message) => {
  const problem = findCronProblem(cron, 'UTC', Date.UTC(2026, 0, 1))
  expect(problem).toContain(message)
  expect(problem).toContain('Use five fields: minute, hour, day of the month, month, day of the week')
})

test('an unknown time zone is refused', () => {
  expect(findCronProblem('0 8 * * *', 'Mars/Olympus', 0)).toBe(
    'Unknown time zone "Mars/Olympus". Use an IANA name, for example Europe/Berlin or UTC.',
  )
})

test.each(['0 8 * * 1-5', '*/15 9-17 * jan-mar MON,fri', '0 0 1,15 * 0', '5 4 * * 7'])('%j is accepted', (cron) => {
  expect(findCronProblem(cron, 'Europe/Berlin', Date.UTC(2026, 0, 1))).toBeUndefined()
})
