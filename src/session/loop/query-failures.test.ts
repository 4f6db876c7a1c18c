import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ModelErrorKind } from '../../contract/model/model-error.js'
import { createScriptedModel } from '../../providers/scripted/scripted-model.js'
import { createRealRuntime, createTemporaryFolder, tryQuery } from '../../testing/query-fixture.js'
import { Conversation } from '../conversation/conversation.js'
import type { SessionEvent } from '../conversation/session-event.js'
import type { ContextKeeper } from './query-options.js'

const fail = (kind: ModelErrorKind, details: object = {}) => ({ error: { kind, ...details } })
const repeat = <T>(count: number, value: T) => Array.from({ length: count }, () => value)
const typesOf = (events: readonly SessionEvent[]) => events.map(({ type }) => type)

async function createRuntimeIn(folder?: string) {
  return createRealRuntime(folder ?? (await createTemporaryFolder()))
}

describe('a failed request', () => {
  test.each<ModelErrorKind>(['rate_limited', 'overloaded', 'server_error', 'network', 'timed_out'])(
    'is retried with increasing delays after a temporary error (%s)',
    async (kind) => {
      const script = [...repeat(4, fail(kind)), 'There.']
      const { end, events, delays, requests } = await tryQuery({ runtime: await createRuntimeIn(), script })

      expect(end).toMatchObject({ reason: 'completed', text: 'There.', turns: 1 })
      expect(delays).toEqual([500, 1000, 2000, 4000])
      expect(events.filter(({ type }) => type === 'request-retried')).toMatchObject([
        { attempt: 1, delayMs: 500, error: { kind } },
        { attempt: 2 },
        { attempt: 3 },
        { attempt: 4 },
      ])
      // Identical requests, so that the provider's cache applies.
      expect(new Set(requests.map(({ messages }) => JSON.stringify(messages))).size).toBe(1)
    },
  )

  test('is not retried before the time set by the provider', async () => {
    const script = [fail('rate_limited', { retryAfterMs: 30_000 }), 'There.']
    const { delays } = await tryQuery({ runtime: await createRuntimeIn(), script })
    expect(delays).toEqual([33_000])
  })

  test('ends the query if the provider asks for a very long delay', async () => {
    const script = [fail('rate_limited', { retryAfterMs: 3_600_000, message: 'Slow down.' }), 'There.']
    const { end, delays } = await tryQuery({ runtime: await createRuntimeIn(), script })

    expect(end).toMatchObject({
      reason: 'model_failed',
      message: 'Slow down. (the provider asks to wait 3600 s before the next try)',
      error: { kind: 'rate_limited' },
    })
    expect(delays).toEqual([])
  })

  test('ends the query after too many retries', async () => {
    const { end, requests } = await tryQuery({
      runtime: await createRuntimeIn(),
      script: repeat(20, fail('server_error')),
    })

    expect(end).toMatchObject({ reason: 'model_failed', error: { kind: 'server_error' } })
    expect(requests).toHaveLength(8)
  })

  test.each<ModelErrorKind>(['unauthorised', 'unknown_model', 'invalid_request'])(
    'is not retried after a permanent error (%s)',
    async (kind) => {
      const script = [fail(kind, { message: 'No.' }), 'There.']
      const { end, requests } = await tryQuery({ runtime: await createRuntimeIn(), script })

      expect(end).toMatchObject({ reason: 'model_failed', message: 'No.', error: { kind } })
      expect(requests).toHaveLength(1)
    },
  )

  test('ends the query with a message if the model throws an unexpected error', async () => {
    const script = [
      () => {
        throw new Error('a mistake')
      },
    ]
    const { end } = await tryQuery({ runtime: await createRuntimeIn(), script })
    expect(end).toMatchObject({ reason: 'model_failed', message: 'a mistake' })
  })

  test('switches to the fallback model after three overload errors', async () => {
    const folder = await createTemporaryFolder()
    const call = { name: 'Glob', input: { pattern: '*.txt' } }
    const fallbackModel = createScriptedModel({ id: 'other', turns: [{ calls: [call] }, 'There.'] })
    const { end, events, requests } = await tryQuery({
      runtime: await createRuntimeIn(folder),
      script: repeat(5, fail('overloaded')),
      fallbackModel,
    })

    expect(end).toMatchObject({ reason: 'completed', text: 'There.' })
    expect(requests).toHaveLength(3)
    expect(events.filter(({ type }) => type === 'model-changed')).toEqual([
      {
        type: 'model-changed',
        from: 'scripted',
        to: 'other',
        reason: 'it was overloaded 3 times in a row',
      },
    ])
  })

  test('is retried at once without deferred-tool marks if the provider rejects them', async () => {
    const message = 'tools.20.defer_loading: Extra inputs are not permitted'
    const { end, requests, delays } = await tryQuery({
      runtime: await createRuntimeIn(),
      script: {
        turns: [
          { calls: [{ name: 'ToolSearch', input: { query: 'select:NotebookEdit' } }] },
          fail('invalid_request', { status: 400, message }),
          'There.',
        ],
        facts: { supportsDeferLoading: true },
      },
    })

    expect(end.reason).toBe('completed')
    expect(delays).toEqual([])
    const [, refusedRequest, retriedRequest] = requests
    const lastToolOf = (request: (typeof requests)[number] | undefined) => request?.tools.at(-1)
    expect(lastToolOf(refusedRequest)).toMatchObject({ name: 'NotebookEdit', defer_loading: true })
    expect(JSON.stringify(refusedRequest?.messages)).toContain('tool_reference')
    expect(lastToolOf(retriedRequest)?.name).toBe('NotebookEdit')
    expect(JSON.stringify(retriedRequest)).not.toMatch(/defer_loading|tool_reference/)
  })
})

describe('an answer that breaks off', () => {
  test('is discarded and requested again if it has no complete call', async () => {
    const script = [{ text: 'I was about to', cut: true, ...fail('stream_cut') }, 'There.']
    const { end, events, messages } = await tryQuery({ runtime: await createRuntimeIn(), script })

    expect(end).toMatchObject({ reason: 'completed', text: 'There.' })
    expect(typesOf(events)).toContain('message-discarded')
    expect(JSON.stringify(messages)).not.toContain('about to')
  })

  test('keeps its complete call, which runs once, with its result', async () => {
    const folder = await createTemporaryFolder()
    const command = `echo once >> ${join(folder, 'log')}`
    const cutTurn = {
      text: 'First this.',
      calls: [
        { name: 'Bash', input: { command }, id: 'whole' },
        { name: 'Bash', input: { command: 'echo lost' }, id: 'cut' },
      ],
      cut: true,
      ...fail('stream_cut'),
    }
    const { end, requests, messages } = await tryQuery({
      runtime: createRealRuntime(folder, { permissions: { allow: ['Bash'] } }),
      script: [cutTurn, 'There.'],
    })

    expect(end).toMatchObject({ reason: 'completed', turns: 2 })
    expect(await readFile(join(folder, 'log'), 'utf8')).toBe('once\n')
    const assistant = messages.find(({ type }) => type === 'assistant')
    expect(assistant).toMatchObject({ content: [{ text: 'First this.' }, { type: 'tool_use', id: 'whole' }] })
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toMatch(/whole.*everything after them was lost/)
    expect(JSON.stringify(messages)).not.toContain('echo lost')
  })

  test('ends the query eventually if every answer breaks off after a call', async () => {
    const folder = await createTemporaryFolder()
    const script = Array.from({ length: 30 }, (_, index) => ({
      calls: [{ name: 'Glob', input: { pattern: `${index}` } }, { name: 'Glob' }],
      cut: true,
      ...fail('network', { message: 'gone' }),
    }))
    const { end } = await tryQuery({ runtime: await createRuntimeIn(folder), script })
    expect(end).toMatchObject({ reason: 'model_failed', message: 'gone', turns: 9 })
  })
})

describe('an answer that hits the output limit', () => {
  test('is followed by a note to the model if a call was cut off and did not run', async () => {
    const folder = await createTemporaryFolder()
    const write = { name: 'Write', input: { file_path: join(folder, 'a.txt'), content: 'a long text' } }
    const { end, requests } = await tryQuery({
      runtime: await createRuntimeIn(folder),
      script: [{ text: 'I write it.', calls: [write], cut: true }, 'There.'],
    })

    expect(end).toMatchObject({ reason: 'completed', text: 'There.' })
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toMatch(
      /in the middle of a call of Write\. That call did not run/,
    )
    await expect(readFile(join(folder, 'a.txt'))).rejects.toThrow()
  })

  test('is continued three times at most', async () => {
    const script = repeat(9, { text: 'and so on', stop: 'max_tokens' as const })
    const { end, requests } = await tryQuery({ runtime: await createRuntimeIn(), script })

    expect(end).toMatchObject({ reason: 'max_output', turns: 4 })
    expect(requests).toHaveLength(4)
  })

  test('can be continued again after a complete answer', async () => {
    const cutTurns = repeat(3, { text: 'and so on', stop: 'max_tokens' as const })
    const wholeTurn = { calls: [{ name: 'Glob', input: { pattern: '*' } }] }
    const { end } = await tryQuery({
      runtime: await createRuntimeIn(),
      script: [...cutTurns, wholeTurn, ...cutTurns, 'There.'],
    })
    expect(end).toMatchObject({ reason: 'completed', text: 'and so onand so onand so onThere.' })
  })

  test.each([
    ['is part of the final text, but text before a call is not', { text: 'FIRST ' }, 'FIRST There.'],
    ['without text adds nothing to the final text', { thinking: 'Well.' }, 'There.'],
  ])('%s', async (_, unfinishedTurn, text) => {
    const globTurn = { text: 'Searching.', calls: [{ name: 'Glob', input: { pattern: '*' } }] }
    const script = [globTurn, { ...unfinishedTurn, stop: 'max_tokens' as const }, 'There.']
    const { end } = await tryQuery({ runtime: await createRuntimeIn(), script })
    expect(end.text).toBe(text)
  })
})

describe('an answer', () => {
  test('ends the query if it is a refusal', async () => {
    const script = [{ text: 'I will not.', stop: 'refusal' as const }]
    const { end } = await tryQuery({ runtime: await createRuntimeIn(), script })
    expect(end).toMatchObject({ reason: 'refused', text: 'I will not.' })
  })

  test('is continued if it pauses', async () => {
    const script = [{ text: 'A moment.', stop: 'pause' as const }, 'There.']
    const { end, requests } = await tryQuery({ runtime: await createRuntimeIn(), script })
    expect(end).toMatchObject({ reason: 'completed', text: 'There.' })
    expect(requests).toHaveLength(2)
  })

  test('is requested once more if it is empty', async () => {
    const { end, requests } = await tryQuery({ runtime: await createRuntimeIn(), script: [{}, 'There.'] })
    expect(end).toMatchObject({ reason: 'completed', text: 'There.' })
    expect(JSON.stringify(requests[1]?.messages)).toContain('Your last answer was empty')
  })

  test('ends the query if it is the second empty answer in a row', async () => {
    const { end, requests } = await tryQuery({
      runtime: await createRuntimeIn(),
      script: [{}, { thinking: 'hm' }, 'There.'],
    })
    expect(end).toMatchObject({ reason: 'completed', text: '' })
    expect(requests).toHaveLength(2)
  })
})

/** Replaces all messages with a note, a limited number of times. */
function createKeeper(maxRewrites: number): ContextKeeper & { readonly reasons: string[] } {
  let remainingRewrites = maxRewrites
  const reasons: string[] = []
  return {
    reasons,
    async keepWithinWindow({ reason, conversation, emit }) {
      reasons.push(reason)
      if (reason !== 'too_long' || remainingRewrites-- <= 0) return undefined
      conversation.rewrite([{ type: 'user', content: 'In short: do it.' }], 'compaction')
      emit({ type: 'messages-rewritten', cause: 'compaction', tokensBefore: 100, tokensAfter: 10 })
      return 'compaction'
    },
  }
}

describe('a conversation that exceeds the context window', () => {
  const tooLongError = fail('too_long', { message: 'prompt is too long' })
  const cutTurn = { text: 'I was at', stop: 'context_full' as const }

  test.each([
    ['refused', tooLongError],
    ['cut', cutTurn],
  ])('(%s) is shortened and continued', async (_, turn) => {
    const context = createKeeper(1)
    const { end, requests } = await tryQuery({ runtime: await createRuntimeIn(), script: [turn, 'There.'], context })

    expect(end).toMatchObject({ reason: 'completed', text: 'There.' })
    expect(JSON.stringify(requests[1]?.messages[0])).toContain('In short: do it.')
  })

  test.each([
    ['there is no context keeper', undefined],
    ['it cannot be shortened', createKeeper(0)],
    ['it never gets short enough', createKeeper(50)],
  ])('ends the query if %s', async (_, context) => {
    const { end, requests } = await tryQuery({
      runtime: await createRuntimeIn(),
      script: repeat(60, tooLongError),
      ...(context !== undefined && { context }),
    })
    expect(end).toMatchObject({ reason: 'context_full', message: 'prompt is too long' })
    expect(requests.length).toBeLessThan(6)
  })

  test('is prevented by a check before each request', async () => {
    const context = createKeeper(0)
    const call = { calls: [{ name: 'Glob', input: { pattern: '*' } }] }
    await tryQuery({ runtime: await createRuntimeIn(), script: [call, 'There.'], context })
    expect(context.reasons).toEqual(['before_request', 'before_request'])
  })
})

test('duplicate call ids in one message are made unique', async () => {
  const call = (pattern: string) => ({ name: 'Glob', input: { pattern }, id: 'same' })
  const conversation = new Conversation([{ type: 'user', content: 'Look.' }])
  const { requests, events } = await tryQuery({
    runtime: await createRuntimeIn(),
    script: [{ calls: [call('a'), call('b')] }, 'There.'],
    conversation,
  })

  const results = JSON.stringify(requests[1]?.messages.at(-1))
  expect(results).toMatch(/"tool_use_id":"same".*"tool_use_id":"same-2"/)
  const modelEvents = events.flatMap((event) => (event.type === 'model-event' ? [event.event] : []))
  expect(modelEvents.filter(({ type }) => type === 'block-ended').slice(0, 2)).toMatchObject([
    { block: { id: 'same' } },
    { block: { id: 'same-2' } },
  ])
})
