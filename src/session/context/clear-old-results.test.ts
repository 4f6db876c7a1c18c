import { expect, test } from 'vitest'
import type { Message, ToolResultBlock } from '../../contract/messages.js'
import { clearOldResults } from './clear-old-results.js'

const KEPT_TOOLS = new Set(['Skill'])

const LONG_TEXT = 'x'.repeat(3_000)

function turn(id: string, content: ToolResultBlock['content'], name = 'Read'): readonly Message[] {
  return [
    { type: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
    { type: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
  ]
}

function resultsOf(messages: readonly Message[]): readonly ToolResultBlock['content'][] {
  return messages.flatMap((message) =>
    message.type === 'user' && typeof message.content !== 'string'
      ? message.content.flatMap((block) => (block.type === 'tool_result' ? [block.content] : []))
      : [],
  )
}

test('clearOldResults clears old results, but keeps the latest ones and all calls', () => {
  const messages = Array.from({ length: 12 }, (_, index) => turn(`call-${index}`, LONG_TEXT)).flat()

  const { messages: clearedMessages, clearedResults } = clearOldResults(messages, KEPT_TOOLS)

  expect(clearedResults).toBe(4)
  expect(resultsOf(clearedMessages).map((content) => content === LONG_TEXT)).toEqual([
    ...Array(4).fill(false),
    ...Array(8).fill(true),
  ])
  expect(clearedMessages.filter(({ type }) => type === 'assistant')).toEqual(
    messages.filter(({ type }) => type === 'assistant'),
  )
})

test('clearOldResults keeps short results, and results with references to loaded tools', () => {
  const keptContents: readonly ToolResultBlock['content'][] = [
    'short',
    [
      { type: 'text', text: LONG_TEXT },
      { type: 'tool_reference', tool_name: 'Later' },
    ],
  ]
  const messages = [...keptContents, ...Array<string>(8).fill(LONG_TEXT)].flatMap((content, index) =>
    turn(`${index}`, content),
  )

  expect(clearOldResults(messages, KEPT_TOOLS)).toEqual({ messages, clearedResults: 0 })
})

test('clearOldResults clears an image, which counts as a long result', () => {
  const picture = [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
  ] as const satisfies ToolResultBlock['content']
  const messages = [picture, ...Array<string>(8).fill('')].flatMap((content, index) => turn(`${index}`, content))

  expect(clearOldResults(messages, KEPT_TOOLS).clearedResults).toBe(1)
})

test('clearing results again changes nothing', () => {
  const messages = Array.from({ length: 12 }, (_, index) => turn(`call-${index}`, LONG_TEXT)).flat()
  const clearedOnce = clearOldResults(messages, KEPT_TOOLS).messages

  expect(clearOldResults(clearedOnce, KEPT_TOOLS)).toEqual({ messages: clearedOnce, clearedResults: 0 })
})

test('clearOldResults keeps the instructions of skills', () => {
  const reads = Array.from({ length: 12 }, (_, index) => turn(`call-${index}`, LONG_TEXT)).flat()

  const { messages } = clearOldResults([...turn('skill', LONG_TEXT, 'Skill'), ...reads], KEPT_TOOLS)

  expect(resultsOf(messages)[0]).toBe(LONG_TEXT)
})
