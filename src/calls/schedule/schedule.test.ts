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

/** A schedule whose calls begin by writing down their number. */
function scheduled(limit: number, list: readonly Claims[], isGrown?: (index: number) => boolean) {
  const prefix = new EndedPrefix()
  const schedule = new Schedule(limit, prefix)
  const begun: number[] = []
  const calls = list.map((claims, index) => {
    const call = new TestCall(
      index,
      () => begun.push(index),
      () => isGrown?.(index) ?? false,
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
  return { schedule, begun, end, call }
}

const settled = () => new Promise(setImmediate)

test('fills a place as soon as one is free, the earliest first', () => {
  const { begun, end } = scheduled(2, [SHARED, SHARED, SHARED, SHARED])
  expect(begun).toEqual([0, 1])

  end(1)
  expect(begun).toEqual([0, 1, 2])

  end(0)
  expect(begun).toEqual([0, 1, 2, 3])
})

test('the earliest of those that become free at once goes first', () => {
  const { begun, end } = scheduled(1, [EXCLUSIVE, write('/b'), write('/a'), write('/b')])

  for (const index of [0, 1, 2]) end(index)

  expect(begun).toEqual([0, 1, 2, 3])
})

test('a call that ended before it began never begins', () => {
  const { begun, end } = scheduled(1, [SHARED, SHARED, SHARED])

  end(1)
  end(0)

  expect(begun).toEqual([0, 2])
})

test('a call that ends twice frees one place', () => {
  const { begun, end } = scheduled(1, [SHARED, SHARED, SHARED])

  end(0)
  end(0)

  expect(begun).toEqual([0, 1])
})

test('ten thousand calls that end as soon as they begin leave no deep stack', () => {
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

describe('a call that waits outside the limit', () => {
  test('lends its place meanwhile, and comes back before those that have not begun', async () => {
    const { schedule, begun, end, call } = scheduled(1, [SHARED, SHARED, SHARED])
    let answer = () => {}
    let isBack = false
    const outside = schedule.outside(call(0), () => new Promise<void>((resolve) => (answer = resolve)), never)
    outside.then(() => (isBack = true))
    expect(begun).toEqual([0, 1])

    answer()
    await settled()
    expect(isBack).toBe(false)

    end(1)
    await settled()
    expect({ isBack, begun }).toEqual({ isBack: true, begun: [0, 1] })

    end(0)
    expect(begun).toEqual([0, 1, 2])
  })

  test('gets a place that another leaves who goes out, too', async () => {
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

  test('needs no place to be told that it was cancelled', async () => {
    const { schedule, call } = scheduled(1, [SHARED, SHARED])
    const controller = new AbortController()
    const outside = schedule.outside(call(0), async () => {}, controller.signal)
    await settled()

    controller.abort()

    await expect(outside).resolves.toBeUndefined()
  })

  test('several times at once takes one place when it is back', async () => {
    const { schedule, begun, end, call } = scheduled(2, [SHARED, SHARED, SHARED, SHARED])
    const out = () => schedule.outside(call(0), settled, never)

    const both = Promise.all([out(), out()])
    expect(begun).toEqual([0, 1, 2])
    await settled()
    end(1)
    await both

    end(2)
    expect(begun).toEqual([0, 1, 2, 3])
    end(0)
    end(3)
  })

  test('leaves no place behind when it ends there', () => {
    const { schedule, begun, end, call } = scheduled(1, [SHARED, SHARED, SHARED])
    schedule.outside(call(0), () => new Promise(() => {}), never)
    expect(begun).toEqual([0, 1])

    end(0)

    expect(begun).toEqual([0, 1])
  })
})

describe('a call that turns out to touch more', () => {
  test('waits for every earlier call and holds back every later one', async () => {
    const { schedule, begun, end, call } = scheduled(2, [SHARED, SHARED, SHARED, SHARED])
    let mayGoOn = false
    const widened = schedule.widen(call(1), () => never)
    widened?.then(() => (mayGoOn = true))
    await settled()
    expect({ mayGoOn, begun }).toEqual({ mayGoOn: false, begun: [0, 1] })

    end(0)
    await settled()
    expect({ mayGoOn, begun }).toEqual({ mayGoOn: true, begun: [0, 1] })

    end(1)
    expect(begun).toEqual([0, 1, 2, 3])
  })

  test('holds back those that are added later, too', () => {
    const { schedule, begun, end, call } = scheduled(5, [SHARED])
    expect(schedule.widen(call(0), () => never)).toBeUndefined()

    schedule.add(new TestCall(1, () => begun.push(1)), SHARED)
    schedule.pump()
    expect(begun).toEqual([0])

    end(0)
    expect(begun).toEqual([0, 1])
  })

  test('lets earlier ones go on that have not begun yet', () => {
    const { schedule, begun, end, call } = scheduled(5, [write('/a'), write('/a'), write('/b')])
    schedule.widen(call(2), () => never)

    end(0)

    expect(begun).toEqual([0, 2, 1])
  })

  test('keeps later ones that have begun from going on', async () => {
    const { schedule, end, call } = scheduled(5, [SHARED, SHARED])
    schedule.widen(call(0), () => never)
    let mayGoOn = false
    schedule.holdBack(call(1), () => never)?.then(() => (mayGoOn = true))
    await settled()
    expect(mayGoOn).toBe(false)

    end(0)
    await settled()
    expect(mayGoOn).toBe(true)
  })

  test('stops nobody else', () => {
    const { schedule, call } = scheduled(5, [SHARED, SHARED])
    schedule.widen(call(1), () => never)

    expect(schedule.holdBack(call(0), () => never)).toBeUndefined()
  })

  test('does so before it begins, where its names came to mean more while it waited', async () => {
    const isGrown = (index: number) => index === 2
    const { begun, end } = scheduled(5, [write('/a'), write('/b'), write('/a'), write('/a'), write('/c')], isGrown)
    expect(begun).toEqual([0, 1, 4])

    end(0)
    await settled()
    expect(begun).toEqual([0, 1, 4])

    end(1)
    await settled()
    expect(begun).toEqual([0, 1, 4, 2])

    end(2)
    expect(begun).toEqual([0, 1, 4, 2, 3])
  })
})
