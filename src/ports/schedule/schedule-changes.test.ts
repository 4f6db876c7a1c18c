import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import {
  addTask,
  type ClaimedRun,
  claimRuns,
  finishRun,
  LATE_AFTER_MS,
  passRun,
  releaseRun,
  removeTask,
} from './schedule-changes.js'
import { parseSchedule, type Schedule, type StoredTask } from './stored-task.js'

const MINUTE_MS = 60_000
const START = Date.UTC(2026, 5, 1)
const EMPTY: Schedule = { projectRoot: '/project', nextId: 1, tasks: [] }

function createSchedule(task: Partial<StoredTask> = {}): Schedule {
  const newTask = {
    prompt: 'Check',
    timezone: 'UTC',
    recurring: true,
    ifMissed: 'run_once',
    origin: 'other',
    handledUntil: START,
  } as const
  const times = task.runAt === undefined ? { cron: '*/10 * * * *' } : {}
  return addTask(EMPTY, { ...newTask, ...times, ...task }, START).schedule
}

/** Processes that claim and finish runs of a schedule, and can die. */
class Processes {
  schedule: Schedule
  readonly started: ClaimedRun[] = []
  readonly #dead = new Set<string>()
  #sessionCount = 0

  constructor(schedule: Schedule) {
    this.schedule = schedule
  }

  claim(owner: string, now: number): readonly ClaimedRun[] {
    const { schedule, claims } = claimRuns(this.schedule, {
      ...{ now, owner, maxClaims: 10, hasEnded: (other: string) => this.#dead.has(other) },
      createSessionId: () => `session-${++this.#sessionCount}`,
    })
    this.schedule = schedule
    this.started.push(...claims)
    return claims
  }

  kill(owner: string): void {
    this.#dead.add(owner)
  }

  finish({ id, due }: ClaimedRun, owner: string, now: number): void {
    this.schedule = finishRun(this.schedule, { id, due, owner, now }, { state: 'completed' })
  }

  get runs() {
    return this.schedule.tasks[0]?.runs ?? []
  }
}

test('a due run goes to one process only', () => {
  const processes = new Processes(createSchedule())
  const now = START + 10 * MINUTE_MS
  expect(processes.claim('a', now - 1)).toEqual([])
  expect(processes.claim('a', now)).toMatchObject([
    { due: now, run: { owner: 'a', session: 'session-1', attempts: 1 } },
  ])
  expect(processes.claim('b', now)).toEqual([])
})

test('a run whose process died is claimed again with the same session', () => {
  const processes = new Processes(createSchedule())
  const now = START + 10 * MINUTE_MS
  processes.claim('a', now)
  processes.kill('a')
  expect(processes.claim('b', now)).toMatchObject([
    { due: now, run: { owner: 'b', session: 'session-1', attempts: 2 } },
  ])
})

test('a run that ends its process three times is given up, and the next one runs', () => {
  const processes = new Processes(createSchedule())
  const now = START + 10 * MINUTE_MS
  for (const owner of ['a', 'b', 'c']) {
    expect(processes.claim(owner, now)).toHaveLength(1)
    processes.kill(owner)
  }
  expect(processes.claim('d', now)).toEqual([])
  expect(processes.runs).toMatchObject([{ state: 'failed', detail: 'its process ended 3 times' }])
  expect(processes.claim('d', now + 10 * MINUTE_MS)).toHaveLength(1)
})

describe('times that were missed', () => {
  const now = START + 35 * MINUTE_MS + LATE_AFTER_MS

  test('are made up for by one run', () => {
    const processes = new Processes(createSchedule())
    expect(processes.claim('a', now)).toMatchObject([{ due: START + 40 * MINUTE_MS, run: { missedCount: 3 } }])
  })

  test('are skipped and recorded if the task says so', () => {
    const processes = new Processes(createSchedule({ ifMissed: 'skip' }))
    expect(processes.claim('a', now + 1 + LATE_AFTER_MS)).toEqual([])
    expect(processes.runs).toMatchObject([
      {
        due: START + 40 * MINUTE_MS,
        state: 'skipped',
        missedCount: 3,
        detail: 'nothing could run it and 3 earlier ones',
      },
    ])
    expect(processes.claim('a', START + 50 * MINUTE_MS)).toHaveLength(1)
  })

  test('during a long run do not start a second one', () => {
    const processes = new Processes(createSchedule())
    const [first] = processes.claim('a', START + 10 * MINUTE_MS)
    expect(processes.claim('b', START + 25 * MINUTE_MS)).toEqual([])
    if (first !== undefined) processes.finish(first, 'a', START + 31 * MINUTE_MS)
    expect(processes.claim('b', START + 31 * MINUTE_MS)).toMatchObject([{ run: { missedCount: 1 } }])
  })
})

test('a task without repetition ends with its run', () => {
  const processes = new Processes(createSchedule({ runAt: START, recurring: false, handledUntil: START - 1 }))
  const [run] = processes.claim('a', START)
  expect(run).toMatchObject({ due: START })
  if (run !== undefined) processes.finish(run, 'a', START + 1)
  expect(processes.schedule.tasks).toMatchObject([{ endedAt: START + 1, runs: [{ state: 'completed' }] }])
  expect(processes.claim('a', START + 365 * 24 * 60 * MINUTE_MS)).toEqual([])
})

test('a clock that is set back runs nothing for a second time', () => {
  const processes = new Processes(createSchedule())
  const [run] = processes.claim('a', START + 10 * MINUTE_MS)
  if (run !== undefined) processes.finish(run, 'a', START + 10 * MINUTE_MS)
  expect(processes.claim('a', START + 5 * MINUTE_MS)).toEqual([])
  expect(processes.claim('a', START + 10 * MINUTE_MS)).toEqual([])
})

test('only the process that owns a run can pass it on or finish it', () => {
  const processes = new Processes(createSchedule())
  const [claim] = processes.claim('a', START + 10 * MINUTE_MS)
  if (claim === undefined) throw new Error('Nothing was claimed.')
  expect(passRun(processes.schedule, claim, { from: 'b', to: 'c' })).toBeUndefined()
  const passed = passRun(processes.schedule, claim, { from: 'a', to: 'child' })
  expect(passed?.claim.run.owner).toBe('child')
  processes.schedule = passed?.schedule ?? EMPTY
  processes.finish(claim, 'a', START)
  expect(processes.runs).toMatchObject([{ state: 'running', owner: 'child' }])
  processes.finish(claim, 'child', START)
  expect(processes.runs).toMatchObject([{ state: 'completed' }])
})

test('a run that could not be started is given back and claimed again', () => {
  const processes = new Processes(createSchedule())
  const now = START + 10 * MINUTE_MS
  const [claim] = processes.claim('a', now)
  if (claim === undefined) throw new Error('Nothing was claimed.')
  processes.schedule = releaseRun(processes.schedule, claim, 'other')
  expect(processes.claim('b', now)).toEqual([])
  processes.schedule = releaseRun(processes.schedule, claim, 'a')
  expect(processes.claim('b', now)).toMatchObject([{ due: now, run: { attempts: 2 } }])
})

test('a request with the same key adds one task', () => {
  const task = {
    prompt: 'x',
    timezone: 'UTC',
    recurring: false,
    ifMissed: 'run_once',
    origin: 'other',
    handledUntil: 0,
    runAt: 1,
  } as const
  const first = addTask(EMPTY, { ...task, key: 'k' }, 0)
  const second = addTask(first.schedule, { ...task, key: 'k' }, 0)
  expect(second.task).toEqual(first.task)
  expect(second.schedule.tasks).toHaveLength(1)
  expect(addTask(second.schedule, { ...task, key: 'other' }, 0).schedule.tasks).toHaveLength(2)
})

test('of tasks that have ended, the latest hundred are kept with a short prompt', () => {
  const endedTask = { prompt: 'x'.repeat(1_000), timezone: 'UTC', recurring: false, ifMissed: 'run_once' } as const
  let schedule = EMPTY
  for (let count = 0; count < 150; count++)
    schedule = addTask(
      schedule,
      { ...endedTask, origin: 'other', handledUntil: 0, runAt: 1, endedAt: START },
      START,
    ).schedule
  const { tasks } = addTask(schedule, { ...endedTask, origin: 'other', handledUntil: 0, runAt: 1 }, START).schedule
  expect(tasks).toHaveLength(101)
  expect(tasks.at(0)?.id).toBe('51')
  expect(tasks.at(0)?.prompt.length).toBeLessThan(210)
  expect(tasks.at(-1)?.prompt).toHaveLength(1_000)
})

test('a removed task does not run', () => {
  const { schedule, task } = removeTask(createSchedule(), '1')
  expect(task?.id).toBe('1')
  expect(new Processes(schedule).claim('a', START + 60 * MINUTE_MS)).toEqual([])
  expect(removeTask(schedule, '1').task).toBeUndefined()
})

test('over a year of three processes that die at random, each time is run once or counted as missed', () => {
  const owners = ['a', 'b', 'c']
  const steps = fc.array(
    fc.record({
      owner: fc.constantFrom(...owners),
      waitMinutes: fc.integer({ min: 0, max: 60 * 24 * 14 }),
      dies: fc.boolean(),
    }),
    { minLength: 20, maxLength: 40 },
  )
  fc.assert(
    fc.property(steps, (plan) => {
      const processes = new Processes(createSchedule({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }))
      let now = START
      let handledTimes = 0
      for (const [index, { owner, waitMinutes, dies }] of plan.entries()) {
        now += waitMinutes * MINUTE_MS
        const name = `${owner}${index}`
        const claims = processes.claim(name, now)
        handledTimes += countTimes(claims)
        if (dies) processes.kill(name)
        else for (const claim of claims) processes.finish(claim, name, now)
        // A process that holds a run and is not killed has finished it.
        expect(processes.runs.filter(({ state }) => state === 'running').length).toBeLessThanOrEqual(1)
      }
      const dueTimes = new Set(processes.started.map(({ due }) => due))
      const firstStarts = processes.started.filter(({ run }) => run.attempts === 1)
      expect(firstStarts).toHaveLength(dueTimes.size)
      const handledUntil = processes.schedule.tasks[0]?.handledUntil ?? START
      // One time on each day, beginning half an hour after the start.
      const dayCount = handledUntil === START ? 0 : 1 + Math.round((handledUntil - START) / (24 * 60 * MINUTE_MS))
      expect(handledTimes).toBe(dayCount)
      expect(parseSchedule(JSON.stringify(processes.schedule))).toEqual(processes.schedule)
    }),
    createPropertyOptions(15),
  )
})

/** The times that claims stand for. A run that is started again stands for no further ones. */
function countTimes(claims: readonly ClaimedRun[]): number {
  return claims.reduce((count, { run }) => count + (run.attempts === 1 ? 1 + run.missedCount : 0), 0)
}
