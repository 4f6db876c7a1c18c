import { expect, test } from 'vitest'
import type { Message } from '../../contract/messages.js'
import { toModelMessages } from '../messages/to-model-messages.js'
import { estimateMessagesTokens } from './message-tokens.js'
import { listSnips, listSteps, removeSteps, restoreSteps } from './snip-history.js'

const NO_TOOLS: ReadonlySet<string> = new Set()
const prompt = (text: string): Message => ({ type: 'user', content: text })
const answer = (text: string, ...ids: string[]): Message => ({
  type: 'assistant',
  content: [
    { type: 'text', text },
    ...ids.map((id) => ({ type: 'tool_use' as const, id, name: id.split('-')[0] ?? '', input: {} })),
  ],
})
const results = (...ids: string[]): Message => ({
  type: 'user',
  content: ids.map((id) => ({
    type: 'tool_result' as const,
    tool_use_id: id,
    content: `result of ${id} `.repeat(100),
  })),
})

const CONVERSATION: readonly Message[] = [
  prompt('Fix it'),
  answer('I read two files.', 'Read-1', 'Read-2'),
  results('Read-1', 'Read-2'),
  answer('I search.', 'Grep-3'),
  { type: 'attachment', kind: 'hook_context', data: { event: 'PostToolBatch', texts: ['Be careful.'] } },
  results('Grep-3'),
  prompt('Go on'),
  answer('I read more.', 'Read-4'),
  results('Read-4'),
  answer('Done.'),
]
const idsOf = (messages: readonly Message[]) => listSteps(messages, NO_TOOLS).map(({ id }) => id)

test('a step is an answer with all its results', () => {
  expect(listSteps(CONVERSATION, NO_TOOLS)).toMatchObject([
    { tools: ['Read', 'Read'], text: 'I read two files.', indexes: [1, 2] },
    { tools: ['Grep'], text: 'I search.', indexes: [3, 5] },
    { tools: ['Read'], text: 'I read more.', indexes: [7, 8] },
    { tools: [], text: 'Done.', keptBecause: 'it is the latest answer' },
  ])
})

test('removing steps keeps prompts, attachments and everything before them, and restoring gives the same conversation', () => {
  const [, second = '', third = ''] = idsOf(CONVERSATION)

  const { messages, outcome } = removeSteps(CONVERSATION, { from: second, to: third, reason: 'old' }, NO_TOOLS)

  expect(messages.slice(0, 3)).toEqual(CONVERSATION.slice(0, 3))
  expect(messages.filter(({ type }) => type === 'user')).toEqual([CONVERSATION[0], CONVERSATION[2], CONVERSATION[6]])
  expect(messages).toContain(CONVERSATION[4])
  expect(JSON.stringify(toModelMessages(messages))).not.toMatch(/result of (Grep-3|Read-4)/)
  expect(JSON.stringify(toModelMessages(messages))).toContain(`restore \\"${outcome.snipId}\\". Reason: old`)
  expect(estimateMessagesTokens(messages)).toBeLessThan(estimateMessagesTokens(CONVERSATION))
  expect(listSnips(messages)).toEqual([{ snipId: outcome.snipId, steps: 2, tokens: outcome.tokens }])
  // The transcript is JSON.
  const resumed = JSON.parse(JSON.stringify(messages)) as readonly Message[]
  expect(restoreSteps(resumed, outcome.snipId).messages).toEqual(CONVERSATION)
})

test('no removal leaves half of a call and its result', () => {
  const ids = idsOf(CONVERSATION).slice(0, 3)
  for (const [first, from] of ids.entries()) {
    for (const to of ids.slice(first)) {
      const { messages } = removeSteps(CONVERSATION, { from, to }, NO_TOOLS)
      const text = JSON.stringify(messages.map((message) => (message.type === 'attachment' ? '' : message)))
      for (const id of ['Read-1', 'Read-2', 'Grep-3', 'Read-4'])
        expect(text.includes(`"id":"${id}"`)).toBe(text.includes(`"tool_use_id":"${id}"`))
      expect(JSON.stringify(toModelMessages(messages))).not.toContain('was lost')
    }
  }
})

test('ids stay the same when other steps are removed, and removals can be nested', () => {
  const [first = '', second = '', third = ''] = idsOf(CONVERSATION)

  const inner = removeSteps(CONVERSATION, { from: second, to: second }, NO_TOOLS)
  expect(idsOf(inner.messages)).toEqual([first, third, idsOf(CONVERSATION)[3]])
  const outer = removeSteps(inner.messages, { from: first, to: third }, NO_TOOLS)

  const restored = restoreSteps(outer.messages, outer.outcome.snipId).messages
  expect(restoreSteps(restored, inner.outcome.snipId).messages).toEqual(CONVERSATION)
})

test.each([
  ['the latest answer', CONVERSATION, 3, /latest answer/],
  ['a call without a result', [answer('a', 'Read-1'), answer('b')], 0, /no result yet/],
  [
    'loaded tools',
    [
      answer('a', 'ToolSearch-1'),
      {
        type: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'ToolSearch-1', content: [{ type: 'tool_reference', tool_name: 'X' }] },
        ],
      } as Message,
      answer('b'),
    ],
    0,
    /loads tools/,
  ],
  ['the instructions of a skill', [answer('a', 'Skill-1'), results('Skill-1'), answer('b')], 0, /whole conversation/],
])('a step with %s is refused, and says why', (_, messages, index, message) => {
  const id = idsOf(messages as readonly Message[])[index] ?? ''

  expect(() => removeSteps(messages as readonly Message[], { from: id, to: id }, new Set(['Skill']))).toThrow(message)
})

test('unknown and reversed steps are refused', () => {
  const [first = '', second = ''] = idsOf(CONVERSATION)

  expect(() => removeSteps(CONVERSATION, { from: 'none', to: first }, NO_TOOLS)).toThrow(/CtxInspect lists the steps/)
  expect(() => removeSteps(CONVERSATION, { from: second, to: first }, NO_TOOLS)).toThrow(/is before step/)
  expect(() => restoreSteps(CONVERSATION, 'none')).toThrow(/no removal "none"/)
})
