import { expect, test } from 'vitest'
import type { TextBlock, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import {
  type Model,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  NO_USAGE,
} from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { askForSummary } from './ask-for-summary.js'

const MESSAGES: readonly ModelMessage[] = Array.from({ length: 6 }, (_, index): readonly ModelMessage[] => [
  { type: 'user', content: [{ type: 'tool_result', tool_use_id: `${index}`, content: `result ${index}` }] },
  { type: 'assistant', content: [{ type: 'tool_use', id: `${index + 1}`, name: 'Read', input: {} }] },
]).flat()
const LAST_MESSAGE: ModelMessage = {
  type: 'user',
  content: [{ type: 'tool_result', tool_use_id: '6', content: 'last' }],
}
const REQUEST: ModelRequest = { system: ['s'], tools: [], builtInTools: 0, messages: [...MESSAGES, LAST_MESSAGE] }

type Block = ToolUseBlock | ToolResultBlock | TextBlock

function createModelAnswering(answer: (request: ModelRequest) => readonly ModelEvent[]) {
  const requests: ModelRequest[] = []
  const model: Model = {
    id: 'm',
    provider: 'test',
    facts: { contextWindow: 1_000, maxOutputTokens: 100 },
    async *stream(request) {
      requests.push(request)
      yield* answer(request)
    },
  }
  return { model, requests }
}

const COMPLETE_ANSWER: readonly ModelEvent[] = [
  { type: 'block-ended', block: { type: 'text', text: ' the summary ' } },
  { type: 'message-ended', stopReason: 'end_turn', usage: { ...NO_USAGE, output: 7 } },
]
const SUMMARY_OPTIONS = { instructions: ['mind the tests'], signal: new AbortController().signal }

test('a summary request extends the request that was about to be sent, so that its beginning is cached', async () => {
  const { model, requests } = createModelAnswering(() => COMPLETE_ANSWER)

  const summary = await askForSummary(model, REQUEST, SUMMARY_OPTIONS)

  expect(summary).toEqual({ text: 'the summary', stopReason: 'end_turn', usage: { ...NO_USAGE, output: 7 } })
  expect(requests[0]?.messages.slice(0, -1)).toEqual(MESSAGES)
  expect(requests[0]?.messages.at(-1)?.content).toEqual([
    ...LAST_MESSAGE.content,
    { type: 'text', text: expect.stringMatching(/summary.*mind the tests/s) },
  ])
})

test('a summary request that is too long drops the older half of the messages, and no result lacks its call', async () => {
  const { model, requests } = createModelAnswering(({ messages }) => {
    if (messages.length > 5) throw new ModelError('too_long', 'too long')
    return COMPLETE_ANSWER
  })

  await askForSummary(model, REQUEST, SUMMARY_OPTIONS)

  const { messages = [] } = requests.at(-1) ?? {}
  expect(messages[0]?.type).toBe('user')
  const blocks = messages.flatMap(
    ({ content }) => (typeof content === 'string' ? [] : [...content]) as readonly Block[],
  )
  const calls = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])))
  const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
  expect(results.length).toBeGreaterThan(0)
  expect(results.filter((id) => !calls.has(id))).toEqual([])
  expect(messages.map(({ type }) => type)).toEqual(messages.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')))
})

test.each([
  ['an answer without text', COMPLETE_ANSWER.slice(1), 'returned no summary'],
  ['a truncated answer', COMPLETE_ANSWER.slice(0, 1), 'ended before it was'],
])('%s to a summary request is a failure', async (_, events, message) => {
  const { model } = createModelAnswering(() => events)

  await expect(askForSummary(model, REQUEST, SUMMARY_OPTIONS)).rejects.toThrow(message)
})

test('the text of a refusal is not used as a summary', async () => {
  const refusal = COMPLETE_ANSWER.map((event) =>
    event.type === 'message-ended' ? { ...event, stopReason: 'refusal' as const } : event,
  )

  await expect(askForSummary(createModelAnswering(() => refusal).model, REQUEST, SUMMARY_OPTIONS)).rejects.toThrow(
    'returned no summary',
  )
})
