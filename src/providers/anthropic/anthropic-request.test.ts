import { describe, expect, test } from 'vitest'
import type { AssistantMessage, ToolDefinition } from '../../contract/messages.js'
import type { ModelRequest } from '../../contract/model/model.js'
import { askModel, HELLO_REQUEST, listBlocks } from '../../testing/models/ask-model.js'
import type { ServerTurn } from '../../testing/models/server/server-turn.js'
import { startModelServer } from '../../testing/models/server/start-model-server.js'
import { type AnthropicModelOptions, createAnthropicModel } from './create-anthropic-model.js'

type Options = Partial<AnthropicModelOptions>

/** Returns the HTTP request that the real SDK sends, and the blocks of the answer. */
async function exchange(request: ModelRequest, options: Options = {}, turn: ServerTurn = { parts: [{ text: 'ok' }] }) {
  const server = await startModelServer([turn])
  try {
    const model = createAnthropicModel({ id: 'claude-sonnet-5-5', apiKey: 'key', baseUrl: server.url, ...options })
    const events = await askModel(model, request)
    return { ...(await server.request(0)), blocks: listBlocks(events) }
  } finally {
    await server.close()
  }
}

function createDefinition(name: string, fields: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description: name, input_schema: { type: 'object', properties: {} }, ...fields }
}

describe('a later request to Anthropic', () => {
  /** Returns the second request of a conversation with this first answer. */
  async function captureSecondRequest(answer: AssistantMessage['content']) {
    const { body } = await exchange({
      ...HELLO_REQUEST,
      messages: [...HELLO_REQUEST.messages, { type: 'assistant', content: answer }, { type: 'user', content: 'Go on' }],
    })
    return body
  }

  test('sends thinking back unchanged', async () => {
    const { blocks } = await exchange(
      HELLO_REQUEST,
      {},
      {
        parts: [{ thinking: 'Hm, ä', signature: 'c2ln' }, { redacted: 'ZGF0YQ==' }, { call: 'Read', input: {} }],
        pieceSize: 1,
      },
    )
    const body = await captureSecondRequest(blocks)

    expect(blocks.slice(0, 2)).toEqual([
      { type: 'thinking', thinking: 'Hm, ä', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'ZGF0YQ==' },
    ])
    expect(body.messages[1].content).toEqual(blocks)
  })

  test('sends hidden thinking back by its signature', async () => {
    const parts = [{ thinking: '', signature: 'c2ln' }, { text: 'Yes' }]
    const { blocks } = await exchange(HELLO_REQUEST, {}, { parts })

    expect((await captureSecondRequest(blocks)).messages[1].content).toEqual([
      { type: 'thinking', thinking: '', signature: 'c2ln' },
      { type: 'text', text: 'Yes' },
    ])
  })

  test('omits thinking that is unsigned, from another provider or at the end of a message', async () => {
    const body = await captureSecondRequest([
      { type: 'thinking', thinking: 'unsigned' },
      { type: 'thinking', thinking: 'of another', signature: 'x', id: 'rs_1' },
      { type: 'text', text: 'Yes' },
      { type: 'thinking', thinking: 'cut', signature: 'x' },
    ])

    expect(body.messages[1].content).toEqual([{ type: 'text', text: 'Yes' }])
  })

  test('wraps input that is not an object, and replaces invalid characters in ids', async () => {
    const { body } = await exchange({
      ...HELLO_REQUEST,
      messages: [
        ...HELLO_REQUEST.messages,
        {
          type: 'assistant',
          content: [{ type: 'tool_use', id: 'functions.Read:0', name: 'Read', input: '{"path": oops' }],
        },
        { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.Read:0', content: 'bad input' }] },
      ],
    })

    const [, assistantMessage, userMessage] = body.messages
    expect(assistantMessage.content[0]).toMatchObject({
      id: 'functions_Read_0_ef21ac158484',
      input: { invalid_input: '{"path": oops' },
    })
    expect(userMessage.content[0]).toMatchObject({ tool_use_id: 'functions_Read_0_ef21ac158484', content: 'bad input' })
  })

  test('omits blank texts and empty messages', async () => {
    const body = await captureSecondRequest([{ type: 'text', text: ' \n' }])

    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'user'])
  })

  test('sends the fields of deferred tools without a beta header', async () => {
    const { body, headers } = await exchange({
      ...HELLO_REQUEST,
      tools: [createDefinition('ToolSearch'), createDefinition('mcp__a__b', { defer_loading: true })],
      builtInTools: 1,
      messages: [
        ...HELLO_REQUEST.messages,
        { type: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'ToolSearch', input: { query: 'b' } }] },
        {
          type: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              content: [{ type: 'tool_reference', tool_name: 'mcp__a__b' }],
            },
          ],
        },
      ],
    })

    expect(body.tools[1]).toMatchObject({ name: 'mcp__a__b', defer_loading: true })
    expect(body.messages[2].content[0].content).toEqual([{ type: 'tool_reference', tool_name: 'mcp__a__b' }])
    expect(headers['anthropic-beta']).toBeUndefined()
  })
})

describe('thinking', () => {
  async function captureThinking(id: string, thinking: ModelRequest['thinking'], betas = false) {
    const request = { ...HELLO_REQUEST, ...(thinking !== undefined && { thinking }) }
    const { body, headers } = await exchange(request, { id, betas })
    return { thinking: body.thinking, beta: headers['anthropic-beta'] }
  }

  test.each([
    ['claude-haiku-4-5', { type: 'enabled', budgetTokens: 5000 }, { type: 'enabled', budget_tokens: 5000 }],
    ['claude-haiku-4-5', { type: 'enabled', budgetTokens: 10 }, { type: 'enabled', budget_tokens: 1024 }],
    ['claude-haiku-4-5', { type: 'adaptive' }, { type: 'enabled', budget_tokens: 16_000 }],
    ['claude-opus-5', { type: 'enabled', budgetTokens: 5000 }, { type: 'adaptive', display: 'summarized' }],
    ['claude-opus-5', { type: 'disabled' }, { type: 'disabled' }],
    ['claude-opus-5-5', { type: 'disabled' }, undefined],
    ['claude-sonnet-5-5', { type: 'disabled' }, { type: 'between_tools' }],
    ['other-model', { type: 'adaptive' }, { type: 'adaptive' }],
    ['other-model', undefined, undefined],
  ] as const)(
    'for %s with the config %j is sent in the form that the model accepts',
    async (id, requestedThinking, sentThinking) => {
      expect(await captureThinking(id, requestedThinking)).toEqual({ thinking: sentThinking, beta: undefined })
    },
  )

  test('has no budget while calls of another model are being answered', async () => {
    const { body } = await exchange(
      {
        ...HELLO_REQUEST,
        thinking: { type: 'enabled', budgetTokens: 2000 },
        messages: [
          ...HELLO_REQUEST.messages,
          { type: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] },
          { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'text' }] },
        ],
      },
      { id: 'claude-haiku-4-5' },
    )

    expect(body.thinking).toBeUndefined()
  })

  test('may be dropped by the API if betas are on and the messages that it is bound to have changed', async () => {
    expect(await captureThinking('claude-opus-5-5', undefined, true)).toEqual({
      thinking: {
        type: 'adaptive',
        display: 'summarized',
        block_binding: { prefix_mismatch_behavior: 'drop_block' },
      },
      beta: 'thinking-binding-controls-2026-08-01',
    })
  })
})

describe('for prompt caching,', () => {
  const createConversation = (turns: number): ModelRequest => ({
    ...HELLO_REQUEST,
    system: ['Rules', 'Project'],
    tools: [createDefinition('Bash'), createDefinition('Read'), createDefinition('mcp__a__b')],
    builtInTools: 2,
    messages: Array.from({ length: turns * 2 - 1 }, (_, n) =>
      n % 2 === 0
        ? { type: 'user' as const, content: `question ${n}` }
        : { type: 'assistant' as const, content: [{ type: 'text' as const, text: `answer ${n}` }] },
    ),
  })

  const captureBody = async (request: ModelRequest) => (await exchange(request)).body

  test('cache breakpoints follow the built-in tools, the system prompt and the last two user turns', async () => {
    const { tools, system, messages } = await captureBody(createConversation(3))

    const markedTexts = [...tools, ...system, ...messages.flatMap(({ content }: { content: object[] }) => content)]
      .filter((part) => part.cache_control !== undefined)
      .map(({ name, text }) => name ?? text)
    expect(markedTexts).toEqual(['Read', 'Project', 'question 2', 'question 4'])
  })

  test('a deferred tool never has a cache breakpoint', async () => {
    const { tools } = await captureBody({
      ...createConversation(1),
      tools: [createDefinition('Bash'), createDefinition('Web', { defer_loading: true })],
    })

    expect(tools.map((each: { cache_control?: object }) => each.cache_control !== undefined)).toEqual([true, false])
  })

  test('each request starts with the previous request, apart from cache breakpoints', async () => {
    const withoutBreakpoints = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (key, each) => (key === 'cache_control' ? undefined : each)))
    const bodies = await Promise.all(
      [1, 2, 3, 4].map(async (turns) => withoutBreakpoints(await captureBody(createConversation(turns)))),
    )

    for (const [index, body] of bodies.entries()) {
      const { messages, ...otherFields } = body
      const { messages: previous, ...previousFields } = bodies[index - 1] ?? { ...body, messages: [] }
      expect(otherFields).toEqual(previousFields)
      expect(messages.slice(0, previous.length)).toEqual(previous)
    }
  })
})
