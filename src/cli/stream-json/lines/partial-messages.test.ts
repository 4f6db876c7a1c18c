import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ModelEvent, NO_USAGE } from '../../../contract/model/model.js'
import { PartialMessages } from './partial-messages.js'

const messageStarted: ModelEvent = { type: 'message-started', id: 'm', model: 'x' }
const messageEnded: ModelEvent = { type: 'message-ended', stopReason: 'end_turn', usage: NO_USAGE }

test('a message is streamed in the format of the Anthropic Messages API', () => {
  const partialMessages = new PartialMessages()
  const events: ModelEvent[] = [
    messageStarted,
    { type: 'thinking-delta', text: 'hm' },
    { type: 'block-ended', block: { type: 'thinking', thinking: 'hm', signature: 's' } },
    { type: 'text-delta', text: 'a' },
    { type: 'text-delta', text: 'b' },
    { type: 'block-ended', block: { type: 'text', text: 'ab' } },
    { type: 'call-begun', id: 'c', name: 'Read' },
    { type: 'input-delta', id: 'c', json: '{}' },
    { type: 'block-ended', block: { type: 'tool_use', id: 'c', name: 'Read', input: {} } },
    messageEnded,
  ]

  const summaries = events
    .flatMap((event) => partialMessages.convert(event))
    .map(({ type, index, delta }) => [type, index, delta])

  expect(summaries).toEqual([
    ['message_start', undefined, undefined],
    ['content_block_start', 0, undefined],
    ['content_block_delta', 0, { type: 'thinking_delta', thinking: 'hm' }],
    ['content_block_stop', 0, undefined],
    ['content_block_start', 1, undefined],
    ['content_block_delta', 1, { type: 'text_delta', text: 'a' }],
    ['content_block_delta', 1, { type: 'text_delta', text: 'b' }],
    ['content_block_stop', 1, undefined],
    ['content_block_start', 2, undefined],
    ['content_block_delta', 2, { type: 'input_json_delta', partial_json: '{}' }],
    ['content_block_stop', 2, undefined],
    ['message_delta', undefined, { stop_reason: 'end_turn', stop_sequence: null }],
    ['message_stop', undefined, undefined],
  ])
})

const id = fc.constantFrom('a', 'b')
const anyEvent: fc.Arbitrary<ModelEvent> = fc.oneof(
  fc.record({ type: fc.constant('text-delta' as const), text: fc.string() }),
  fc.record({ type: fc.constant('thinking-delta' as const), text: fc.string() }),
  fc.record({ type: fc.constant('call-begun' as const), id, name: fc.constant('Read') }),
  fc.record({ type: fc.constant('input-delta' as const), id, json: fc.string() }),
  fc.record({ type: fc.constant('call-cut' as const), id, name: fc.constant('Read') }),
  fc.constant<ModelEvent>({ type: 'block-ended', block: { type: 'text', text: '' } }),
  fc.record({
    type: fc.constant('block-ended' as const),
    block: id.map((callId) => ({ type: 'tool_use' as const, id: callId, name: 'Read', input: {} })),
  }),
)

test('for any model events, each block starts once and ends once, with its deltas in between', () => {
  fc.assert(
    fc.property(fc.array(anyEvent), (events) => {
      const partialMessages = new PartialMessages()
      const openBlocks = new Set<unknown>()
      let nextIndex = 0
      for (const { type, index } of [messageStarted, ...events, messageEnded].flatMap((event) =>
        partialMessages.convert(event),
      )) {
        if (type === 'content_block_start') {
          expect(index).toBe(nextIndex++)
          openBlocks.add(index)
        }
        if (type === 'content_block_delta') expect(openBlocks).toContain(index)
        if (type === 'content_block_stop') expect(openBlocks.delete(index)).toBe(true)
      }
      expect(openBlocks.size).toBe(0)
    }),
  )
})
