import fc from 'fast-check'
import type { OpenAI } from 'openai'
import { describe, expect, test } from 'vitest'
import type { AssistantMessage, UserMessage } from '../../contract/messages.js'
import type { ModelMessage, ModelRequest } from '../../contract/model/model.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { toSendableRequest } from '../common/sendable-request.js'
import { buildChatBody, buildResponseBody, OPENAI_ID_RULE } from './request-body.js'
import { toChatMessages } from './to-chat-messages.js'
import { toResponseInput } from './to-response-input.js'

const CHAT_FORM = { acceptsFiles: false, sendsReasoning: true, arguments: 'unchanged' } as const
const INPUT_FORM = { sendsReasoning: true, arguments: 'unchanged' } as const

const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const
const SVG = { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: 'AAAA' } } as const
const PDF = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
  title: 'a.pdf',
} as const
const LINKED_DOCUMENT = { type: 'document', source: { type: 'url', url: 'https://example.com/b.pdf' } } as const

const CONVERSATION: readonly ModelMessage[] = [
  { type: 'user', content: 'Look' },
  {
    type: 'assistant',
    content: [
      { type: 'thinking', thinking: 'from a chat', id: 'reasoning_content' },
      { type: 'thinking', thinking: 'from a response', id: 'rs_1', signature: 'sealed' },
      { type: 'thinking', thinking: 'from elsewhere', signature: 'signed' },
      { type: 'redacted_thinking', data: 'hidden' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'a', name: 'Read', input: { x: 1 } },
      { type: 'tool_use', id: 'b', name: 'Read', input: '{"x":' },
    ],
  },
  {
    type: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: 'two:' },
          PNG,
          SVG,
          PDF,
          LINKED_DOCUMENT,
          { type: 'tool_reference', tool_name: 'Later' },
        ],
      },
      { type: 'tool_result', tool_use_id: 'b', content: 'broken', is_error: true },
      { type: 'text', text: 'Go on.' },
    ],
  },
]

test('chat messages keep the results of a turn together and put their media after them', () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = toChatMessages(
    { system: ['s', 't'], messages: CONVERSATION },
    CHAT_FORM,
  )

  expect(messages).toEqual([
    { role: 'system', content: 's\n\nt' },
    { role: 'user', content: 'Look' },
    {
      role: 'assistant',
      content: 'I look.',
      reasoning_content: 'from a chat',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'Read', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'Read', arguments: '{"x":' } },
      ],
    },
    {
      role: 'tool',
      tool_call_id: 'a',
      content:
        'two:\n[image: see the next message]\n[image of type image/svg+xml: cannot be shown here]\n[document of type application/pdf: cannot be shown here]\n[document at https://example.com/b.pdf]\n[tool Later]',
    },
    { role: 'tool', tool_call_id: 'b', content: 'Error: broken' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'From the result of a:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ])
})

test('Responses input keeps media in results and sends only its own reasoning back', () => {
  const input: OpenAI.Responses.ResponseInput = toResponseInput(CONVERSATION, INPUT_FORM)

  expect(input).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look' }] },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'from a response' }],
      encrypted_content: 'sealed',
    },
    { type: 'message', role: 'assistant', content: 'I look.' },
    { type: 'function_call', call_id: 'a', name: 'Read', arguments: '{"x":1}' },
    { type: 'function_call', call_id: 'b', name: 'Read', arguments: '{"x":' },
    {
      type: 'function_call_output',
      call_id: 'a',
      output: [
        { type: 'input_text', text: 'two:' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
        { type: 'input_text', text: '[image of type image/svg+xml: cannot be shown here]' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        { type: 'input_file', file_url: 'https://example.com/b.pdf' },
        { type: 'input_text', text: '[tool Later]' },
      ],
    },
    { type: 'function_call_output', call_id: 'b', output: 'Error: broken' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
  ])
})

describe('in a request to an OpenAI API,', () => {
  test('trailing reasoning is omitted', () => {
    const cut: AssistantMessage = {
      type: 'assistant',
      content: [
        { type: 'text', text: 'a' },
        { type: 'thinking', thinking: '', id: 'rs_1', signature: 's' },
      ],
    }

    expect(toResponseInput([cut], INPUT_FORM)).toEqual([{ type: 'message', role: 'assistant', content: 'a' }])
  })

  test('files are sent only if the API supports them, and messages with only calls have no text', () => {
    const userMessage: UserMessage = { type: 'user', content: [PDF] }
    const assistant: AssistantMessage = {
      type: 'assistant',
      content: [{ type: 'tool_use', id: 'a', name: 'A', input: {} }],
    }
    const toChat = (acceptsFiles: boolean) =>
      toChatMessages({ system: [], messages: [userMessage] }, { ...CHAT_FORM, acceptsFiles })

    expect(toChat(true)).toEqual([
      {
        role: 'user',
        content: [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }],
      },
    ])
    expect(toChat(false)).toEqual([
      { role: 'user', content: '[document of type application/pdf: cannot be shown here]' },
    ])
    expect(toChatMessages({ system: [], messages: [assistant] }, CHAT_FORM)).toMatchObject([
      { role: 'assistant', content: null },
    ])
  })
})

test('each request to an OpenAI API starts with the messages of the previous request', () => {
  const text = fc.record({ type: fc.constant('text' as const), text: fc.string() })
  const id = fc.constantFrom('a', 'b', 'c')
  const image = fc.constantFrom(PNG, SVG, PDF, LINKED_DOCUMENT)
  const result = fc.record({
    type: fc.constant('tool_result' as const),
    tool_use_id: id,
    content: fc.oneof(fc.string(), fc.array(fc.oneof(text, image))),
    is_error: fc.boolean(),
  })
  const userMessage: fc.Arbitrary<UserMessage> = fc.record({
    type: fc.constant('user' as const),
    content: fc.oneof(fc.string(), fc.array(fc.oneof(text, image, result))),
  })
  const call = fc.record({ type: fc.constant('tool_use' as const), id, name: fc.string(), input: fc.jsonValue() })
  const thinking = fc.record({
    type: fc.constant('thinking' as const),
    thinking: fc.string(),
    id: fc.constantFrom('rs', 'reasoning'),
    signature: fc.string(),
  })
  const assistant: fc.Arbitrary<AssistantMessage> = fc.record({
    type: fc.constant('assistant' as const),
    content: fc.array(fc.oneof(text, call, thinking)),
  })
  const messages = fc.array(fc.tuple(userMessage, assistant), { minLength: 1 }).map((turns) => turns.flat())

  fc.assert(
    fc.property(messages, fc.nat(), (messages, at) => {
      const request: ModelRequest = { system: ['s'], tools: [], builtInTools: 0, messages }
      const previous = { ...request, messages: messages.slice(0, at % (messages.length + 1)) }
      const form = { model: 'm', isOpenAI: false, accepts: () => true }

      for (const listOf of [
        (from: ModelRequest): unknown[] => buildChatBody(toSendableRequest(from, OPENAI_ID_RULE), form).body.messages,
        (from: ModelRequest): unknown[] => buildResponseBody(toSendableRequest(from, OPENAI_ID_RULE), form).body.input,
      ]) {
        const previousItems = listOf(previous)
        expect(listOf(request).slice(0, previousItems.length)).toEqual(previousItems)
      }
    }),
    createPropertyOptions(),
  )
})
