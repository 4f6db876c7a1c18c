import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import type { Message } from '../../contract/messages.js'
import type {
  Model,
  ModelBlock,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  StopReason,
} from '../../contract/model/model.js'
import { ModelError, type ModelErrorKind } from '../../contract/model/model-error.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { createToolRuntime } from '../../runtime/create-tool-runtime.js'
import { findRequestProblems, flattenBlocks } from '../../testing/models/request-problems.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createInstantClock, prompt } from '../../testing/query-fixture.js'
import { Conversation } from '../conversation/conversation.js'
import type { QueryEnd } from '../conversation/session-event.js'
import { toModelMessages } from '../messages/to-model-messages.js'
import { query } from './query.js'

interface Turn {
  readonly blocks: readonly ModelBlock[]
  readonly stop: StopReason
  readonly isCallCut: boolean
  /** The number of events after which the request fails. */
  readonly failsAfter: number | undefined
  readonly kind: ModelErrorKind
}

const block = fc.oneof(
  fc.constantFrom('', 'some text').map((text): ModelBlock => ({ type: 'text', text })),
  fc.constant<ModelBlock>({ type: 'thinking', thinking: 'hm', signature: 's' }),
  fc
    .record({
      name: fc.constantFrom('Note', 'Look', 'Fail', 'Forbidden', 'Unknown'),
      id: fc.constantFrom('a', 'b', ''),
    })
    .map(({ name, id }): ModelBlock => ({ type: 'tool_use', id, name, input: { text: id } })),
)
const turn: fc.Arbitrary<Turn> = fc.record({
  blocks: fc.array(block, { maxLength: 4 }),
  stop: fc.constantFrom<StopReason>('end_turn', 'tool_use', 'max_tokens', 'refusal', 'context_full', 'pause'),
  isCallCut: fc.boolean(),
  failsAfter: fc.option(fc.nat(10), { nil: undefined, freq: 2 }),
  kind: fc.constantFrom<ModelErrorKind>('overloaded', 'network', 'stream_cut', 'too_long', 'invalid_request'),
})

function* eventsOf({ blocks, stop, isCallCut }: Turn): Generator<ModelEvent> {
  yield { type: 'message-started', model: 'fake' }
  for (const block of blocks) {
    if (block.type === 'text') yield { type: 'text-delta', text: block.text }
    if (block.type === 'tool_use') yield { type: 'call-begun', id: block.id, name: block.name }
    yield { type: 'block-ended', block: block }
  }
  if (isCallCut) yield { type: 'call-cut', id: 'cut', name: 'Note' }
  yield { type: 'message-ended', stopReason: stop, usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } }
}

function createFakeModel(turns: readonly Turn[]): Model & { readonly requests: ModelRequest[] } {
  const remainingTurns = [...turns]
  const requests: ModelRequest[] = []
  return {
    id: 'fake',
    provider: 'test',
    facts: { contextWindow: 1_000, maxOutputTokens: 100 },
    requests,
    async *stream(request) {
      requests.push(request)
      const turn = remainingTurns.shift() ?? LAST_TURN
      let eventIndex = 0
      for (const event of eventsOf(turn)) {
        if (eventIndex++ === turn.failsAfter) throw new ModelError(turn.kind, 'failed')
        yield event
      }
    },
  }
}

const LAST_TURN: Turn = {
  blocks: [{ type: 'text', text: 'the end' }],
  stop: 'end_turn',
  isCallCut: false,
  failsAfter: undefined,
  kind: 'network',
}

/** Tools that record the ids of the calls that ran. */
function createTools(executedIds: string[]) {
  const inputSchema = z.object({ text: z.string() })
  const createRecordingTool = (name: string, isConcurrencySafe: boolean) =>
    buildTool({
      name,
      description: name,
      inputSchema,
      isConcurrencySafe: () => isConcurrencySafe,
      async call(_, { toolUseId }) {
        executedIds.push(toolUseId)
        await Promise.resolve()
        if (name === 'Fail') throw new Error('tool failed')
        return { data: `did it for ${toolUseId}` }
      },
    })
  return [
    createRecordingTool('Note', false),
    createRecordingTool('Look', true),
    createRecordingTool('Fail', true),
    createRecordingTool('Forbidden', true),
  ]
}

const EXPECTED_REASONS = new Set<QueryEnd['reason']>([
  'completed',
  'interrupted',
  'refused',
  'max_output',
  'context_full',
  'model_failed',
  'max_turns',
  'stuck',
])

test('whatever a model does, the conversation stays valid, and no call runs twice', async () => {
  const interruptions = fc.record({ at: fc.nat(40), action: fc.constantFrom('abort', 'throw', 'nothing') })
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 6 }), interruptions, async (turns, { at, action }) => {
      const executedIds: string[] = []
      const runtime = createToolRuntime({
        tools: createTools(executedIds),
        permissions: { allow: ['Note', 'Look', 'Fail'] },
      })
      const model = createFakeModel(turns)
      const conversation = new Conversation([prompt('Do it.')])
      const controller = new AbortController()
      const options = { runtime, model, conversation, system: [], retries: createInstantClock(), maxTurns: 12 }
      let eventCount = 0
      const pendingEnd = query({
        ...options,
        signal: controller.signal,
        onEvent: () => {
          if (eventCount++ !== at) return
          if (action === 'abort') controller.abort()
          if (action === 'throw') throw new Error('listener failed')
        },
      })
      const end = await pendingEnd.catch((error: Error) => error)
      const hasThrown = action === 'throw' && eventCount > at
      if (hasThrown) expect(end).toMatchObject({ message: 'listener failed' })
      else expect(EXPECTED_REASONS).toContain((end as QueryEnd).reason)

      expect(findCallProblems(conversation.messages)).toEqual([])
      const nextEnd = await query({
        ...options,
        model: createFakeModel([]),
        conversation: withNextPrompt(conversation),
        signal: new AbortController().signal,
      })
      expect(nextEnd).toMatchObject({ reason: 'completed', text: 'the end' })
      expect(findRequestProblems(toModelMessages(conversation.messages))).toEqual([])
      for (const [index, request] of model.requests.entries()) {
        expect(findRequestProblems(request.messages)).toEqual([])
        const previousBlocks = flattenBlocks(model.requests[index - 1]?.messages ?? [])
        expect(flattenBlocks(request.messages).slice(0, previousBlocks.length)).toEqual(previousBlocks)
      }
      expect(listCallsReportedAsRun(conversation.messages)).toEqual(executedIds.toSorted())
      await runtime.dispose()
    }),
    createPropertyOptions(150),
  )
}, 120_000)

function withNextPrompt(conversation: Conversation): Conversation {
  conversation.add(prompt('Go on.'))
  return conversation
}

/** Each message with calls must be followed by one with exactly their results. */
function findCallProblems(messages: readonly Message[]): readonly string[] {
  const aboutCalls = messages.filter(isAboutCalls) as ModelMessage[]
  return findRequestProblems([{ type: 'user', content: 'Do it.' }, ...aboutCalls]).filter(
    (text) => !/blank|empty/.test(text),
  )
}

function isAboutCalls(message: Message): boolean {
  const { content } = message as { readonly content?: unknown }
  return Array.isArray(content) && content.some(({ type }) => type === 'tool_use' || type === 'tool_result')
}

/** The calls whose result states that the tool ran: the tool's own text, or the text for a call stopped after its start. */
function listCallsReportedAsRun(messages: readonly Message[]): readonly string[] {
  return messages
    .flatMap((message) => (message.type === 'user' && typeof message.content !== 'string' ? message.content : []))
    .flatMap((result) =>
      result.type === 'tool_result' && statesThatItRan(String(result.content)) ? [result.tool_use_id] : [],
    )
    .toSorted()
}

function statesThatItRan(result: string): boolean {
  if (/did it|tool failed/.test(result)) return true
  return result.startsWith('The calls of this message were cancelled.') && !result.includes('It had not started.')
}
