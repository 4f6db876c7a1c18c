import { expect, test, vi } from 'vitest'
import type { ToolEvent } from '../contract/events.js'
import type { CallsPort, NestedOutcome } from '../contract/ports/calls.js'
import type { Tool } from '../contract/tool/tool.js'
import type { CallingAgent } from './call-environment.js'
import { CallRun } from './call-run.js'
import { createDeferred, createFixtureTool, FixtureHost, type FixtureOptions, waitForever } from './fixture-host.js'

type CallNested = CallsPort['call']

/** Runs a tool that makes nested calls of `tools`, and returns the run with its events. */
function start(work: (call: CallNested) => Promise<unknown>, tools: readonly Tool[], options: FixtureOptions = {}) {
  const outerTool = createFixtureTool({
    name: 'Outer',
    needs: ['calls'],
    makesOnlyNestedCalls: true,
    resources: () => ({ unknown: true }),
    call: async (_input: unknown, { calls }: { calls: CallsPort }) => ({
      data: await work((name, input) => calls.call(name, input)),
    }),
  } as never)
  const nestedTools = { directory: () => ({ tools }), describe: async () => undefined, search: async () => [] }
  const host = new FixtureHost({ tools: [outerTool, ...tools], nestedTools, graceMs: 20, ...options })
  const events: ToolEvent[] = []
  const agent: CallingAgent = {
    ...{ cwd: '/project', changedOptions: {}, stopCount: 0, stopReason: undefined, isWithin: () => true },
    stop(reason) {
      Object.assign(this, { stopCount: this.stopCount + 1, stopReason: reason })
    },
  }
  const run = new CallRun({
    ...{ environment: host.environment, agent, scheduling: 'resources' },
    onEvent: (event) => events.push(event),
  })
  run.add({ type: 'tool_use', id: 'outer', name: 'Outer', input: { text: '' } })
  return { run, events, agent, host }
}

async function finish({ run }: ReturnType<typeof start>) {
  run.end()
  const [outcome] = await run.outcomes()
  return outcome
}

const textsOf = (outcomes: readonly NestedOutcome[]) => outcomes.map(({ result }) => result.content)

test('nested calls of an exclusive call run in parallel, and wait only for each other', async () => {
  const bothStarted = createDeferred()
  let startedCount = 0
  const meet = createFixtureTool({
    name: 'Meet',
    resources: () => ({ reads: [{ path: 'a' }] }),
    async call() {
      if (++startedCount === 2) bothStarted.resolve()
      await bothStarted.promise
      return { data: 'met' }
    },
  })
  const order: string[] = []
  const write = createFixtureTool({
    name: 'Write',
    isReadOnly: () => false,
    resources: () => ({ writes: [{ path: 'a' }] }),
    async call({ text }: { text?: unknown }) {
      order.push(`${text} begins`)
      await Promise.resolve()
      order.push(`${text} ends`)
      return { data: text }
    },
  } as never)
  const started = start(
    async (call) => [
      ...textsOf(await Promise.all([call('Meet', { text: '' }), call('Meet', { text: '' })])),
      ...textsOf(await Promise.all([call('Write', { text: '1' }), call('Write', { text: '2' })])),
    ],
    [meet, write],
    { allow: ['Write'] },
  )

  expect((await finish(started))?.output).toEqual(['met', 'met', '1', '2'])
  expect(order).toEqual(['1 begins', '1 ends', '2 begins', '2 ends'])
})

test('questions about nested calls are asked in call order, while the outer call has no slot', async () => {
  const asked: string[] = []
  const note = createFixtureTool({ name: 'Note', isReadOnly: () => false, isConcurrencySafe: () => true })
  const started = start(
    async (call) => textsOf(await Promise.all(['a', 'b', 'c'].map((text) => call('Note', { text })))),
    [note],
    {
      async ask({ toolUseId }) {
        asked.push(toolUseId)
        return { behavior: 'allow' }
      },
    },
  )

  expect((await finish(started))?.output).toEqual(['a', 'b', 'c'])
  expect(asked).toEqual(['outer.1', 'outer.2', 'outer.3'])
})

test('when the outer call is cancelled, its nested calls end first, each with one result', async () => {
  const hanging = createFixtureTool({ name: 'Hang', isConcurrencySafe: () => true, call: waitForever })
  const started = start((call) => Promise.all([call('Hang', { text: '' }), call('Hang', { text: '' })]), [hanging])
  await vi.waitFor(() =>
    expect(started.events.filter(({ type }) => type === 'permission-decided').length).toBeGreaterThan(2),
  )

  started.run.cancel({ type: 'aborted', message: 'Stop.' })

  expect((await finish(started))?.error?.code).toBe('cancelled')
  const ended = started.events.flatMap((event) => (event.type === 'call-ended' ? [event.toolUseId] : []))
  expect(ended).toEqual(['outer.1', 'outer.2', 'outer'])
})

test('a tool that has returned cannot make further calls, and what it left running is cancelled', async () => {
  let callLater: CallNested | undefined
  const hanging = createFixtureTool({ name: 'Hang', call: waitForever })
  const started = start(
    async (call) => {
      callLater = call
      void call('Hang', { text: '' })
      return 'returned'
    },
    [hanging],
  )

  expect((await finish(started))?.output).toBe('returned')
  expect(started.events).toContainEqual(
    expect.objectContaining({ type: 'call-ended', toolUseId: 'outer.1', parentToolUseId: 'outer' }),
  )
  expect(await callLater?.('Hang', { text: '' })).toMatchObject({ errorCode: 'cancelled' })
})

test('a failed command does not skip the next nested call', async () => {
  const shell = createFixtureTool({
    name: 'Shell',
    needs: ['shell'],
    command: ({ text }: { text: string }) => ({ text, language: 'bash' }),
    async call({ text }: { text?: unknown }) {
      if (text === 'false') throw new Error('exit 1')
      return { data: text }
    },
  } as never)
  const started = start(
    async (call) => textsOf([await call('Shell', { text: 'false' }), await call('Shell', { text: 'pwd' })]),
    [shell],
    { mode: 'bypassPermissions', ports: { shell: {} as never } },
  )

  expect((await finish(started))?.output).toEqual(['exit 1', 'pwd'])
})

test('what nested calls change for later calls is passed on with the outer call, even if that fails', async () => {
  const move = createFixtureTool({
    name: 'Move',
    call: async () => ({ data: '', contextModifier: (context: object) => ({ ...context, cwd: '/project/sub' }) }),
  } as never)
  const started = start(
    async (call) => {
      await call('Move', { text: '' })
      throw new Error('failed after the move')
    },
    [move],
  )
  started.run.add({ type: 'tool_use', id: 'next', name: 'Outer', input: { text: '' } })

  await finish(started)

  expect(started.agent.cwd).toBe('/project/sub')
})

test('a hook that stops the conversation in a nested call stops the run of the message', async () => {
  const started = start(async (call) => textsOf([await call('Echo', { text: 'x' })]), [createFixtureTool()], {
    hooks: {
      PreToolUse: ({ tool_name }) => (tool_name === 'Echo' ? { continue: false, stopReason: 'Enough.' } : undefined),
    },
  })

  await finish(started)

  expect(await started.run.stopped).toEqual({ by: 'hook', reason: 'Enough.' })
})
