import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AssistantMessage, ToolResultBlock, UserMessage } from '../../contract/messages.js'
import type { Model, ModelMessage, ModelRequest } from '../../contract/model/model.js'
import { type ModelServer, startModelServer } from '../../testing/models/server/start-model-server.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createAnthropicModel } from '../anthropic/create-anthropic-model.js'
import { ANTHROPIC_IDS } from '../anthropic/to-anthropic-messages.js'
import { createOpenAIModel } from '../openai/create-openai-model.js'
import { toSendableRequest } from './sendable-request.js'
import { MAX_TEXT_CHARS } from './sendable-text.js'

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer([{ parts: [{ text: 'ok' }] }], { shouldRepeat: true })
})
afterAll(() => server.close())

/** Strings as a broken file, tool or model could produce them. */
const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom('\ud83c', 'a\udf89b', 'plain', '🎉\ud83c', '\udc00\ud800'),
)
const id = fc.oneof(fc.constantFrom('', 'call_1', 'a.b', 'a_b', 'x'.repeat(300), '\ud800', '\ud801'), text)
const input = fc.oneof(fc.dictionary(text, fc.oneof(text, fc.array(text), fc.dictionary(text, text))), text)
const call = fc.record({ type: fc.constant('tool_use' as const), id, name: id, input })
const thinking = fc.record({
  type: fc.constant('thinking' as const),
  thinking: text,
  signature: text,
  id: fc.constantFrom('reasoning_content', 'rs_1'),
})
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const
const part = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('tool_reference' as const), tool_name: id }),
  fc.constant(png),
  fc.record({
    type: fc.constant('document' as const),
    source: fc.record({ type: fc.constant('url' as const), url: text }),
    title: text,
  }),
)
const turn = fc
  .tuple(
    text,
    fc.array(fc.oneof(fc.record({ type: fc.constant('text' as const), text }), thinking, call), { minLength: 1 }),
    fc.oneof(text, fc.array(part)),
  )
  .map(([prompt, content, result]): readonly ModelMessage[] => {
    const answer: AssistantMessage = { type: 'assistant', content }
    const results = content.flatMap((block): ToolResultBlock[] => {
      return block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: result }] : []
    })
    const reply: UserMessage = { type: 'user', content: [...results, { type: 'text', text: prompt }] }
    return [answer, reply]
  })
const request: fc.Arbitrary<ModelRequest> = fc
  .record({ system: text, description: text, schemaText: text, prompt: text, turns: fc.array(turn, { maxLength: 4 }) })
  .map(({ system, description, schemaText, prompt, turns }) => ({
    system: [system],
    tools: [
      { name: 'Read', description, input_schema: { type: 'object', properties: { [schemaText]: { description } } } },
    ],
    builtInTools: 1,
    messages: [{ type: 'user', content: prompt }, ...turns.flat()],
    conversationId: system,
  }))

/** Every string in a JSON value, with those of nested JSON texts (the arguments of calls). */
function collectStrings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [
    key,
    ...collectStrings(member),
    ...listArgumentsIn(key, member),
  ])
}

function listArgumentsIn(key: string, member: unknown): readonly string[] {
  if (key !== 'arguments' || typeof member !== 'string') return []
  try {
    return collectStrings(JSON.parse(member))
  } catch {
    return []
  }
}

function collectValues(value: unknown, key: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name === key ? [member] : []),
    ...collectValues(member, key),
  ])
}

async function send(model: Model, request: ModelRequest): Promise<{ body: Record<string, unknown> }> {
  const at = server.requests.length
  for await (const _ of model.stream(request, { signal: new AbortController().signal }));
  const { body } = await server.request(at)
  return { body: body as Record<string, unknown> }
}

describe('any request is sent with well-formed strings, valid names and unique ids', () => {
  test('to Anthropic’s API', async () => {
    const model = createAnthropicModel({ id: 'm', apiKey: 'k', baseUrl: server.url })
    await fc.assert(
      fc.asyncProperty(request, async (request) => {
        const { body } = await send(model, request)
        expect(collectStrings(body).filter((each) => !each.isWellFormed())).toEqual([])
        const messages = body.messages as {
          content: { type: string; id: string; name: string; tool_use_id: string }[]
        }[]
        const blocks = messages.flatMap(({ content }) => content)
        const calls = blocks.filter(({ type }) => type === 'tool_use')
        for (const { id, name } of calls)
          expect([id, name].every((each) => /^[a-zA-Z0-9_-]{1,64}$/.test(each))).toBe(true)
        expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
        expect(blocks.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id)).toEqual(
          calls.map(({ id }) => id),
        )
      }),
      createPropertyOptions(60),
    )
  })

  test('to OpenAI’s chat completions', async () => {
    const model = createOpenAIModel({ id: 'm', baseUrl: `${server.url}/v1`, api: 'chat' })
    await fc.assert(
      fc.asyncProperty(request, async (request) => {
        const { body } = await send(model, request)
        expect(collectStrings(body).filter((each) => !each.isWellFormed())).toEqual([])
        const calls = collectValues(body.messages, 'tool_calls').flat() as { id: string; function: { name: string } }[]
        for (const { id } of calls) expect(id).toMatch(/^[!-~]{1,64}$/)
        for (const call of calls) expect(call.function.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
        expect(collectValues(body.messages, 'tool_call_id')).toEqual(calls.map(({ id }) => id))
      }),
      createPropertyOptions(60),
    )
  })
})

const TOOLS = [{ name: 'Read', description: 'Reads', input_schema: { type: 'object' as const } }]

test('a valid request keeps its message objects, and an invalid message is converted only once', () => {
  const validRequest: ModelRequest = {
    system: ['s'],
    tools: TOOLS,
    builtInTools: 1,
    messages: [
      { type: 'user', content: 'Hi 🎉' },
      { type: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: { path: ['x'] } }] },
      {
        type: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'y' }, png] }],
      },
    ],
  }
  const sendableRequest = toSendableRequest(validRequest, ANTHROPIC_IDS)

  expect([sendableRequest.system === validRequest.system, sendableRequest.tools === validRequest.tools]).toEqual([
    true,
    true,
  ])
  expect(sendableRequest.messages.map((message, at) => message === validRequest.messages[at])).toEqual([
    true,
    true,
    true,
  ])

  const brokenRequest: ModelRequest = {
    ...validRequest,
    system: ['\ud800'],
    messages: [{ type: 'user', content: 'a\ud800' }],
  }
  const first = toSendableRequest(brokenRequest, ANTHROPIC_IDS)
  const second = toSendableRequest({ ...brokenRequest }, ANTHROPIC_IDS)

  expect(first.messages).toEqual([{ type: 'user', content: 'a\ufffd' }])
  expect([second.messages[0] === first.messages[0], second.system === first.system]).toEqual([true, true])
})

test('call ids that a model repeats are replaced by unique ids, the same in every request', () => {
  const turns = [1, 2, 3].flatMap((number): ModelMessage[] => [
    { type: 'assistant', content: [{ type: 'tool_use', id: 'call', name: 'Read', input: {} }] },
    { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'call', content: `${number}` }] },
  ])
  const send = (messages: readonly ModelMessage[]) =>
    toSendableRequest({ system: [], tools: [], builtInTools: 0, messages }, ANTHROPIC_IDS).messages
  const all = send(turns)

  expect(collectValues(all, 'id')).toEqual(['call', 'call-2', 'call-3'])
  expect(collectValues(all, 'tool_use_id')).toEqual(['call', 'call-2', 'call-3'])
  expect(send(turns.slice(0, 4)).every((message, at) => message === all[at])).toBe(true)
})

test('a text beyond the size limit is cut before it is sent', () => {
  const content = '🎉'.repeat(MAX_TEXT_CHARS / 2 + 5)
  const { messages } = toSendableRequest(
    { system: [], tools: [], builtInTools: 0, messages: [{ type: 'user', content }] },
    ANTHROPIC_IDS,
  )

  expect(messages[0]?.content.slice(-60)).toMatch(/🎉\n\[10 more characters were not sent\]$/)
})
