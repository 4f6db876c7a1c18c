import { expect, test } from 'vitest'
import { ToolCallError } from '../../contract/errors.js'
import type { Tool } from '../../contract/tool/tool.js'
import { Cancellation } from '../cancellation.js'
import { createDeferred, createFixtureTool, FixtureHost, type FixtureOptions, waitForever } from '../fixture-host.js'

const createHostWith = (members: Partial<Tool>, options: FixtureOptions = {}) =>
  new FixtureHost({ graceMs: 1, tools: [createFixtureTool(members)], ...options })

const callWith = (call: (...args: never[]) => unknown) =>
  createHostWith({ call: call as unknown as Tool['call'] }).getRefusal('Echo', { text: 'x' })

const failures: readonly (readonly [string, (...args: never[]) => unknown, object])[] = [
  ['throws at once', () => JSON.parse('{'), { code: 'tool_failed', text: expect.stringContaining('JSON') }],
  ['rejects', async () => JSON.parse('{'), { code: 'tool_failed', text: expect.stringContaining('JSON') }],
  [
    'rejects with undefined',
    () => Promise.reject(),
    { code: 'tool_failed', text: 'Echo failed without an error message.' },
  ],
  ['rejects with a string', () => Promise.reject('full'), { code: 'tool_failed', text: 'full' }],
  ['returns undefined', () => undefined, { code: 'output_invalid', text: 'Echo ended without a result.' }],
  ['returns null', async () => null, { code: 'output_invalid', text: 'Echo ended without a result.' }],
  ['returns no data', async () => ({ text: 'x' }), { code: 'output_invalid', text: 'Echo ended without a result.' }],
  [
    'throws a ToolCallError',
    async () => {
      throw new ToolCallError('unavailable', 'The server is gone.')
    },
    { code: 'unavailable', text: 'The server is gone.' },
  ],
]

test.each(failures)('a call whose tool %s gets one error result', async (_, call, answer) => {
  expect(await callWith(call)).toEqual(answer)
})

test('a tool may return its result synchronously', async () => {
  const host = createHostWith({ call: (() => ({ data: 'now' })) as unknown as Tool['call'] })

  expect((await host.run('Echo', { text: 'x' })).block.content).toBe('now')
})

test('`data` may be undefined if the property exists', async () => {
  const host = createHostWith({ call: async () => ({ data: undefined }) })

  expect((await host.run('Echo', { text: 'x' })).block).toEqual({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: '',
  })
})

test('a tool that ignores its signal is abandoned when its call is cancelled', async () => {
  const cancellation = new Cancellation(1)
  const host = createHostWith({
    call: () => {
      queueMicrotask(() => cancellation.cancel({ type: 'interrupted' }))
      return waitForever()
    },
  })

  expect(await host.getRefusal('Echo', { text: 'x' }, { cancellation })).toMatchObject({
    code: 'abandoned',
    text: expect.stringMatching(/^The user cancelled Echo\. It did not stop/),
  })
})

type ThenFunction = ((done: (value: unknown) => void) => void) | undefined

/** Adds a `then` getter to the object, so that each read of `then` can have another result. */
function addThen<T extends object>(target: T, get: () => ThenFunction): T {
  const field = 'then'
  Reflect.defineProperty(target, field, { get })
  return target
}

const endlessThenable = addThen({}, () => () => {})

function createEndlessWhenReadTwice(): object {
  let reads = 0
  return addThen({ data: 'x' }, () => {
    reads += 1
    return reads > 1 ? () => {} : undefined
  })
}

test.each<[string, () => unknown]>([
  ['has its own then method', () => addThen(Promise.resolve({ data: 'x' }), () => (done) => done(endlessThenable))],
  ['resolves to a value that becomes a thenable later', async () => createEndlessWhenReadTwice()],
])('a promise of a tool that %s does not prevent the call from ending', async (_, call) => {
  const host = createHostWith({ call: call as Tool['call'] })

  expect((await host.run('Echo', { text: 'x' })).block.content).toBe('x')
})

test('a tool whose promise resolves to one that never settles is abandoned on cancellation', async () => {
  const cancellation = new Cancellation(1)
  const call = () => {
    setImmediate(() => cancellation.cancel({ type: 'interrupted' }))
    return addThen({}, () => (done) => done(endlessThenable))
  }
  const host = createHostWith({ call: call as unknown as Tool['call'] })

  expect((await host.getRefusal('Echo', { text: 'x' }, { cancellation })).code).toBe('abandoned')
})

test('a tool that ignores its signal is abandoned at its time limit', async () => {
  const host = createHostWith({ call: waitForever, timeoutMs: () => 1 })

  expect(await host.getRefusal('Echo', { text: 'x' })).toMatchObject({
    code: 'abandoned',
    text: expect.stringMatching(/^Echo took longer than its limit of 1 ms\. It did not stop/),
  })
})

test('a tool that obeys its signal ends at its time limit', async () => {
  const host = createHostWith(
    {
      timeoutMs: () => 1,
      call: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    },
    { graceMs: 60_000 },
  )

  expect(await host.getRefusal('Echo', { text: 'x' })).toEqual({
    code: 'timed_out',
    text: 'Echo took longer than its limit of 1 ms. It was stopped; changes that it had already made remain.',
  })
})

test.each([[Number.NaN], [-1], [Number.POSITIVE_INFINITY], [2 ** 40], ['1' as unknown as number]])(
  'a tool with the invalid time limit %s still runs',
  async (limit) => {
    const host = createHostWith({ timeoutMs: () => limit })

    expect((await host.run('Echo', { text: 'x' })).block.content).toBe('x')
  },
)

test('a tool whose time limit cannot be determined does not run', async () => {
  let hasRun = false
  const host = createHostWith({
    timeoutMs: () => JSON.parse('{'),
    call: async () => {
      hasRun = true
      return { data: 'x' }
    },
  })

  expect((await host.getRefusal('Echo', { text: 'x' })).code).toBe('tool_failed')
  expect(hasRun).toBe(false)
})

test('progress of a tool is reported until its call ends, and dropped afterwards', async () => {
  let reportLate: (progress: unknown) => void = () => {}
  const host = createHostWith({
    call: async (_input, _context, _canUse, _parent, onProgress) => {
      onProgress?.('half')
      reportLate = onProgress ?? reportLate
      return { data: 'done' }
    },
  })

  await host.run('Echo', { text: 'x' })
  reportLate('after the end')

  const progress = host.events.flatMap((event) => (event.type === 'call-progressed' ? [event.progress] : []))
  expect(progress).toEqual(['half'])
})

test('a call that waits for a slot is cancelled at once, and its slot goes to the next call', async () => {
  const cancellation = new Cancellation(60_000)
  const slot = createDeferred()
  const queuedSignal = createDeferred()
  let slotUse: Promise<unknown> | undefined
  let hasRun = false
  const host = createHostWith(
    {
      call: async () => {
        hasRun = true
        return { data: 'x' }
      },
    },
    {
      limit: (_, work) => {
        const workPromise = slot.promise.then(work)
        slotUse = workPromise.catch(() => 'passed on')
        queuedSignal.resolve()
        return workPromise
      },
    },
  )
  const outcome = host.getRefusal('Echo', { text: 'x' }, { cancellation })
  await queuedSignal.promise

  cancellation.cancel({ type: 'interrupted' })

  expect(await outcome).toEqual({ code: 'cancelled', text: 'The user cancelled Echo. It had not started.' })
  slot.resolve()
  expect(await slotUse).toBe('passed on')
  expect(hasRun).toBe(false)
})

test('a call that waited for a slot is not abandoned if it stops within its grace period', async () => {
  const cancellation = new Cancellation(60_000)
  const host = createHostWith(
    {
      call: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')))
          cancellation.cancel({ type: 'interrupted' })
        }),
    },
    { limit: async (_, work) => Promise.resolve().then(work) },
  )

  expect(await host.getRefusal('Echo', { text: 'x' }, { cancellation })).toEqual({
    code: 'cancelled',
    text: 'The user cancelled Echo. It was stopped; changes that it had already made remain.',
  })
})

const stopWithOutput: Tool['call'] = (_, { signal }) =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () =>
      reject(new ToolCallError('cancelled', 'Stopped.', { outputSoFar: 'line 1\nline 2\n' })),
    ),
  )

test('a call that ran into its limit returns the output it had so far', async () => {
  const host = createHostWith({ timeoutMs: () => 1, call: stopWithOutput }, { graceMs: 60_000 })

  expect(await host.getRefusal('Echo', { text: 'x' })).toEqual({
    code: 'timed_out',
    text: 'Echo took longer than its limit of 1 ms. It was stopped; changes that it had already made remain. Its output until then:\n\nline 1\nline 2',
  })
})

test('the output of a stopped call is withheld if a PostToolUse hook checks the output of the tool', async () => {
  const host = createHostWith(
    { timeoutMs: () => 1, call: stopWithOutput },
    { graceMs: 60_000, hooks: { PostToolUse: () => ({}) } },
  )

  expect((await host.getRefusal('Echo', { text: 'x' })).text).toBe(
    'Echo took longer than its limit of 1 ms. It was stopped; changes that it had already made remain.',
  )
})

test('a cancelled call that finished returns its result', async () => {
  const cancellation = new Cancellation(60_000)
  const host = createHostWith({
    call: async () => {
      cancellation.cancel({ type: 'interrupted' })
      return { data: 'all of it' }
    },
  })

  expect((await host.getRefusal('Echo', { text: 'x' }, { cancellation })).text).toBe(
    'The user cancelled Echo. It finished before it could be stopped; its changes remain. Its result:\n\nall of it',
  )
})
