import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ModelBlock } from '../../contract/model/model.js'
import { createChatCall, createChatDelta } from '../../testing/models/openai-chunks.js'
import { HELLO_REQUEST, joinPieces, listBlocks, tryModel } from '../../testing/models/try-model.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { splitText } from '../scripted/scripted-model.js'
import { createOpenAIModel } from './create-openai-model.js'

interface Turn {
  readonly thinking: string
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: Record<string, unknown> }[]
}

const words = fc.string({ unit: 'grapheme', minLength: 1 })
const turn: fc.Arbitrary<Turn> = fc.record({
  thinking: words,
  text: words,
  calls: fc.array(
    fc.record({
      name: fc.stringMatching(/^[a-z]+$/),
      input: fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
    }),
    { maxLength: 10 },
  ),
})

test.each([
  ['chat', toChatEvents, 'reasoning_content'],
  ['responses', toResponseEvents, 'rs'],
] as const)('the %s reader produces the same blocks for any chunk boundaries', async (api, eventsOf, thinkingId) => {
  const sizes = { pieceLength: fc.integer({ min: 1, max: 30 }), byteLength: fc.integer({ min: 1, max: 200 }) }

  await fc.assert(
    fc.asyncProperty(turn, sizes.pieceLength, sizes.byteLength, async (turn, pieceLength, byteLength) => {
      const lines = eventsOf(turn, pieceLength).map((event) => `data: ${JSON.stringify(event)}\n\n`)
      const bytes = Buffer.from(`${lines.join('')}data: [DONE]\n\n`)
      const fetch = async (): Promise<Response> => new Response(createStream(bytes, byteLength))
      const model = createOpenAIModel({ id: 'm', baseUrl: 'http://localhost/v1', api, fetch })

      const { events, error } = await tryModel(model, HELLO_REQUEST)

      expect(error).toBeUndefined()
      expect(removeSignature(listBlocks(events))).toEqual(listBlocksIn(turn, thinkingId))
      expect(joinPieces(events)).toEqual({
        'thinking-delta': turn.thinking,
        'text-delta': turn.text,
        ...Object.fromEntries(turn.calls.map(({ input }, index) => [`i${index}`, JSON.stringify(input)])),
      })
    }),
    createPropertyOptions(30),
  )
})

function listBlocksIn({ thinking, text, calls }: Turn, id: string): ModelBlock[] {
  return [
    { type: 'thinking', thinking, id },
    { type: 'text', text },
    ...calls.map(({ name, input }, index): ModelBlock => {
      return { type: 'tool_use', id: `i${index}`, name, input: JSON.parse(JSON.stringify(input)) }
    }),
  ]
}

function removeSignature(blocks: readonly ModelBlock[]): unknown[] {
  return blocks.map((block) => {
    if (block.type !== 'thinking') return block
    const { signature, ...otherFields } = block
    return otherFields
  })
}

function toChatEvents({ thinking, text, calls }: Turn, pieceLength: number): unknown[] {
  return [
    ...splitText(thinking, pieceLength).map((reasoning_content) => createChatDelta({ reasoning_content })),
    ...splitText(text, pieceLength).map((content) => createChatDelta({ content })),
    ...calls.flatMap(({ name, input }, index) => [
      createChatDelta({ tool_calls: [createChatCall(index, name, '', `i${index}`)] }),
      ...splitText(JSON.stringify(input), pieceLength).map((json) => {
        return createChatDelta({ tool_calls: [createChatCall(index, undefined, json)] })
      }),
    ]),
    createChatDelta({}, 'stop'),
  ]
}

function toResponseEvents({ thinking, text, calls }: Turn, pieceLength: number): unknown[] {
  const createItemEvents = (
    output_index: number,
    item: object,
    kind: string,
    wholeText: string,
    doneFields: object,
  ) => [
    { type: 'response.output_item.added', output_index, item },
    ...splitText(wholeText, pieceLength).map((delta) => ({ type: `response.${kind}.delta`, output_index, delta })),
    { type: 'response.output_item.done', output_index, item: { ...item, ...doneFields } },
  ]
  const encryptedFields = { encrypted_content: 's' }
  return [
    ...createItemEvents(0, { type: 'reasoning', id: 'rs' }, 'reasoning_summary_text', thinking, encryptedFields),
    ...createItemEvents(1, { type: 'message' }, 'output_text', text, {}),
    ...calls.flatMap(({ name, input }, index) => {
      const json = JSON.stringify(input)
      const call = { type: 'function_call', call_id: `i${index}`, name, arguments: '' }
      return createItemEvents(index + 2, call, 'function_call_arguments', json, { arguments: json })
    }),
    { type: 'response.completed', response: {} },
  ]
}

function createStream(bytes: Buffer, length: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + length))
      at += length
    },
  })
}
