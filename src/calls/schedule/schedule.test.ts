import { describe, expect, test } from 'vitest'
import { type Claims, EXCLUSIVE, SHARED } from './claims.js'
import { EndedPrefix } from './ended-prefix.js'
import { Schedule, ScheduledCall } from './schedule.js'

const write = (key: string): Claims => ({ kind: 'listed', reads: [], writes: [key] })
const never = new AbortController().signal

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
function scheduled(limit: number, list: readonly Claims[], hasGrown?: (index: number) => boolean) {
  const prefix = new EndedPrefix()
  const schedule = new Schedule(limit, prefix)
  const started: number[] = []
  const calls = list.map((claims, index) => {
    const call = new TestCall(
      index,
      () => started.push(index),
      () => hasGrown?.(index) ?? false,
    )
    schedule.add(call, claims)
    return call
  })
  schedule.pump()
  const end = (index: number) => {
    prefix.end(index)
    schedule.end(calls[index] as TestCall)
    schedule.pump()
  }
  const call = (index: number) => calls[index] as TestCall
  return { schedule, started, end, call }
}

const settled = () => new Promise(setImmediate)

test('fills a free slot at once, with the earliest call first', () => {
  const { started, end } = scheduled(2, [SHARED, SHARED, SHARED, SHARED])
  expect(started).toEqual([0, 1])

  end(1)
  expect(started).toEqual([0, 1, 2])

  end(0)
  expect(started).toEqual([0, 1, 2, 3])
})

test('of several calls that become free at once, the earliest starts first', () => {
  const { started, end } = scheduled(1, [EXCLUSIVE, write('/b'), write('/a'), write('/b')])

  for (const index of [0, 1, 2]) end(index)

  expect(started).toEqual([0, 1, 2, 3])
})

test('a call that ended before its start never starts', () => {
  const { started, end } = scheduled(1, [SHARED, SHARED, SHARED])

  end(1)
  end(0)

  expect(started).toEqual([0, 2])
})

test('a call that ends twice frees one slot', () => {
  const { started, end } = scheduled(1, [SHARED, SHARED, SHARED])

  end(0)
  end(0)

  expect(started).toEqual([0, 1])
})

test('ten thousand calls that end at once do not overflow the stack', () => {
  const prefix = new EndedPrefix()
  const schedule = new Schedule(1, prefix)
  let ended = 0
  const calls: TestCall[] = []
  for (let index = 0; index < 10_000; index++) {
    const start = () => {
      ended++
      prefix.end(index)
      schedule.end(calls[index] as TestCall)
      schedule.pump()
    }
    const call = new TestCall(index, start)
    calls.push(call)
    schedule.add(call, EXCLUSIVE)
  }

  schedule.pump()

  expect(ended).toBe(10_000)
})

describe('a call that waits outside its slot', () => {
  test('frees its slot, and resumes before calls that have not started', async () => {
    const { schedule, started, end, call } = scheduled(1, [SHARED, SHARED, SHARED])
    let answer = () => {}
    let isBack = false
    const outside = schedule.outside(call(0), () => new Promise<void>((resolve) => (answer = resolve)), never)
    outside.then(() => (isBack = true))
    expect(started).toEqual([0, 1])

    answer()
    await settled()
    expect(isBack).toBe(false)

    end(1)
    await settled()
    expect({ isBack, started }).toEqual({ isBack: true, started: [0, 1] })

    end(0)
    expect(started).toEqual([0, 1, 2])
  })

  test('gets a slot that another call frees by waiting outside', async () => {
    const { schedule, call } = scheduled(1, [SHARED, SHARED])
    let answer = () => {}
    const first = schedule.outside(call(0), () => new Promise<void>((resolve) => (answer = resolve)), never)
    answer()
    await settled()

    const second = schedule.outside(call(1), () => first, never)

    await expect(first).resolves.toBeUndefined()
    schedule.end(call(0))
    schedule.pump()
    await expect(second).resolves.toBeUndefined()
  })

  test('needs no slot to be cancelled', async () => {
    const { schedule, call } = scheduled(1, [SHARED, SHARED])
    const controller = new AbortController()
    const outside = schedule.outside(call(0), async () => {}, controller.signal)
    await settled()

    controller.abort()

    await expect(outside).resolves.toBeUndefined()
  })

  test('takes one slot on return from several concurrent waits', async () => {
    const { schedule, started, end, call } = scheduled(2, [SHARED, SHARED, SHARED, SHARED])
    const out = () => schedule.outside(call(0), settled, never)

    const both = Promise.all([out(), out()])
    expect(started).toEqual([0, 1, 2])
    await settled()
    end(1)
    await both

    end(2)
    expect(started).toEqual([0, 1, 2, 3])
    end(0)
    end(3)
  })

  test('frees no second slot when it ends outside', () => {
    const { schedule, started, end, call } = scheduled(1, [SHARED, SHARED, SHARED])
    schedule.outside(call(0), () => new Promise(() => {}), never)
    expect(started).toEqual([0, 1])

    end(0)

    expect(started).toEqual([0, 1])
  })
})

describe('a call that turns out to use more resources', () => {
  test('waits for every earlier call and holds back every later one', async () => {
    const { schedule, started, end, call } = scheduled(2, [SHARED, SHARED, SHARED, SHARED])
    let mayContinue = false
    const widened = schedule.widen(call(1), () => never)
    widened?.then(() => (mayContinue = true))
    await settled()
    expect({ mayContinue, started }).toEqual({ mayContinue: false, started: [0, 1] })

    end(0)
    await settled()
    expect({ mayContinue, started }).toEqual({ mayContinue: true, started: [0, 1] })

    end(1)
    expect(started).toEqual([0, 1, 2, 3])
  })

  test('holds back calls that are added later', () => {
    const { schedule, started, end, call } = scheduled(5, [SHARED])
    expect(schedule.widen(call(0), () => never)).toBeUndefined()

    schedule.add(new TestCall(1, () => started.push(1)), SHARED)
    schedule.pump()
    expect(started).toEqual([0])

    end(0)
    expect(started).toEqual([0, 1])
  })

  test('does not hold back earlier calls that have not started', () => {
    const { schedule, started, end, call } = scheduled(5, [write('/a'), write('/a'), write('/b')])
    schedule.widen(call(2), () => never)

    end(0)

    expect(started).toEqual([0, 2, 1])
  })

  test('holds back later calls that have started', async () => {
    const { schedule, end, call } = scheduled(5, [SHARED, SHARED])
    schedule.widen(call(0), () => never)
    let mayContinue = false
    schedule.holdBack(call(1), () => never)?.then(() => (mayContinue = true))
    await settled()
    expect(mayContinue).toBe(false)

    end(0)
    await settled()
    expect(mayContinue).toBe(true)
  })

  test('does not hold back earlier calls', () => {
    const { schedule, call } = scheduled(5, [SHARED, SHARED])
    schedule.widen(call(1), () => never)

    expect(schedule.holdBack(call(0), () => never)).toBeUndefined()
  })

  test('is widened before its start if its claims grew while it waited', async () => {
    const hasGrown = (index: number) => index === 2
    const { started, end } = scheduled(5, [write('/a'), write('/b'), write('/a'), write('/a'), write('/c')], hasGrown)
    expect(started).toEqual([0, 1, 4])

    end(0)
    await settled()
    expect(started).toEqual([0, 1, 4])

    end(1)
    await settled()
    expect(started).toEqual([0, 1, 4, 2])

    end(2)
    expect(started).toEqual([0, 1, 4, 2, 3])
  })
})
