import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { PermissionQuestion } from '../src/calls/call-environment.js'
import type { ToolEvent } from '../src/contract/events.js'
import type { AppState, StatePort } from '../src/contract/ports/state.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import type { Tool, ToolContext } from '../src/contract/tool/tool.js'
import { listTools } from '../src/mcp/serve/listed-tools.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { call } from './runtime-fixtures.js'

const contexts: ToolContext[] = []
const base = {
  description: ({ text }: { text: string }) => `Writes ${text}`,
  inputSchema: z.object({ text: z.string() }),
  checkPermissions: (input: { text: string }) => ({ behavior: 'allow' as const, updatedInput: input }),
}
const Watch = buildTool({
  ...base,
  name: 'Watch',
  isReadOnly: () => true,
  call: async (_, context) => {
    contexts.push(context)
    return { data: 'seen' }
  },
})

describe('a context modifier', () => {
  const Change = buildTool({
    ...base,
    name: 'Change',
    call: async ({ text }) => ({
      data: 'changed',
      contextModifier: (context) => ({ ...context, options: { ...context.options, mainLoopModel: text } }),
    }),
  })

  test('changes the options of later calls, also in later messages, and the tools stay current', async () => {
    contexts.length = 0
    const runtime = createToolRuntime({ tools: [Watch, Change] as unknown as Tool[], conversation: { model: 'first' } })

    await runtime.run([call('Watch', { text: '' }, 'a'), call('Change', { text: 'second' }, 'b')]).results
    await runtime.run([call('Watch', { text: '' }, 'c')]).results

    expect(contexts.map(({ options }) => options.mainLoopModel)).toEqual(['first', 'second'])
    expect(contexts.at(-1)?.options.tools).toBe(runtime.pool)
    await runtime.dispose()
  })
})

test('the options of a call contain how the model thinks', async () => {
  contexts.length = 0
  const thinking = { type: 'enabled', budgetTokens: 2_000 } as const
  const runtime = createToolRuntime({ tools: [Watch] as unknown as Tool[], conversation: { thinking } })

  await runtime.run([call('Watch', { text: '' })]).results

  expect(contexts[0]?.options.thinkingConfig).toEqual(thinking)
  await runtime.dispose()
})

test('the number of a refusal and the metadata of a server reach the host with the end of the call', async () => {
  const events: ToolEvent[] = []
  const Refuse = buildTool({
    ...base,
    name: 'Refuse',
    validateInput: () => ({ result: false, message: 'Not that.', errorCode: 7 }),
    call: async () => ({ data: '' }),
  })
  const Answer = buildTool({
    ...base,
    name: 'Answer',
    call: async () => ({ data: 'x', mcpMeta: { _meta: { cost: 1 }, structuredContent: { sum: 3 } } }),
  })
  const runtime = createToolRuntime({
    tools: [Refuse, Answer] as unknown as Tool[],
    onEvent: (event) => events.push(event),
  })

  await runtime.run([call('Refuse', { text: '' }, 'r'), call('Answer', { text: '' }, 'a')]).results

  expect(events.filter(({ type }) => type === 'call-ended')).toMatchObject([
    { toolUseId: 'r', errorCode: 'input_refused', toolErrorCode: 7 },
    { toolUseId: 'a', mcpMeta: { _meta: { cost: 1 }, structuredContent: { sum: 3 } } },
  ])
  await runtime.dispose()
})

test('the state keeps the decision of each call with its reason', async () => {
  const Plain = buildTool({
    ...base,
    name: 'Plain',
    checkPermissions: undefined,
    call: async () => ({ data: '' }),
  } as never)
  const runtime = createToolRuntime({ tools: [Watch, Plain] as unknown as Tool[] })

  await runtime.run([call('Watch', { text: '' }, 'a'), call('Plain', { text: '' }, 'b')]).results

  expect(Object.fromEntries(runtime.state.toolDecisions)).toMatchObject({
    a: { behavior: 'allow', reason: { type: 'tool' } },
    b: { behavior: 'deny', reason: { type: 'default' } },
  })
  await runtime.dispose()
})

test('the state port of the host learns which calls run and whether one can be interrupted, and shows notices', async () => {
  const log: unknown[] = []
  let ids: ReadonlySet<string> = new Set()
  const state: StatePort = {
    getAppState: (): AppState => ({}),
    setAppState() {},
    setAppStateForTasks() {},
    setInProgressToolUseIDs(update) {
      ids = update(ids)
      log.push([...ids])
    },
    setHasInterruptibleToolInProgress: (value) => log.push(value),
    addNotification: ({ title }) => log.push(title),
  }
  const Notify = buildTool({
    ...base,
    name: 'Notify',
    needs: ['state'],
    interruptBehavior: () => 'cancel',
    call: async ({ text }, context) => {
      context.state.addNotification({ title: text, body: '' })
      return { data: '' }
    },
  })
  const runtime = createToolRuntime({ tools: [Notify] as unknown as Tool[], ports: { state } })

  await runtime.run([call('Notify', { text: 'done' }, 'n')]).results

  expect(log).toEqual([['n'], true, 'done', [], false])
  await runtime.dispose()
})

test('a question says what the call does, whether it destroys data and whether it needs the user', async () => {
  const questions: PermissionQuestion[] = []
  const Erase = buildTool({
    ...base,
    name: 'Erase',
    checkPermissions: () => ({ behavior: 'passthrough' as const }),
    isDestructive: () => true,
    requiresUserInteraction: () => true,
    call: async () => ({ data: '' }),
  })
  const runtime = createToolRuntime({
    tools: [Erase] as unknown as Tool[],
    permissions: { mode: 'acceptEdits' },
    ask: async (question) => {
      questions.push(question)
      return { behavior: 'deny' }
    },
  })

  await runtime.run([call('Erase', { text: 'it all' })]).results

  expect(questions).toMatchObject([{ description: 'Writes it all', isDestructive: true, requiresUser: true }])
  await runtime.dispose()
})

test('a served tool is annotated by its traits; a trait that depends on the input counts as harmful', async () => {
  const tools = [
    Watch,
    buildTool({ ...base, name: 'Keep', isDestructive: () => false, call: async () => ({ data: '' }) }),
    buildTool({ ...base, name: 'Maybe', isDestructive: ({ text }) => text === '', call: async () => ({ data: '' }) }),
  ] as unknown as Tool[]
  const runtime = createToolRuntime({ tools })
  const served = {
    ...{ pool: runtime.pool, definitions: async () => (await runtime.definitions()) as never, isDeferred: () => false },
    ...{ markDisclosed() {}, getAnnouncement: async () => '', call: () => Promise.reject(new Error('unused')) },
  }

  const listed = await listTools({
    runtime: served,
    isGateway: false,
    findRawEntry: () => undefined,
    countTokens: (text) => text.length,
  })

  const hints = Object.fromEntries(
    listed.map(({ name, annotations }) => [name, [annotations?.readOnlyHint, annotations?.destructiveHint]]),
  )
  // ReadResult pages long results; it is part of every server.
  expect(hints).toEqual({
    Watch: [true, false],
    Keep: [false, false],
    Maybe: [false, true],
    ReadResult: [true, undefined],
  })
  await runtime.dispose()
})
