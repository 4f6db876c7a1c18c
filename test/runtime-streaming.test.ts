import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { MessageDiscardedError } from '../src/calls/feed-calls.js'
import type { ToolUseBlock } from '../src/contract/messages.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { call, createDeferred, textOf } from './runtime-fixtures.js'

/** Creates a tool that reports when it starts and waits to be released. */
function createSlowTool(isConcurrencySafe: boolean) {
  const startedSignal = createDeferred<string>()
  const release = createDeferred()
  const tool = buildTool({
    name: 'Slow',
    description: 'Waits to be released',
    inputSchema: z.object({ text: z.string().default('') }),
    isConcurrencySafe: () => isConcurrencySafe,
    async call({ text }, { signal, toolUseId }) {
      startedSignal.resolve(toolUseId)
      signal.addEventListener('abort', () => release.resolve())
      await release.promise
      if (signal.aborted) throw new Error('stopped')
      return { data: `did ${text}` }
    },
  })
  return {
    tool,
    started: startedSignal,
    release,
    runtime: createToolRuntime({ tools: [tool], permissions: { allow: ['Slow'] } }),
  }
}

/** A stream of one call, which then waits for `next`. Unlike a generator, it can be ended while it waits. */
function createStream(
  first: ToolUseBlock,
  next: Promise<IteratorResult<ToolUseBlock>>,
  onReturn = () => {},
): AsyncIterable<ToolUseBlock> {
  const items = [Promise.resolve<IteratorResult<ToolUseBlock>>({ done: false, value: first })]
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => items.shift() ?? next,
      async return() {
        onReturn()
        return { done: true, value: undefined }
      },
    }),
  }
}

describe('calls from a stream', () => {
  test('start before the stream ends', async () => {
    const { runtime, started, release } = createSlowTool(true)
    const secondCallReady = createDeferred()
    async function* stream(): AsyncGenerator<ToolUseBlock> {
      yield call('Slow', { text: 'one' }, 'a')
      await secondCallReady.promise
      yield call('Slow', { text: 'two' }, 'b')
    }
    const run = runtime.run(stream())

    const startedWhileOpen = await started.promise
    secondCallReady.resolve()
    release.resolve()

    expect(startedWhileOpen).toBe('a')
    expect((await run.results).map(textOf)).toEqual(['did one', 'did two'])
  })

  test('are discarded if the stream fails, and started calls are reported', async () => {
    const { runtime, started } = createSlowTool(false)
    const cause = new Error('connection lost')
    async function* stream(): AsyncGenerator<ToolUseBlock> {
      yield call('Slow', { text: 'one' }, 'started')
      yield call('Slow', { text: 'two' }, 'waiting')
      await started.promise
      throw cause
    }

    const run = runtime.run(stream())
    const error = await run.results.then(
      () => undefined,
      (reason: unknown) => reason,
    )

    expect(error).toBeInstanceOf(MessageDiscardedError)
    expect((error as MessageDiscardedError).cause).toBe(cause)
    expect((error as MessageDiscardedError).effects.map(({ tool_use_id }) => tool_use_id)).toEqual(['started'])
    expect((error as Error).message).toBe('The message was discarded: connection lost. 1 of its calls had started.')
    expect(await run.newMessages).toEqual([])
  })

  test('whose failure is not awaited cause no unhandled rejection', async () => {
    const { runtime } = createSlowTool(true)
    async function* stream(): AsyncGenerator<ToolUseBlock> {
      yield call('Slow', {}, 'a')
      throw new Error('gone')
    }

    const types: string[] = []
    for await (const { type } of runtime.run(stream())) types.push(type)

    expect(types.at(-1)).toBe('call-ended')
  })

  test.each(['never continues', 'fails on abort'])('that are cancelled get results if the stream %s', async (kind) => {
    const { runtime, started } = createSlowTool(true)
    const controller = new AbortController()
    const nextItem = createDeferred<IteratorResult<ToolUseBlock>>()
    if (kind !== 'never continues')
      controller.signal.addEventListener('abort', () => nextItem.reject(new Error('aborted')))
    const run = runtime.run(createStream(call('Slow', {}, 'a'), nextItem.promise), { signal: controller.signal })
    await started.promise

    controller.abort()
    const results = await run.results

    expect(results.map(({ tool_use_id, is_error }) => [tool_use_id, is_error])).toEqual([['a', true]])
  })

  test('get results when the runtime ends, even if the stream never does', async () => {
    const { runtime, started } = createSlowTool(true)
    let wasReturned = false
    const stream = createStream(call('Slow', {}, 'a'), new Promise(() => {}), () => {
      wasReturned = true
    })
    const run = runtime.run(stream)
    await started.promise

    await runtime.dispose()

    expect((await run.results).map(textOf)).toEqual([
      'The runtime was shut down. It was stopped; changes that it had already made remain.',
    ])
    expect(wasReturned).toBe(true)
  })
})

describe('calls from an iterable', () => {
  test('that throws are discarded, and none of them starts', async () => {
    const { runtime } = createSlowTool(false)
    const cause = new Error('list lost')
    function* list(): Generator<ToolUseBlock> {
      yield call('Slow', { text: 'one' }, 'started')
      yield call('Slow', { text: 'two' }, 'waiting')
      throw cause
    }

    const run = runtime.run(list())
    const error = await run.results.catch((reason: unknown) => reason)

    expect(error).toBeInstanceOf(MessageDiscardedError)
    expect((error as MessageDiscardedError).cause).toBe(cause)
    // The iterable is read completely before any call can start.
    expect((error as MessageDiscardedError).effects).toEqual([])
    expect(await run.newMessages).toEqual([])
    await runtime.dispose()
  })

  test.each([[null], [undefined], [5]])('that is %j are discarded', async (list) => {
    const { runtime } = createSlowTool(true)
    const { results } = runtime.run(list as unknown as ToolUseBlock[])
    await expect(results).rejects.toBeInstanceOf(MessageDiscardedError)
  })
})

describe('an invalid tool_use block', () => {
  const createThrowingBlock = (member: 'id' | 'name' | 'input') =>
    Object.defineProperty(call('Slow', {}, 'bad'), member, {
      get() {
        throw new Error('gone')
      },
    })
  const INVALID_BLOCKS: [string, unknown, string][] = [
    ['null', null, ''],
    ['without an id', { type: 'tool_use', name: 'Slow', input: {} }, ''],
    ['with a number for an id', { type: 'tool_use', id: 7, name: 'Slow', input: {} }, ''],
    ['without a name', { type: 'tool_use', id: 'bad', input: {} }, 'bad'],
    ['whose id throws', createThrowingBlock('id'), ''],
    ['whose name throws', createThrowingBlock('name'), 'bad'],
    ['whose input throws', createThrowingBlock('input'), 'bad'],
  ]

  test.each(INVALID_BLOCKS)('(%s) has an error result, and the other calls run', async (_, block, id) => {
    const { runtime, release } = createSlowTool(true)
    release.resolve()
    const calls = [call('Slow', { text: 'one' }, 'a'), block as ToolUseBlock, call('Slow', { text: 'two' }, 'b')]
    async function* stream() {
      yield* calls
    }

    for (const source of [calls, stream()]) {
      const results = await runtime.run(source).results
      expect(results.map(({ tool_use_id, is_error = false }) => [tool_use_id, is_error])).toEqual([
        ['a', false],
        [id, true],
        ['b', false],
      ])
      expect(textOf(results[1])).toMatch(/Invalid tool_use block: /)
    }
  })
})
