import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AssistantMessage, Message } from '../../contract/messages.js'
import { createDiscoveredTools } from '../../contract/tool/deferred-tools.js'
import { findRequestProblems } from '../../testing/models/request-problems.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createHookContext, toToolMessage } from './attachments.js'
import { toModelMessages } from './to-model-messages.js'

const createUserMessage = (content: string): Message => ({ type: 'user', content })
const createAssistantText = (text: string): AssistantMessage => ({
  type: 'assistant',
  content: [{ type: 'text', text }],
})
const createCallsMessage = (...ids: readonly string[]): AssistantMessage => ({
  type: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: {} })),
})
const createResultBlock = (id: string, content = `result of ${id}`) => ({
  type: 'tool_result' as const,
  tool_use_id: id,
  content,
})
const createResults = (...ids: readonly string[]): Message => ({
  type: 'user',
  content: ids.map((id) => createResultBlock(id)),
})

describe('toModelMessages', () => {
  test('merges everything between two answers into one message, results first', () => {
    const messages = toModelMessages([
      createUserMessage('Do it.'),
      createCallsMessage('a', 'b'),
      { type: 'system', content: 'Mind the gap.' },
      createResults('a', 'b'),
      createUserMessage('And this.'),
    ])

    expect(messages.slice(2)).toEqual([
      {
        type: 'user',
        content: [
          createResultBlock('a'),
          createResultBlock('b'),
          { type: 'text', text: '<system-reminder>\nMind the gap.\n</system-reminder>' },
          { type: 'text', text: 'And this.' },
        ],
      },
    ])
  })

  test('converts each kind of attachment to text', () => {
    const deferredTool = {
      type: 'attachment',
      kind: 'deferred_tools',
      data: { text: '<available-deferred-tools>' },
    } as const
    const messages = toModelMessages([
      createUserMessage('Hi'),
      createDiscoveredTools(['Terminal']),
      deferredTool,
      createHookContext('SessionStart', ['Branch: main']),
      toToolMessage(createUserMessage('The text of a skill.')),
      { type: 'attachment', kind: 'of_a_host', data: { text: 'A word.' } },
      { type: 'attachment', kind: 'for_programs', data: { id: 7 } },
    ])

    expect(messages.flatMap(({ content }) => content as unknown as { text: string }[]).map(({ text }) => text)).toEqual(
      [
        'Hi',
        '<available-deferred-tools>',
        '<system-reminder>\nContext from the SessionStart hook:\nBranch: main\n</system-reminder>',
        'The text of a skill.',
        '<system-reminder>\nA word.\n</system-reminder>',
      ],
    )
  })

  test('adds missing results and drops results without a call', () => {
    const messages = toModelMessages([
      createUserMessage('Do it.'),
      createResults('x'),
      createCallsMessage('a', 'b'),
      createResults('b', 'y'),
      createUserMessage('Well?'),
    ])

    expect(findRequestProblems(messages)).toEqual([])
    expect(JSON.stringify(messages)).toContain('The result of this call was lost')
    expect(JSON.stringify(messages)).not.toMatch(/result of [xy]/)
  })

  test('uses the first of two results for one call', () => {
    const secondResult: Message = { type: 'user', content: [createResultBlock('a', 'another')] }
    const [, , last] = toModelMessages([
      createUserMessage('Do it.'),
      createCallsMessage('a'),
      createResults('a'),
      secondResult,
    ])
    expect(last?.content).toEqual([createResultBlock('a')])
  })

  test('returns the same objects for messages that were already sent', () => {
    const history = [
      createUserMessage('Do it.'),
      createCallsMessage('a'),
      createResults('a'),
      createAssistantText('Done.'),
      createUserMessage('More.'),
    ]
    const messagesBefore = toModelMessages(history)
    const messagesAfter = toModelMessages([...history, createAssistantText('Yes.'), createUserMessage('Thanks.')])

    expect(messagesBefore.every((message, index) => message === messagesAfter[index])).toBe(true)
  })
})

const text = fc.constantFrom('', '  ', 'one', 'two')
const id = fc.constantFrom('a', 'b', 'c')
const assistant = fc
  .record({
    text: fc.option(text),
    hasThinking: fc.boolean(),
    endsWithThinking: fc.boolean(),
    ids: fc.uniqueArray(id, { maxLength: 3 }),
  })
  .map(({ text, hasThinking, endsWithThinking, ids }): AssistantMessage => {
    const thought = { type: 'thinking' as const, thinking: 'hm' }
    const content: AssistantMessage['content'][number][] = hasThinking ? [thought] : []
    if (text !== null) content.push({ type: 'text', text })
    content.push(...createCallsMessage(...ids).content)
    return { type: 'assistant', content: endsWithThinking ? [...content, thought] : content }
  })
const otherMessage = fc.oneof(
  text.map(createUserMessage),
  fc
    .array(text, { maxLength: 2 })
    .map((texts): Message => ({ type: 'user', content: texts.map((content) => ({ type: 'text', text: content })) })),
  fc.array(id, { maxLength: 4 }).map((ids) => createResults(...ids)),
  text.map((content): Message => ({ type: 'system', content })),
  fc.constantFrom(createDiscoveredTools(['X']), createHookContext('Stop', ['go on']), createHookContext('Stop', [''])),
  fc
    .record({
      kind: fc.constantFrom('summary', 'kept_state', 'instructions', 'tool_message', 'x'),
      data: fc.jsonValue(),
    })
    .map(({ kind, data }): Message => ({ type: 'attachment', kind, data })),
)
const conversation = fc.array(fc.oneof(assistant, otherMessage), { maxLength: 12 })

describe('any conversation', () => {
  test('is converted to a form that providers accept', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        expect(findRequestProblems(toModelMessages([...messages, createUserMessage('Go.')]))).toEqual([])
      }),
      createPropertyOptions(300),
    )
  })

  test('begins with everything sent in the previous request', () => {
    fc.assert(
      fc.property(conversation, conversation, (messagesBefore, messagesAfter) => {
        const firstMessages = toModelMessages([...messagesBefore, createUserMessage('Go.')])
        const laterMessages = toModelMessages([
          ...messagesBefore,
          createUserMessage('Go.'),
          createAssistantText('Yes.'),
          ...messagesAfter,
        ])

        expect(laterMessages.slice(0, firstMessages.length)).toEqual(firstMessages)
      }),
      createPropertyOptions(300),
    )
  })
})
