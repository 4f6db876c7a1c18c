import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Message, ToolDefinition } from '../src/contract/messages.js'
import { createDiscoveredTools } from '../src/contract/tool/deferred-tools.js'
import type { Tools } from '../src/contract/tool/tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { createFixtureMcpTool } from '../src/testing/fixture-mcp-tool.js'
import { keepDiscoveredTools } from '../src/tool-search/request/carry-messages.js'
import { isPlaceholder } from '../src/tool-search/request/request-tools.js'
import { ToolSearchTool } from '../src/tools/tool-search/tool.js'
import { call, Echo, textOf } from './runtime-fixtures.js'

const slack = Object.freeze([
  createFixtureMcpTool('slack', 'send_message'),
  createFixtureMcpTool('slack', 'list_channels'),
])
const github = Object.freeze([createFixtureMcpTool('github', 'create_issue')])
const NATIVE_SEARCH = { endpoint: { supportsDeferLoading: true } }

function start(options: Partial<ToolRuntimeOptions> = {}) {
  let servers: Tools = slack
  const runtime = createToolRuntime({
    tools: [Echo, ToolSearchTool],
    mcpTools: () => servers,
    permissions: { allow: ['mcp__slack', 'mcp__github'] },
    ...options,
    machine: { env: {}, ...options.machine },
  })
  return {
    runtime,
    connect: (...lists: Tools[]) => {
      servers = Object.freeze(lists.flat())
    },
  }
}

const listSentTools = async (runtime: HaftRuntime) => listLabels(await runtime.definitions())
/** The names of tools in a request. A star after a name marks a deferred tool; a star alone is the placeholder. */
const listLabels = (definitions: readonly ToolDefinition[]) =>
  definitions.map(
    (definition) =>
      `${isPlaceholder(definition) ? '' : definition.name}${definition.defer_loading === true ? '*' : ''}`,
  )

async function search(runtime: HaftRuntime, query: string) {
  const run = runtime.run([call('ToolSearch', { query })])
  const [result] = await run.results
  const messages: Message[] = [
    { type: 'user', content: result === undefined ? [] : [result] },
    ...(await run.newMessages),
  ]
  return { text: textOf(result), result, messages }
}

describe('a deferred tool', () => {
  test('can be found, loaded and called', async () => {
    const { runtime } = start()
    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch'])

    const { text, messages } = await search(runtime, '+slack send')

    expect(text).toMatch(
      /^<functions>\n<function>\{"description":"send_message of slack","name":"mcp__slack__send_message"/,
    )
    expect(messages.at(-1)).toEqual(createDiscoveredTools(['mcp__slack__send_message', 'mcp__slack__list_channels']))
    expect(await listSentTools(runtime)).toEqual([
      'Echo',
      'ToolSearch',
      'mcp__slack__send_message',
      'mcp__slack__list_channels',
    ])
    const [result] = await runtime.run([call('mcp__slack__send_message', { query: 'hi' })]).results
    expect(result?.is_error).not.toBe(true)
  })

  test('that is called before it is loaded returns an error that says how to load it, and is accepted after that', async () => {
    const { runtime } = start()
    await runtime.definitions()

    const [firstResult] = await runtime.run([call('mcp__slack__send_message', {})]).results
    const query = /query "(.+?)"/.exec(textOf(firstResult))?.[1] ?? ''
    await search(runtime, query)
    const [secondResult] = await runtime.run([call('mcp__slack__send_message', {})]).results

    expect(query).toBe('select:mcp__slack__send_message')
    expect(textOf(secondResult)).toMatch(/does not match its schema/)
    expect(textOf(secondResult)).not.toMatch(/never sent/)
  })

  test('that is called by a part of its name returns an error with the full name and how to load it', async () => {
    const { runtime } = start()
    await runtime.definitions()
    const callByPartialName = async () => textOf((await runtime.run([call('send_message', { query: 'x' })]).results)[0])

    const resultBefore = await callByPartialName()
    await search(runtime, 'select:mcp__slack__send_message')

    const suggestion = 'There is no tool "send_message". Did you mean mcp__slack__send_message?'
    expect(resultBefore).toBe(
      `${suggestion} mcp__slack__send_message is deferred. Load it first with ToolSearch, query "select:mcp__slack__send_message", then call again.`,
    )
    expect(await callByPartialName()).toBe(suggestion)
  })

  test('whose server disconnected stays in the request and returns an error', async () => {
    const { runtime, connect } = start()
    await runtime.definitions()
    await search(runtime, 'select:mcp__slack__send_message')

    connect(github)

    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', 'mcp__slack__send_message'])
    const [result] = await runtime.run([call('mcp__slack__send_message', { query: 'hi' })]).results
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining('no longer available') })
  })

  test('that is denied after it was loaded is refused and no longer found', async () => {
    const { runtime } = start()
    await search(runtime, 'select:mcp__slack__send_message')
    await runtime.definitions()

    runtime.setPermissions({ deny: ['mcp__slack__send_message'] })

    expect((await search(runtime, 'select:mcp__slack__send_message')).text).toMatch(/^Unknown tool/)
    const [result] = await runtime.run([call('mcp__slack__send_message', { query: 'hi' })]).results
    expect(result).toMatchObject({
      is_error: true,
      content: expect.stringMatching(/switched off or denied/),
    })
  })

  test('of a server that connects later is found, and one of a disconnected server is not', async () => {
    const { runtime, connect } = start()
    await search(runtime, 'issue')
    connect(github)

    expect((await search(runtime, 'create issue')).text).toContain('mcp__github__create_issue')
    expect((await search(runtime, '+slack send')).text).toContain('No deferred tool matches')
  })

  test('that rules deny cannot be found', async () => {
    const { runtime } = start({ permissions: { deny: ['mcp__slack__send_message'] } })

    const { text } = await search(runtime, 'select:mcp__slack__send_message')

    expect(text).toMatch(/Unknown tool "mcp__slack__send_message"/)
  })
})

describe('the decision to defer tools', () => {
  test.each([
    ['false', ['Echo', 'ToolSearch', 'mcp__slack__list_channels', 'mcp__slack__send_message'], 'disabled'],
    ['auto', ['Echo', 'ToolSearch', 'mcp__slack__list_channels', 'mcp__slack__send_message'], 'not more than 10%'],
    ['true', ['Echo', 'ToolSearch'], 'never sent before they are loaded'],
  ])('follows HAFT_TOOL_SEARCH=%s', async (value, names, reason) => {
    const { runtime } = start({ machine: { env: { HAFT_TOOL_SEARCH: value } } })

    expect(await listSentTools(runtime)).toEqual(names)
    expect(runtime.deferral.reason).toContain(reason)
  })

  test('depends on the context window of the requested model', async () => {
    const { runtime } = start({ toolSearch: { mode: 'auto' } })
    expect(runtime.deferral.defers).toBe(true)

    await runtime.definitions({ contextWindow: 100_000 })
    expect(runtime.deferral.defers).toBe(false)

    const smallRuntime = start({ toolSearch: { mode: 'auto' } }).runtime
    expect(listLabels(await smallRuntime.definitions({ contextWindow: 100 }))).toEqual(['Echo', 'ToolSearch'])
  })

  test('can change when a server connects, and stays when it disconnects, without a change of the sent tools', async () => {
    const manyTools = Array.from({ length: 50 }, (_, index) => createFixtureMcpTool('many', `tool_${index}`))
    const { runtime, connect } = start({ toolSearch: { mode: 'auto', endpoint: { contextWindow: 2_000 } } })
    const toolsBefore = await listSentTools(runtime)

    connect(slack, manyTools)
    expect(await listSentTools(runtime)).toEqual(toolsBefore)
    expect(runtime.deferral.defers).toBe(true)

    connect()
    expect(await listSentTools(runtime)).toEqual(toolsBefore)
    expect(runtime.deferral.reason).toContain('tools were deferred in earlier requests')
  })

  test('ignores an invalid mode, which is reported', async () => {
    const problems: unknown[] = []
    const { runtime } = start({
      onProblem: (problem) => problems.push(problem),
      machine: { env: { HAFT_TOOL_SEARCH: 'often' } },
    })

    expect(problems).toEqual([
      'Unknown tool search mode "often"; the default is used. Use true, false, auto or auto:N.',
    ])
    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch'])
  })
})

describe('native tool search', () => {
  test('loads tools by reference and marks the loaded tools', async () => {
    const { runtime } = start({ toolSearch: NATIVE_SEARCH })
    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', '*'])

    const { result, messages } = await search(runtime, 'select:mcp__slack__send_message')

    expect(result?.content).toEqual([{ type: 'tool_reference', tool_name: 'mcp__slack__send_message' }])
    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', '*', 'mcp__slack__send_message*'])
    expect(await runtime.prepareMessages(messages)).toEqual(messages)
    const [callResult] = await runtime.run([call('mcp__slack__send_message', { query: 'hi' })]).results
    expect(callResult?.is_error).not.toBe(true)
  })

  test('sends only a placeholder for the deferred tools in the first request, however many there are', async () => {
    const { runtime, connect } = start({ toolSearch: NATIVE_SEARCH })
    connect(Array.from({ length: 300 }, (_, index) => createFixtureMcpTool('many', `tool_${index}`)))

    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', '*'])
  })

  test('keeps a tool and its reference when the server disconnects', async () => {
    const { runtime, connect } = start({ toolSearch: NATIVE_SEARCH })
    await runtime.definitions()
    const { messages } = await search(runtime, 'select:mcp__slack__send_message')

    connect()

    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', '*', 'mcp__slack__send_message*'])
    expect(await runtime.prepareMessages(messages)).toEqual(messages)
    const [result] = await runtime.run([call('mcp__slack__send_message', { query: 'hi' })]).results
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining('no longer available') })
  })

  test('sends a tool that the host loaded in full, because no message refers to it', async () => {
    const { runtime } = start({ toolSearch: NATIVE_SEARCH })
    runtime.load(['mcp__slack__send_message'])
    const toolsBefore = await listSentTools(runtime)

    const { text } = await search(runtime, 'select:mcp__slack__send_message')

    expect(toolsBefore).toEqual(['Echo', 'ToolSearch', '*', 'mcp__slack__send_message'])
    expect(text).toMatch(/^<functions>/)
    expect(await listSentTools(runtime)).toEqual(toolsBefore)
  })

  test('changes to portable and back with the model, and keeps its markers', async () => {
    const { runtime } = start()
    const otherEndpoint = { contextWindow: 100_000 }
    const listNativeTools = async () => listLabels(await runtime.definitions(NATIVE_SEARCH.endpoint))
    await listNativeTools()
    const { messages } = await search(runtime, 'select:mcp__slack__send_message')
    const toolsBefore = await listNativeTools()

    expect(listLabels(await runtime.definitions(otherEndpoint))).toEqual([
      'Echo',
      'ToolSearch',
      'mcp__slack__send_message',
    ])
    expect(JSON.stringify(await runtime.prepareMessages(messages))).not.toContain('tool_reference')
    await search(runtime, 'select:mcp__slack__list_channels')

    expect(toolsBefore).toEqual(['Echo', 'ToolSearch', '*', 'mcp__slack__send_message*'])
    expect(await listNativeTools()).toEqual([
      'Echo',
      'ToolSearch',
      'mcp__slack__send_message*',
      '*',
      'mcp__slack__list_channels',
    ])
    expect(await runtime.prepareMessages(messages)).toEqual(messages)
  })

  test('is abandoned permanently when the endpoint rejects it, without losing the turn', async () => {
    const { runtime } = start({ toolSearch: NATIVE_SEARCH })
    const sub = runtime.fork()
    await Promise.all([runtime.definitions(), sub.definitions()])
    const { messages } = await search(runtime, 'select:mcp__slack__send_message')
    const refusal = { status: 400, error: { error: { message: 'tools.2.custom.defer_loading: Extra inputs' } } }

    expect(runtime.fallBack({ status: 400, message: 'max_tokens' })).toBe(false)
    expect(runtime.fallBack(refusal)).toBe(true)

    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', 'mcp__slack__send_message'])
    expect(JSON.stringify(await runtime.prepareMessages(messages))).toContain('Loaded: mcp__slack__send_message.')
    expect(JSON.stringify(await runtime.prepareMessages(messages))).not.toContain('tool_reference')
    expect(runtime.fallBack(refusal)).toBe(false)
    expect(runtime.deferral.carrierReason).toContain('rejected')
    // Another agent whose request was in progress continues as well.
    expect(sub.fallBack(refusal)).toBe(true)
    expect(await listSentTools(sub)).toEqual(['Echo', 'ToolSearch'])
  })

  test('is off if experimental fields are disabled', async () => {
    const { runtime } = start({
      toolSearch: { ...NATIVE_SEARCH, carrier: 'native' },
      machine: { flags: await createEnvironmentWithoutBetas() },
    })

    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch'])
  })
})

async function createEnvironmentWithoutBetas() {
  const { readEnvironment } = await import('../src/assembly/read-environment.js')
  return readEnvironment({ HAFT_DISABLE_EXPERIMENTAL_BETAS: '1' }, 'linux').environment
}

describe('a discovered tool is kept', () => {
  const history = [createDiscoveredTools(['mcp__slack__send_message'])]

  test('in a resumed session, even if its server connects late', async () => {
    const { runtime, connect } = start()
    connect()
    runtime.restore(history)
    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch'])

    connect(slack)

    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', 'mcp__slack__send_message'])
  })

  test.each(['native', 'portable'] as const)(
    'with the %s carrier, in a resumed session, in the same order',
    async (carrier) => {
      const { runtime } = start({ toolSearch: { carrier } })
      await runtime.definitions()
      const names = ['mcp__slack__send_message', 'mcp__slack__list_channels']
      const run = runtime.run(names.map((name) => call('ToolSearch', { query: `select:${name}` })))
      const messages: Message[] = [{ type: 'user', content: [...(await run.results)] }, ...(await run.newMessages)]

      const resumedRuntime = start({ toolSearch: { carrier } }).runtime
      resumedRuntime.restore(messages)

      const expected = carrier === 'native' ? ['*', ...names.map((name) => `${name}*`)] : names
      expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', ...expected])
      expect(await listSentTools(resumedRuntime)).toEqual(await listSentTools(runtime))
      expect(await resumedRuntime.prepareMessages(messages)).toEqual(await runtime.prepareMessages(messages))
    },
  )

  test('after compaction, even if the references are gone', async () => {
    const { runtime } = start({ toolSearch: NATIVE_SEARCH })
    await runtime.definitions()
    const { messages } = await search(runtime, 'select:mcp__slack__send_message')

    const compactedMessages = keepDiscoveredTools(messages, [{ type: 'user', content: 'Summary' }])
    runtime.restore(compactedMessages)

    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', '*', 'mcp__slack__send_message'])
    await search(runtime, 'select:mcp__slack__list_channels')
    expect(await listSentTools(runtime)).toEqual([
      'Echo',
      'ToolSearch',
      '*',
      'mcp__slack__send_message',
      'mcp__slack__list_channels*',
    ])
  })

  test('in a sub-agent, which can load more', async () => {
    const { runtime } = start()
    await search(runtime, 'select:mcp__slack__send_message')
    const sub = runtime.fork()

    expect(await listSentTools(sub)).toEqual(['Echo', 'ToolSearch', 'mcp__slack__send_message'])
    expect((await search(sub, 'list channels')).text).toContain('mcp__slack__list_channels')
    const [result] = await sub.run([call('mcp__slack__list_channels', { query: 'x' })]).results
    expect(result?.is_error).not.toBe(true)
    expect(await listSentTools(runtime)).toEqual(['Echo', 'ToolSearch', 'mcp__slack__send_message'])
  })

  test.each(['native', 'portable'] as const)(
    'with the %s carrier, in a sub-agent, unless the sub-agent may not have it',
    async (carrier) => {
      const { runtime } = start({ toolSearch: { carrier } })
      await runtime.definitions()
      const { messages } = await search(runtime, 'select:mcp__slack__send_message,mcp__slack__list_channels')
      const earlyFork = runtime.fork({ messages })
      await runtime.definitions()
      const lateFork = runtime.fork()

      for (const sub of [earlyFork, lateFork]) {
        sub.setPermissions({ deny: ['mcp__slack__send_message', 'Echo'] })
        const names = (await sub.definitions())
          .filter((definition) => !isPlaceholder(definition))
          .map(({ name }) => name)
        expect(names).toEqual(['ToolSearch', 'mcp__slack__list_channels'])
      }
    },
  )

  test('in a sub-agent if its parent received the definition before tools were deferred', async () => {
    const manyTools = Array.from({ length: 50 }, (_, index) => createFixtureMcpTool('many', `tool_${index}`))
    const endpoint = { ...NATIVE_SEARCH.endpoint, contextWindow: 2_000 }
    const { runtime, connect } = start({ toolSearch: { mode: 'auto', endpoint } })
    const inlineToolNames = await listSentTools(runtime)
    connect(slack, manyTools)

    expect(await listSentTools(runtime)).toEqual([...inlineToolNames, '*'])
    expect(await listSentTools(runtime.fork())).toEqual([...inlineToolNames, '*'])
  })

  test('in a sub-agent by reference if it starts with the same conversation', async () => {
    const { runtime } = start({ toolSearch: NATIVE_SEARCH })
    await runtime.definitions()
    const { messages } = await search(runtime, 'select:mcp__slack__send_message')

    const toolsOfSameConversation = await listSentTools(runtime.fork({ messages }))
    const newConversation = await listSentTools(runtime.fork())

    expect(toolsOfSameConversation).toEqual(['Echo', 'ToolSearch', '*', 'mcp__slack__send_message*'])
    expect(await listSentTools(runtime)).toEqual(toolsOfSameConversation)
    expect(newConversation).toEqual(['Echo', 'ToolSearch', '*', 'mcp__slack__send_message'])
  })
})

test('the announcement names deferred tools, later additions, and servers that are still connecting', async () => {
  const clients = [{ name: 'github', status: 'pending' as 'pending' | 'connected' }]
  const { runtime, connect } = start({ conversation: { contextOptions: { mcpClients: clients } } })
  const messages: Message[] = []
  const announce = async () => {
    const attachment = await runtime.announce(messages)
    if (attachment !== undefined) messages.push(attachment)
    return (attachment?.data as { text: string } | undefined)?.text
  }

  const first = await announce()
  await search(runtime, 'select:mcp__slack__send_message')
  const unchangedAnnouncement = await announce()
  clients.splice(0, 1, { name: 'github', status: 'connected' })
  connect(slack, github)

  expect(first).toMatch(
    /^<available-deferred-tools>\nmcp__slack__list_channels\nmcp__slack__send_message\nStill connecting: github/,
  )
  expect(unchangedAnnouncement).toBeUndefined()
  expect(await announce()).toMatch(/^<system-reminder>\n.*\nmcp__github__create_issue\nNo longer connecting: github/)
})

test('the announcement does not list deferred tools as removed when they are sent in full', async () => {
  const { runtime } = start()
  const first = await runtime.announce([])

  runtime.setPermissions({ deny: ['ToolSearch'] })

  expect(await runtime.announce(first === undefined ? [] : [first])).toBeUndefined()
  expect(await listSentTools(runtime)).toEqual(['Echo', 'mcp__slack__list_channels', 'mcp__slack__send_message'])
})

test('a tool without a valid description is not announced, because it could not be loaded', async () => {
  const circularSchema: Record<string, unknown> = { type: 'object' }
  circularSchema.properties = { again: circularSchema }
  const { runtime, connect } = start()
  connect(slack, [createFixtureMcpTool('evil', 'round', { schema: circularSchema })])

  const announcementJson = JSON.stringify(await runtime.announce([]))

  expect(announcementJson).toContain('mcp__slack__send_message')
  expect(announcementJson).not.toContain('evil')
})

/** Makes one request of a conversation, after which the model searches for `query`. */
async function makeNextRequest(runtime: HaftRuntime, messages: Message[], query: string) {
  const attachment = await runtime.announce(messages)
  if (attachment !== undefined) messages.push(attachment)
  const request = { tools: await runtime.definitions(), messages: await runtime.prepareMessages(messages) }
  const foundMessages = query === '' ? [] : (await search(runtime, query)).messages
  messages.push(...foundMessages)
  return { ...request, bringsDiscovery: foundMessages.length > 1 }
}

test.each(['native', 'portable'] as const)(
  'with the %s carrier, each request starts with the previous one',
  async (carrier) => {
    const step = fc.record({ slack: fc.boolean(), github: fc.boolean(), query: fc.constantFrom('', 'send', 'issue') })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        const { runtime, connect } = start({ toolSearch: { carrier } })
        const messages: Message[] = [{ type: 'user', content: 'hi' }]
        const requests: Awaited<ReturnType<typeof makeNextRequest>>[] = []
        for (const { query, ...servers } of steps) {
          connect(servers.slack ? slack : [], servers.github ? github : [])
          requests.push(await makeNextRequest(runtime, messages, query))
        }
        for (const [index, { tools, messages: history }] of requests.slice(1).entries()) {
          const previousRequest = requests[index] as (typeof requests)[number]
          expect(tools.slice(0, previousRequest.tools.length)).toEqual(previousRequest.tools)
          expect(history.slice(0, previousRequest.messages.length)).toEqual(previousRequest.messages)
          if (!previousRequest.bringsDiscovery) expect(tools).toEqual(previousRequest.tools)
        }
        await runtime.dispose()
      }),
      { numRuns: 30 },
    )
  },
)
