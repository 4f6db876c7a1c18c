import { describe, expect, test } from 'vitest'
import { EndedPrefix } from './call-order.js'
import { type Claims, EXCLUSIVE_CLAIMS, SHARED_CLAIMS } from './claims.js'
import { Schedule, ScheduledCall } from './schedule.js'

const write = (key: string): Claims => ({ kind: 'listed', reads: [], writes: [key] })
const neverAborted = new AbortController().signal

class TestCall extends ScheduledCall {
  constructor(
    index: number,
    override readonly start: () => void,
    override readonly haveClaimsGrown = () => false,
  ) {
    super(index)
  }
}

/** A schedule that records the index of each call that starts. */
function createSchedule(limit: number, list: readonly Claims[], hasGrown?: (index: number) => boolean) {
  const prefix = new EndedPrefix()
  const schedule = new Schedule(limit, prefix)
  const startedIndexes: number[] = []
  const calls = list.map((claims, index) => {
    const call = new TestCall(
      index,
      () => startedIndexes.push(index),
      () => hasGrown?.(index) ?? false,
    )
    schedule.add(call, claims)
    return call
  })
  schedule.fillSlots()
  const end = (index: number) => {
    prefix.end(index)
    schedule.end(calls[index] as TestCall)
    schedule.fillSlots()
  }
  const call = (index: number) => calls[index] as TestCall
  return { schedule, startedIndexes, end, call }
}

const settle = () => new Promise(setImmediate)

test('a free slot is filled at once, with the earliest call first', () => {
  const { startedIndexes, end } = createSchedule(2, [SHARED_CLAIMS, SHARED_CLAIMS, SHARED_CLAIMS, SHARED_CLAIMS])
  expect(startedIndexes).toEqual([0, 1])

  end(1)
  expect(startedIndexes).toEqual([0, 1, 2])

  end(0)
  expect(startedIndexes).toEqual([0, 1, 2, 3])
})

test('of several calls that become free at once, the earliest starts first', () => {
  const { startedIndexes, end } = createSchedule(1, [EXCLUSIVE_CLAIMS, write('/b'), write('/a'), write('/b')])

  for (const index of [0, 1, 2]) end(index)

  expect(startedIndexes).toEqual([0, 1, 2, 3])
})

test('a call that ended before its start never starts', () => {
  const { startedIndexes, end } = createSchedule(1, [SHARED_CLAIMS, SHARED_CLAIMS, SHARED_CLAIMS])

  end(1)
  end(0)

  expect(startedIndexes).toEqual([0, 2])
})

test('a call that ends twice frees one slot', () => {
  const { startedIndexes, end } = createSchedule(1, [SHARED_CLAIMS, SHARED_CLAIMS, SHARED_CLAIMS])

  end(0)
  end(0)

  expect(startedIndexes).toEqual([0, 1])
})

test('ten thousand calls that end at once do not overflow the stack', () => {
  const prefix = new EndedPrefix()
  const schedule = new Schedule(1, prefix)
  let endedCount = 0
  const calls: TestCall[] = []
  for (let index = 0; index < 10_000; index++) {
    const start = () => {
      endedCount++
      prefix.end(index)
      schedule.end(calls[index] as TestCall)
      schedule.fillSlots()
    }
    const call = new TestCall(index, start)
    calls.push(call)
    schedule.add(call, EXCLUSIVE_CLAIMS)
  }

  schedule.fillSlots()

  expect(endedCount).toBe(10_000)
})

describe('a call that waits outside its slot', () => {
  test('frees its slot, and resumes before calls that have not started', async () => {
    const { schedule, startedIndexes, end, call } = createSchedule(1, [SHARED_CLAIMS, SHARED_CLAIMS, SHARED_CLAIMS])
    let answer = () => {}
    let hasReturned = false
    const outsideRun = schedule.runOutside(
      call(0),
      () => new Promise<void>((resolve) => (answer = resolve)),
      neverAborted,
    )
    outsideRun.then(() => (hasReturned = true))
    expect(startedIndexes).toEqual([0, 1])

    answer()
    await settle()
    expect(hasReturned).toBe(false)

    end(1)
    await settle()
    expect({ isBack: hasReturned, startedIndexes }).toEqual({ isBack: true, startedIndexes: [0, 1] })

    end(0)
    expect(startedIndexes).toEqual([0, 1, 2])
  })

  test('gets a slot that another call frees by waiting outside', async () => {
    const { schedule, call } = createSchedule(1, [SHARED_CLAIMS, SHARED_CLAIMS])
    let answer = () => {}
    const first = schedule.runOutside(call(0), () => new Promise<void>((resolve) => (answer = resolve)), neverAborted)
    answer()
    await settle()

    const second = schedule.runOutside(call(1), () => first, neverAborted)

    await expect(first).resolves.toBeUndefined()
    schedule.end(call(0))
    schedule.fillSlots()
    await expect(second).resolves.toBeUndefined()
  })

  test('needs no slot to be cancelled', async () => {
    const { schedule, call } = createSchedule(1, [SHARED_CLAIMS, SHARED_CLAIMS])
    const controller = new AbortController()
    const outsideRun = schedule.runOutside(call(0), async () => {}, controller.signal)
    await settle()

    controller.abort()

    await expect(outsideRun).resolves.toBeUndefined()
  })

  test('takes one slot on return from several concurrent waits', async () => {
    const { schedule, startedIndexes, end, call } = createSchedule(2, [
      SHARED_CLAIMS,
      SHARED_CLAIMS,
      SHARED_CLAIMS,
      SHARED_CLAIMS,
    ])
    const waitOutside = () => schedule.runOutside(call(0), settle, neverAborted)

    const bothCallsWaited = Promise.all([waitOutside(), waitOutside()])
    expect(startedIndexes).toEqual([0, 1, 2])
    await settle()
    end(1)
    await bothCallsWaited

    end(2)
    expect(startedIndexes).toEqual([0, 1, 2, 3])
    end(0)
    end(3)
  })

  test('frees no second slot if it ends while it waits', () => {
    const { schedule, startedIndexes, end, call } = createSchedule(1, [SHARED_CLAIMS, SHARED_CLAIMS, SHARED_CLAIMS])
    schedule.runOutside(call(0), () => new Promise(() => {}), neverAborted)
    expect(startedIndexes).toEqual([0, 1])

    end(0)

    expect(startedIndexes).toEqual([0, 1])
  })
})

describe('a call that uses more resources than it claimed', () => {
  test('waits for every earlier call and delays every later one', async () => {
    const { schedule, startedIndexes, end, call } = createSchedule(2, [
      SHARED_CLAIMS,
      SHARED_CLAIMS,
      SHARED_CLAIMS,
      SHARED_CLAIMS,
    ])
    let mayContinue = false
    const widenPromise = schedule.widenCall(call(1), () => neverAborted)
    widenPromise?.then(() => (mayContinue = true))
    await settle()
    expect({ mayContinue, startedIndexes }).toEqual({ mayContinue: false, startedIndexes: [0, 1] })

    end(0)
    await settle()
    expect({ mayContinue, startedIndexes }).toEqual({ mayContinue: true, startedIndexes: [0, 1] })

    end(1)
    expect(startedIndexes).toEqual([0, 1, 2, 3])
  })

  test('delays calls that are added later', () => {
    const { schedule, startedIndexes, end, call } = createSchedule(5, [SHARED_CLAIMS])
    expect(schedule.widenCall(call(0), () => neverAborted)).toBeUndefined()

    schedule.add(new TestCall(1, () => startedIndexes.push(1)), SHARED_CLAIMS)
    schedule.fillSlots()
    expect(startedIndexes).toEqual([0])

    end(0)
    expect(startedIndexes).toEqual([0, 1])
  })

  test('does not delay earlier calls that are still queued', () => {
    const { schedule, startedIndexes, end, call } = createSchedule(5, [write('/a'), write('/a'), write('/b')])
    schedule.widenCall(call(2), () => neverAborted)

    end(0)

    expect(startedIndexes).toEqual([0, 2, 1])
  })

  test('delays later calls that have started', async () => {
    const { schedule, end, call } = createSchedule(5, [SHARED_CLAIMS, SHARED_CLAIMS])
    schedule.widenCall(call(0), () => neverAborted)
    let mayContinue = false
    schedule.holdBack(call(1), () => neverAborted)?.then(() => (mayContinue = true))
    await settle()
    expect(mayContinue).toBe(false)

    end(0)
    await settle()
    expect(mayContinue).toBe(true)
  })

  test('does not delay earlier calls that have started', () => {
    const { schedule, call } = createSchedule(5, [SHARED_CLAIMS, SHARED_CLAIMS])
    schedule.widenCall(call(1), () => neverAborted)

    expect(schedule.holdBack(call(0), () => neverAborted)).toBeUndefined()
  })

  test('waits for every earlier call and delays later ones if its claims grew while it was queued', async () => {
    const hasGrown = (index: number) => index === 2
    const { startedIndexes, end } = createSchedule(
      5,
      [write('/a'), write('/b'), write('/a'), write('/a'), write('/c')],
      hasGrown,
    )
    expect(startedIndexes).toEqual([0, 1, 4])

    end(0)
    await settle()
    expect(startedIndexes).toEqual([0, 1, 4])

    end(1)
    await settle()
    expect(startedIndexes).toEqual([0, 1, 4, 2])

    end(2)
    expect(startedIndexes).toEqual([0, 1, 4, 2, 3])
  })
})
