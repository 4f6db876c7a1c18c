import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ModelEvent } from '../../contract/model/model.js'
import { createAnthropicFrames } from '../../testing/models/server/anthropic-frames.js'
import type { ServerPart } from '../../testing/models/server/server-turn.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { AnthropicEventReader } from './anthropic-event-reader.js'

function readAll(events: readonly unknown[]): ModelEvent[] {
  const reader = new AnthropicEventReader()
  return events.flatMap((event) => [...reader.read(event)])
}

const input = fc.dictionary(fc.string(), fc.jsonValue())
const part: fc.Arbitrary<ServerPart> = fc.oneof(
  fc.string({ minLength: 1 }).map((text) => ({ text })),
  fc.string().map((thinking) => ({ thinking, signature: 'signed' })),
  fc.string().map((redacted) => ({ redacted })),
  input.map((each) => ({ call: 'Tool', id: 'a', input: each })),
)

test('the blocks of an Anthropic message do not depend on how the stream is split into deltas', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), (parts, pieceSize) => {
      const frames = [...createAnthropicFrames({ parts, pieceSize }, 'model', 0)].map(String)
      const events = readAll(frames.map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6))))

      const blocks = events.flatMap((event) => (event.type === 'block-ended' ? [event.block] : []))
      expect(blocks).toEqual(parts.map(toExpectedBlock))
      expect(events.at(-1)?.type).toBe('message-ended')
    }),
    createPropertyOptions(),
  )
})

function toExpectedBlock(each: ServerPart): unknown {
  if ('text' in each) return { type: 'text', text: each.text }
  if ('thinking' in each) return { type: 'thinking', thinking: each.thinking, signature: 'signed' }
  if ('redacted' in each) return { type: 'redacted_thinking', data: each.redacted }
  return 'call' in each && { type: 'tool_use', id: 'a', name: 'Tool', input: JSON.parse(JSON.stringify(each.input)) }
}

const types = ['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta']
const innerFields = fc.record(
  {
    type: fc.constantFrom('text', 'tool_use', 'thinking', 'text_delta', 'input_json_delta', 'odd'),
    text: fc.jsonValue(),
    partial_json: fc.oneof(fc.string(), fc.jsonValue()),
    id: fc.jsonValue(),
    usage: fc.jsonValue(),
    stop_reason: fc.oneof(fc.constantFrom('max_tokens', 'tool_use'), fc.jsonValue()),
  },
  { requiredKeys: [] },
)
const arbitraryEvent = fc.record(
  {
    type: fc.constantFrom(...types),
    index: fc.constantFrom(0, 1, null),
    message: fc.oneof(innerFields, fc.jsonValue()),
    content_block: fc.oneof(innerFields, fc.jsonValue()),
    delta: fc.oneof(innerFields, fc.jsonValue()),
    usage: fc.jsonValue(),
  },
  { requiredKeys: ['type'] },
)

test('Anthropic events of any shape are read or skipped, and each call ends at most once', () => {
  fc.assert(
    fc.property(fc.array(arbitraryEvent, { maxLength: 30 }), (events) => {
      const modelEvents = readAll([...events, { type: 'message_stop' }])

      const count = (type: ModelEvent['type']) => modelEvents.filter((event) => event.type === type).length
      const calls = modelEvents.filter(
        (event) => event.type === 'block-ended' && event.block.type === 'tool_use',
      ).length
      expect(calls + count('call-cut')).toBe(count('call-begun'))
      expect(modelEvents.at(-1)?.type).toBe('message-ended')
    }),
    createPropertyOptions(),
  )
})
