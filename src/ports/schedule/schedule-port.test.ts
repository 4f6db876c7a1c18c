import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { HttpPort, HttpRequest } from '../../contract/ports/http.js'
import type { DuePrompt } from '../../contract/ports/schedule.js'
import { createTemporaryFolder } from '../../testing/query-fixture.js'
import { createSchedule, type ManagedSchedulePort, type ScheduleOptions } from './create-schedule.js'

const NEVER = new AbortController().signal
const noHttp: HttpPort = {
  fetch: () => Promise.reject(new Error('not expected')),
  openWebSocket: () => Promise.reject(new Error('not expected')),
}

let folder: string
beforeEach(async () => {
  folder = join(await createTemporaryFolder(), 'schedule')
})
const open = (options: Partial<ScheduleOptions> = {}): ManagedSchedulePort =>
  createSchedule({ folder, projectRoot: '/project', http: noHttp, ...options })
const HOURLY = { cron: '0 * * * *', prompt: 'Check the build', recurring: true, timezone: 'UTC' }

describe('a task of the session', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 7, 59, 30) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('delivers its prompt at each time, and ends with the session', async () => {
    const duePrompts: DuePrompt[] = []
    const schedule = open({ onDue: (prompt) => duePrompts.push(prompt) })
    const task = await schedule.create({ ...HOURLY, durable: false })
    expect(task).toMatchObject({ id: 's1', durable: false, nextRun: Date.UTC(2026, 0, 1, 8) })
    await vi.advanceTimersByTimeAsync(29_000)
    expect(duePrompts).toEqual([])
    await vi.advanceTimersByTimeAsync(2 * 60 * 60_000)
    expect(duePrompts.map(({ due, prompt }) => [due, prompt])).toEqual([
      [Date.UTC(2026, 0, 1, 8), 'Check the build'],
      [Date.UTC(2026, 0, 1, 9), 'Check the build'],
    ])
    schedule.dispose()
    await vi.advanceTimersByTimeAsync(5 * 60 * 60_000)
    expect(duePrompts).toHaveLength(2)
  })

  test('runs once if it does not repeat, and never after it was deleted', async () => {
    const duePrompts: DuePrompt[] = []
    const schedule = open({ onDue: (prompt) => duePrompts.push(prompt) })
    await schedule.create({ ...HOURLY, recurring: false, durable: false })
    const deletedTask = await schedule.create({ ...HOURLY, durable: false })
    expect(await schedule.delete(deletedTask.id)).toMatchObject({ id: 's2' })
    await vi.advanceTimersByTimeAsync(3 * 60 * 60_000)
    expect(duePrompts.map(({ id }) => id)).toEqual(['s1'])
    expect(await schedule.list()).toEqual([])
  })

  test('is refused where the session ends with its answer', async () => {
    await expect(open().create({ ...HOURLY, durable: false })).rejects.toThrow(
      'This session ends with its answer, so a task in it would never run. Set durable to true.',
    )
  })
})

test('durable tasks are shared by the sessions of a project', async () => {
  await open().create({ ...HOURLY, durable: true })
  const other = open()
  expect(await other.list()).toMatchObject([
    { id: '1', cron: '0 * * * *', durable: true, ifMissed: 'run_once', runs: [] },
  ])
  expect(await other.delete('1')).toMatchObject({ id: '1' })
  expect(await open().list()).toEqual([])
  expect(await open().delete('1')).toBeUndefined()
})

test('a wrong expression or zone changes nothing', async () => {
  await expect(open().create({ ...HOURLY, cron: '61 * * * *', durable: true })).rejects.toThrow(
    'is not a cron expression',
  )
  await expect(open().create({ ...HOURLY, timezone: 'Mars', durable: true })).rejects.toThrow(
    'Unknown time zone "Mars"',
  )
  expect(await open().list()).toEqual([])
})

test('a damaged file is reported and not replaced', async () => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'schedule.json')
  writeFileSync(file, '{"tasks":[{"id":1}]}')
  await expect(open().create({ ...HOURLY, durable: true })).rejects.toThrow(
    `The schedule ${file} cannot be read. Move it away to start a new one.`,
  )
  expect(readFileSync(file, 'utf8')).toBe('{"tasks":[{"id":1}]}')
})

describe('a triggered run', () => {
  test('on this machine becomes a durable task, once for each key', async () => {
    const schedule = open({ startsDurableRuns: true })
    const run = { prompt: 'Review', key: 'toolu_1' }
    expect(await schedule.trigger(run, { signal: NEVER })).toBe(
      'Queued as scheduled task 1. It runs in the background as a session of its own.',
    )
    await schedule.trigger(run, { signal: NEVER })
    expect(await schedule.list()).toMatchObject([{ id: '1', prompt: 'Review', recurring: false }])
  })

  test('on a worker is a request with its token', async () => {
    const requests: [string, HttpRequest | undefined][] = []
    const http: HttpPort = {
      ...noHttp,
      async fetch(url, request) {
        requests.push([url, request])
        const body = Buffer.from(JSON.stringify({ task: '7' }))
        return { status: 201, url, headers: {}, body, isTruncated: false }
      },
    }
    const schedule = open({ http, workers: { build: { url: 'http://worker.test:8080/', token: 'secret-token' } } })
    expect(await schedule.trigger({ prompt: 'Review', worker: 'build', key: 'k' }, { signal: NEVER })).toBe(
      'The worker "build" has accepted the run as its scheduled task 7. Its results stay there.',
    )
    expect(requests).toMatchObject([
      [
        'http://worker.test:8080/v1/runs',
        { method: 'POST', headers: { authorization: 'Bearer secret-token' }, body: '{"prompt":"Review","key":"k"}' },
      ],
    ])
  })

  test('on an unknown worker, or one without a token, is an error that says what to do', async () => {
    const schedule = open({ workers: { build: { url: 'http://worker.test', token: undefined } } })
    const trigger = (worker: string) => schedule.trigger({ prompt: 'x', worker, key: 'k' }, { signal: NEVER })
    await expect(trigger('other')).rejects.toThrow('There is no worker "other". Configured workers: build.')
    await expect(trigger('build')).rejects.toThrow('There is no token for the worker "build".')
  })
})
