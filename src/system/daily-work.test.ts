import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimDailyWork, isDailyWorkDue } from './daily-work.js'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 10, 1)

let folder: string
let stamp: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-daily-'))
  stamp = join(folder, 'stamp')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Claims the work on each of these days, counted from `NOW`, and returns those on which it was due. */
function listDueDays(...days: readonly number[]): readonly number[] {
  return days.filter((day) => claimDailyWork(stamp, NOW + day * DAY_MS))
}

/** A stamp of yesterday, as an older version wrote it. */
function writeOldStamp(): void {
  writeFileSync(stamp, '')
  utimesSync(stamp, (NOW - DAY_MS) / 1000, (NOW - DAY_MS) / 1000)
}

test('daily work is due once a day', () => {
  writeOldStamp()

  expect(listDueDays(0, 0.5, 0.9, 1, 1.5, 2, 20)).toEqual([0, 1, 2, 20])
})

test('after the clock jumps forwards or backwards, no daily work is due for a week', () => {
  writeOldStamp()
  const fourteenYearsInDays = 14 * 365

  expect(listDueDays(0, fourteenYearsInDays, fourteenYearsInDays + 1, fourteenYearsInDays + 3)).toEqual([0])
  expect(listDueDays(1, 2, 5)).toEqual([])
  expect(listDueDays(8, 9)).toEqual([8, 9])
})

test('without a stamp file, daily work is first due after a week', () => {
  expect(listDueDays(0, 1, 6, 7)).toEqual([7])
})

test('asking whether daily work is due does not claim it', () => {
  writeOldStamp()

  expect([isDailyWorkDue(stamp, NOW), isDailyWorkDue(stamp, NOW), claimDailyWork(stamp, NOW)]).toEqual([
    true,
    true,
    true,
  ])
})
