import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AssistantMessage, Message } from '../../contract/messages.js'
import { discoveredTools } from '../../contract/tool/deferred-tools.js'
import { requestProblems } from '../../testing/models/request-problems.js'
import { propertyRuns } from '../../testing/property-runs.js'
import { hookContext, toolMessage } from './attachments.js'
import { toModelMessages } from './to-model-messages.js'

const user = (content: string): Message => ({ type: 'user', content })
const assistantText = (text: string): AssistantMessage => ({ type: 'assistant', content: [{ type: 'text', text }] })
const callsMessage = (...ids: readonly string[]): AssistantMessage => ({
  type: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: {} })),
})
const resultBlock = (id: string, content = `result of ${id}`) => ({
  type: 'tool_result' as const,
  tool_use_id: id,
  content,
})
const results = (...ids: readonly string[]): Message => ({ type: 'user', content: ids.map((id) => resultBlock(id)) })

describe('toModelMessages', () => {
  test('merges everything between two answers into one message, results first', () => {
    const messages = toModelMessages([
      user('Do it.'),
      callsMessage('a', 'b'),
      { type: 'system', content: 'Mind the gap.' },
      results('a', 'b'),
      user('And this.'),
    ])

    expect(messages.slice(2)).toEqual([
      {
        type: 'user',
        content: [
          resultBlock('a'),
          resultBlock('b'),
          { type: 'text', text: '<system-reminder>\nMind the gap.\n</system-reminder>' },
          { type: 'text', text: 'And this.' },
        ],
      },
    ])
  })

  test('converts each kind of attachment to text', () => {
    const deferred = {
      type: 'attachment',
      kind: 'deferred_tools',
      data: { text: '<available-deferred-tools>' },
    } as const
    const messages = toModelMessages([
      user('Hi'),
      discoveredTools(['Terminal']),
      deferred,
      hookContext('SessionStart', ['Branch: main']),
      toolMessage(user('The text of a skill.')),
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
      user('Do it.'),
      results('x'),
      callsMessage('a', 'b'),
      results('b', 'y'),
      user('Well?'),
    ])

    expect(requestProblems(messages)).toEqual([])
    expect(JSON.stringify(messages)).toContain('The result of this call was lost')
    expect(JSON.stringify(messages)).not.toMatch(/result of [xy]/)
  })

  test('uses the first of two results for one call', () => {
    const secondResult: Message = { type: 'user', content: [resultBlock('a', 'another')] }
    const [, , last] = toModelMessages([user('Do it.'), callsMessage('a'), results('a'), secondResult])
    expect(last?.content).toEqual([resultBlock('a')])
  })

  test('returns the same objects for messages that were already sent', () => {
    const history = [user('Do it.'), callsMessage('a'), results('a'), assistantText('Done.'), user('More.')]
    const before = toModelMessages(history)
    const after = toModelMessages([...history, assistantText('Yes.'), user('Thanks.')])

    expect(before.every((message, index) => message === after[index])).toBe(true)
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
    content.push(...callsMessage(...ids).content)
    return { type: 'assistant', content: endsWithThinking ? [...content, thought] : content }
  })
const otherMessage = fc.oneof(
  text.map(user),
  fc
    .array(text, { maxLength: 2 })
    .map((texts): Message => ({ type: 'user', content: texts.map((each) => ({ type: 'text', text: each })) })),
  fc.array(id, { maxLength: 4 }).map((ids) => results(...ids)),
  text.map((content): Message => ({ type: 'system', content })),
  fc.constantFrom(discoveredTools(['X']), hookContext('Stop', ['go on']), hookContext('Stop', [''])),
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
        expect(requestProblems(toModelMessages([...messages, user('Go.')]))).toEqual([])
      }),
      propertyRuns(300),
    )
  })

  test('begins with everything sent in the previous request', () => {
    fc.assert(
      fc.property(conversation, conversation, (before, after) => {
        const first = toModelMessages([...before, user('Go.')])
        const then = toModelMessages([...before, user('Go.'), assistantText('Yes.'), ...after])

        expect(then.slice(0, first.length)).toEqual(first)
      }),
      propertyRuns(300),
    )
  })
})
