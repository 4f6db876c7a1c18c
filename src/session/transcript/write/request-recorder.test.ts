import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Model, ModelMessage, ModelRequest } from '../../../contract/model/model.js'
import { createPropertyOptions } from '../../../testing/property-runs.js'
import type { TranscriptEntry } from '../storage/transcript-entry.js'
import { RequestRecorder } from './request-recorder.js'

const MODEL = { id: 'm', provider: 'p', facts: { contextWindow: 1000, maxOutputTokens: 10 } } as Model

function createRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return { system: ['system'], tools: [], builtInTools: 0, messages: [{ type: 'user', content: 'hi' }], ...changes }
}

function record(requests: readonly ModelRequest[]): TranscriptEntry[] {
  const entries: TranscriptEntry[] = []
  const recorder = new RequestRecorder((entry) => entries.push(entry))
  for (const request of requests) recorder.requestSent(request, MODEL)
  return entries
}

const sentIn = (entries: readonly TranscriptEntry[]) => entries.filter((entry) => entry.type === 'request-sent')

const sizeOf = ({ system, tools, messages }: ModelRequest) =>
  Buffer.byteLength(JSON.stringify({ system, tools, messages }))

const anyText = fc.string({ unit: 'grapheme' })
const anyMessage: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ type: fc.constant('user' as const), content: anyText }),
  fc.record({
    type: fc.constant('assistant' as const),
    id: anyText,
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('text' as const), text: anyText }),
        fc.record({ type: fc.constant('tool_use' as const), id: anyText, name: anyText, input: fc.jsonValue() }),
      ),
    ),
  }),
)

test('for any requests, the recorded size is that of the JSON of the request', () => {
  const anyRequest = fc.record({
    system: fc.array(anyText),
    tools: fc.array(fc.record({ name: anyText, description: anyText, input_schema: fc.constant({ type: 'object' }) })),
    messages: fc.array(anyMessage),
  })
  fc.assert(
    fc.property(fc.array(anyRequest, { maxLength: 4 }), (requests) => {
      const created = requests.map((request) => createRequest(request as Partial<ModelRequest>))
      expect(sentIn(record(created)).map(({ bytes }) => bytes)).toEqual(created.map(sizeOf))
    }),
    createPropertyOptions(),
  )
})

test('a request is recorded by the messages that it adds, and texts and definitions only once', () => {
  const [first, second, third] = ['one', 'two', 'three'].map((content): ModelMessage => ({ type: 'user', content }))
  if (first === undefined || second === undefined || third === undefined) throw new Error('unreachable')
  const tools = [{ name: 'A', description: 'a', input_schema: {} }]

  const entries = record([
    createRequest({ tools, messages: [first] }),
    createRequest({ tools: [...tools], messages: [{ ...first }, second] }),
    createRequest({ tools, messages: [third] }),
  ])

  expect(entries.map(({ type }) => type)).toEqual([
    'request-part',
    'request-part',
    'request-tools',
    'request-sent',
    'request-sent',
    'request-sent',
  ])
  expect(sentIn(entries).map(({ kept, messages }) => [kept, messages.length])).toEqual([
    [0, 1],
    [1, 1],
    [0, 1],
  ])
})
