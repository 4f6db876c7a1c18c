import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ToolEvent } from '../src/contract/events.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import type { Tools } from '../src/contract/tool/tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { createFixtureMcpTool } from '../src/testing/fixture-mcp-tool.js'
import { call, createDeferred, Echo, Read, textOf } from './runtime-fixtures.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-runtime-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const ALLOW_ECHO = { permissions: { allow: ['Echo'] } }

describe('a run', () => {
  test('answers every call once, in order, whatever its outcome', async () => {
    const runtime = createToolRuntime({ tools: [Echo, Read], ...ALLOW_ECHO, cwd: folder })

    const results = await runtime.run([
      call('Echo', { text: 'one' }, 'a'),
      call('Ecko', {}, 'b'),
      call('Echo', { text: 2 }, 'c'),
      call('Read', { path: 'absent' }, 'd'),
      call('Echo', { text: 'five' }, 'e'),
    ]).results

    expect(results.map(({ tool_use_id, is_error = false }) => [tool_use_id, is_error])).toEqual([
      ['a', false],
      ['b', true],
      ['c', true],
      ['d', true],
      ['e', false],
    ])
    expect(textOf(results[1])).toMatch(/Did you mean Echo\?/)
    expect(textOf(results[2])).toMatch(/^InputValidationError: .*\n.*text/)
  })

  test('sends its events to the caller and to the host, with the id of the agent', async () => {
    const hostEvents: [string, string | undefined][] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      ...ALLOW_ECHO,
      onEvent: (event, { agentId }) => hostEvents.push([event.type, agentId]),
    })
    const run = runtime.run([call('Echo', { text: 'x' })])

    const events: ToolEvent[] = []
    for await (const event of run) events.push(event)
    await runtime.fork({ agentId: 'helper' }).run([call('Echo')]).results

    const eventTypes = ['call-queued', 'call-started', 'permission-decided', 'call-ended']
    expect(events.map(({ type }) => type)).toEqual(eventTypes)
    expect(hostEvents).toEqual([
      ...eventTypes.map((type) => [type, undefined]),
      ...eventTypes.map((type) => [type, 'helper']),
    ])
  })

  test('continues if an event listener throws', async () => {
    const runtime = createToolRuntime({
      tools: [Echo],
      ...ALLOW_ECHO,
      onEvent: () => {
        throw new Error('watcher')
      },
    })

    const results = await runtime.run([call('Echo', { text: 'fine' })]).results
    await runtime.applyUpdates([{ type: 'setMode', destination: 'session', mode: 'plan' }])

    expect(textOf(results[0])).toBe('fine')
  })

  test('returns the messages that calls add, in call order', async () => {
    const AddMessage = buildTool({
      name: 'AddMessage',
      description: 'Adds a message',
      inputSchema: z.object({ text: z.string() }),
      isConcurrencySafe: () => true,
      async call({ text }) {
        return { data: text, newMessages: [{ type: 'system', content: text }] }
      },
    })
    const runtime = createToolRuntime({ tools: [AddMessage], permissions: { allow: ['AddMessage'] } })

    const run = runtime.run([call('AddMessage', { text: 'first' }, 'a'), call('AddMessage', { text: 'second' }, 'b')])

    expect(await run.newMessages).toEqual([
      { type: 'system', content: 'first' },
      { type: 'system', content: 'second' },
    ])
  })

  test('answers a call with an error if the host does not provide its port, but always provides the clock', async () => {
    const createToolWithNeeds = (name: string, needs: readonly ('checkpoints' | 'clock')[]) =>
      buildTool({ name, needs, description: name, inputSchema: z.object({}), call: async () => ({ data: 'done' }) })
    const runtime = createToolRuntime({
      tools: [createToolWithNeeds('Plans', ['checkpoints']), createToolWithNeeds('Waits', ['clock'])],
      permissions: { allow: ['Plans', 'Waits'] },
    })

    const [browseResult, waitResult] = await runtime.run([call('Plans'), call('Waits')]).results

    expect(textOf(browseResult)).toBe(
      'Plans needs the "checkpoints" port, which this host does not provide. Work without this tool.',
    )
    expect(textOf(waitResult)).toBe('done')
  })

  test('passes the current pool to its tools', async () => {
    let servers: Tools = []
    const ListerTool = buildTool({
      name: 'Lister',
      description: 'Lists tools',
      inputSchema: z.object({}),
      call: async (_, { options }) => ({ data: options.tools.map(({ name }) => name).join(' ') }),
    })
    const runtime = createToolRuntime({
      tools: [ListerTool, Echo],
      mcpTools: () => servers,
      permissions: { allow: ['Lister'], deny: ['Echo'] },
    })

    const resultsBefore = await runtime.run([call('Lister')]).results
    servers = [createFixtureMcpTool('slack', 'send')]
    const resultsAfter = await runtime.run([call('Lister')]).results

    expect([textOf(resultsBefore[0]), textOf(resultsAfter[0])]).toEqual(['Lister', 'Lister mcp__slack__send'])
  })
})

describe('definitions', () => {
  const LaterTool = buildTool({
    name: 'Later',
    aliases: ['Afterwards'],
    shouldDefer: true,
    searchHint: 'loaded on demand',
    // Deferred tools that are short together would be sent from the start.
    description: 'A tool with a long description. '.repeat(300),
    inputSchema: z.object({ text: z.string() }),
    call: async () => ({ data: 'now' }),
  })
  const ToolSearch = buildTool({
    name: 'ToolSearch',
    findsTools: true,
    description: 'Finds tools',
    inputSchema: z.object({}),
    call: async () => ({ data: '' }),
  })
  const listDefinitionNames = async (runtime: ReturnType<typeof createToolRuntime>) =>
    (await runtime.definitions()).map(({ name }) => name)

  test('are the same array while nothing changes', async () => {
    const runtime = createToolRuntime({ tools: [Echo, LaterTool, ToolSearch] })

    const first = await runtime.definitions()

    expect(await runtime.definitions()).toBe(first)
  })

  test('omit deferred tools until they are loaded, if the model can search', async () => {
    const runtime = createToolRuntime({ tools: [Echo, LaterTool, ToolSearch], permissions: { allow: ['Later'] } })
    const guessedResults = await runtime.run([call('Later', {})]).results
    const namesBefore = await listDefinitionNames(runtime)

    runtime.load(['Afterwards'])

    expect(namesBefore).toEqual(['Echo', 'ToolSearch'])
    expect(textOf(guessedResults[0])).toMatch(/never sent to you.*select:Later/)
    expect(await listDefinitionNames(runtime)).toEqual(['Echo', 'ToolSearch', 'Later'])
    expect(textOf((await runtime.run([call('Later', {})]).results)[0])).not.toMatch(/never sent/)
  })

  test('omit nothing if the model cannot search, and a sub-agent loads for itself', async () => {
    const plainRuntime = createToolRuntime({ tools: [Echo, LaterTool] })
    const searchRuntime = createToolRuntime({ tools: [LaterTool, ToolSearch] })
    const sub = searchRuntime.fork()
    sub.load(['Later'])

    expect(await listDefinitionNames(plainRuntime)).toEqual(['Echo', 'Later'])
    expect(await listDefinitionNames(sub)).toEqual(['ToolSearch', 'Later'])
    expect(await listDefinitionNames(searchRuntime)).toEqual(['ToolSearch'])
  })

  test('omit a tool without a valid description, which is reported once', async () => {
    const problems: string[] = []
    const Bad = buildTool({
      name: 'Bad',
      description: 'Bad',
      inputSchema: z.object({}),
      prompt: () => {
        throw new Error('no description')
      },
      call: async () => ({ data: '' }),
    })
    const runtime = createToolRuntime({ tools: [Bad, Echo], onProblem: (problem) => problems.push(String(problem)) })

    for (let request = 0; request < 3; request++) {
      expect(await listDefinitionNames(runtime)).toEqual(['Echo'])
      await runtime.applyUpdates([
        { type: 'addRules', destination: 'session', behavior: 'deny', rules: [`Other${request}`] },
      ])
    }

    expect(problems).toEqual(['ToolDefinitionError: Tool "Bad": prompt failed: no description'])
  })

  test('of an invalid tool make createToolRuntime throw, unless the host handles problems', () => {
    const problems: string[] = []

    expect(() => createToolRuntime({ tools: [{ name: 'Half' }] })).toThrow(/Half/)
    const runtime = createToolRuntime({
      tools: [{ name: 'Half' }, Echo],
      onProblem: (problem) => problems.push(String(problem)),
    })

    expect(runtime.pool.map(({ name }) => name)).toEqual(['Echo'])
    expect(problems).toHaveLength(1)
  })
})

describe('dispose', () => {
  test('ends running calls, including those of sub-agents, with results, and answers later calls immediately', async () => {
    const startedSignal = createDeferred()
    let runningCount = 0
    const HangingTool = buildTool({
      name: 'Hanging',
      description: 'Never returns',
      inputSchema: z.object({}),
      call: (_, { signal }) =>
        new Promise<{ data: string }>((_resolve, reject) => {
          if (++runningCount === 2) startedSignal.resolve()
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    })
    const runtime = createToolRuntime({ tools: [HangingTool], permissions: { allow: ['Hanging'] } })
    const sub = runtime.fork().fork()
    const runs = [runtime.run([call('Hanging')]), sub.run([call('Hanging'), call('Hanging', {}, 'queued')])]
    await startedSignal.promise

    await Promise.all([runtime.dispose(), runtime.dispose()])
    const answers = (await Promise.all(runs.map((run) => run.results))).flat()
    const lateResults = (await Promise.all([runtime, sub].map((agent) => agent.run([call('Hanging')]).results))).flat()

    const shutDownText = 'The runtime was shut down.'
    expect(answers.map(textOf)).toEqual([
      `${shutDownText} It was stopped; changes that it had already made remain.`,
      `${shutDownText} It was stopped; changes that it had already made remain.`,
      `${shutDownText} It had not started.`,
    ])
    expect(lateResults.map(textOf)).toEqual(Array(2).fill('The runtime was shut down. It had not started.'))
  })

  test('of a sub-agent does not affect its parent', async () => {
    const startedSignal = createDeferred()
    const release = createDeferred()
    const Slow = buildTool({
      name: 'Slow',
      description: 'Waits to be released',
      inputSchema: z.object({}),
      async call() {
        startedSignal.resolve()
        await release.promise
        return { data: 'done' }
      },
    })
    const runtime = createToolRuntime({ tools: [Slow, Echo], permissions: { allow: ['Slow', 'Echo'] } })
    const run = runtime.run([call('Slow')])
    const sub = runtime.fork()
    await startedSignal.promise

    await sub.dispose()
    release.resolve()

    expect(textOf((await run.results)[0])).toBe('done')
    expect(textOf((await sub.run([call('Echo')]).results)[0])).toMatch(/shut down/)
    expect(textOf((await runtime.run([call('Echo', { text: 'here' })]).results)[0])).toBe('here')
  })

  test('does not wait forever for a user who does not answer', async () => {
    const questionAsked = createDeferred()
    const runtime = createToolRuntime({
      tools: [Echo],
      ask: () => {
        questionAsked.resolve()
        return new Promise(() => {})
      },
      scheduling: { graceMs: 10 },
    })
    runtime.run([call('Echo')])
    await questionAsked.promise

    await runtime.dispose()
  })

  test('leaves no file behind if results were kept for the run only', async () => {
    const runtime = createToolRuntime({ tools: [Echo], ...ALLOW_ECHO })
    await runtime.run([call('Echo', { text: 'x'.repeat(60_000) })]).results
    const { directory } = runtime.results
    const didExistBefore = existsSync(directory)

    await runtime.dispose()

    expect([didExistBefore, existsSync(directory)]).toEqual([true, false])
  })
})

describe('a sub-agent', () => {
  const createStateTool = (name: string, set: 'setAppState' | 'setAppStateForTasks') =>
    buildTool({
      name,
      needs: ['state'],
      description: name,
      inputSchema: z.object({ value: z.string() }),
      async call({ value }, { state }) {
        state[set]((stateBefore) => ({ ...stateBefore, [name]: value }))
        return { data: JSON.stringify(state.getAppState()) }
      },
    })
  const tools = [createStateTool('Mine', 'setAppState'), createStateTool('Tasks', 'setAppStateForTasks')]
  const permissions = { allow: ['Mine', 'Tasks'] }

  test('sets its own state, and records background work in the root state, from any depth', async () => {
    const runtime = createToolRuntime({ tools, permissions })
    await runtime.run([call('Mine', { value: 'root' })]).results
    const sub = runtime.fork().fork()

    await sub.run([call('Mine', { value: 'sub' }), call('Tasks', { value: 'job' })]).results

    expect(runtime.state.port.getAppState()).toEqual({ Mine: 'root', Tasks: 'job' })
    expect(sub.state.port.getAppState()).toEqual({ Mine: 'sub' })
  })

  test('is also isolated from a state that the host provides', async () => {
    let hostState: Readonly<Record<string, unknown>> = { Mine: 'host' }
    const update = (change: (state: typeof hostState) => typeof hostState) => {
      hostState = change(hostState)
    }
    const runtime = createToolRuntime({
      tools,
      permissions,
      ports: {
        state: {
          getAppState: () => hostState,
          setAppState: update,
          setAppStateForTasks: update,
          setInProgressToolUseIDs() {},
          setHasInterruptibleToolInProgress() {},
          addNotification() {},
        },
      },
    })
    const sub = runtime.fork()

    await sub.run([call('Mine', { value: 'sub' }), call('Tasks', { value: 'job' })]).results
    await runtime.run([call('Mine', { value: 'root' })]).results

    expect(hostState).toEqual({ Mine: 'root', Tasks: 'job' })
    expect(sub.state.port.getAppState()).toEqual({ Mine: 'sub' })
  })

  test('starts in its parent’s working directory, and changes only its own', async () => {
    const Cd = buildTool({
      name: 'Cd',
      description: 'Changes the folder',
      inputSchema: z.object({ to: z.string() }),
      async call({ to }) {
        return { data: to, contextModifier: (context) => ({ ...context, cwd: to }) }
      },
    })
    const runtime = createToolRuntime({ tools: [Cd], permissions: { allow: ['Cd'] }, cwd: folder })
    await runtime.run([call('Cd', { to: join(folder, 'a') })]).results
    const sub = runtime.fork()
    const forkElsewhere = runtime.fork({ cwd: '/' })
    const start = sub.cwd

    await sub.run([call('Cd', { to: join(folder, 'b') })]).results

    expect(start).toBe(join(folder, 'a'))
    expect([runtime.cwd, sub.cwd, forkElsewhere.cwd]).toEqual([join(folder, 'a'), join(folder, 'b'), '/'])
  })
})
