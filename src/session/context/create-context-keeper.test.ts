import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Message } from '../../contract/messages.js'
import type { ModelRequest } from '../../contract/model/model.js'
import type { ScriptStep } from '../../providers/scripted/script.js'
import { createRealRuntime, createTemporaryFolder, prompt, tryQuery } from '../../testing/query-fixture.js'
import { Conversation } from '../conversation/conversation.js'
import { createContextKeeper } from './create-context-keeper.js'

/** A small window, so that a few files fill it. */
const MODEL_FACTS = { contextWindow: 40_000, maxOutputTokens: 4_000 }

async function createFixture({ files = 26, chars = 4_000 } = {}) {
  const folder = await createTemporaryFolder()
  const paths = Array.from({ length: files }, (_, index) => join(folder, `${index}.txt`))
  await Promise.all(
    paths.map((path, index) => writeFile(path, `file ${index} words\n${'some words here\n'.repeat(chars / 16)}`)),
  )
  const reads = paths.map((file_path): ScriptStep => ({ calls: [{ name: 'Read', input: { file_path } }] }))
  return { folder, paths, reads }
}

function textOf(request: ModelRequest | undefined): string {
  return JSON.stringify(request?.messages)
}

test('the context keeper clears old results before the window is full, and keeps the latest', async () => {
  const { folder, reads } = await createFixture()
  const runtime = createRealRuntime(folder)

  const { end, events, requests } = await tryQuery({
    runtime,
    script: { turns: [...reads, 'Done.'], facts: MODEL_FACTS },
    context: createContextKeeper(),
  })

  expect(end.reason).toBe('completed')
  const rewrites = events.filter((event) => event.type === 'messages-rewritten')
  expect(rewrites.length).toBeGreaterThan(0)
  expect(rewrites.map(({ cause }) => cause)).not.toContain('compaction')
  expect(rewrites.every(({ tokensBefore, tokensAfter }) => tokensAfter < tokensBefore * 0.75)).toBe(true)
  expect(textOf(requests.at(-1))).toContain('was cleared to make room')
  expect(textOf(requests.at(-1))).toContain('file 25 words')
  expect(textOf(requests.at(-1))).not.toContain('file 0 words')
})

test('the context keeper counts results that were not sent yet, so that no request exceeds the window', async () => {
  const { folder, reads } = await createFixture({ files: 3, chars: 44_000 })

  const { end, requests } = await tryQuery({
    runtime: createRealRuntime(folder),
    script: { turns: [...reads, 'What was done.', 'Done.'], facts: MODEL_FACTS },
    context: createContextKeeper(),
  })

  expect(end).toMatchObject({ reason: 'completed', text: 'Done.' })
  const sizes = requests.map((request) => textOf(request).length / 4)
  // Only the request for the summary is larger, and it still leaves enough tokens for its answer.
  expect(sizes.filter((size) => size > (MODEL_FACTS.contextWindow - MODEL_FACTS.maxOutputTokens) * 0.85)).toHaveLength(
    1,
  )
})

test('tokens counted with one prompt are not counted again with the next', async () => {
  const { folder, reads } = await createFixture({ files: 2, chars: 36_000 })
  const runtime = createRealRuntime(folder)
  const conversation = new Conversation([prompt('Read them.')])
  const firstOutcome = await tryQuery({
    ...{ runtime, conversation, context: createContextKeeper() },
    script: { turns: [...reads, 'Done.'], facts: MODEL_FACTS },
  })
  conversation.add(prompt('And now?'))

  const { events, end } = await tryQuery({
    ...{ runtime, conversation, context: createContextKeeper() },
    ...(firstOutcome.end.counted !== undefined && { counted: firstOutcome.end.counted }),
    script: { turns: ['Nothing more.'], facts: MODEL_FACTS },
  })

  expect(end.counted?.usage.input).toBeGreaterThan(MODEL_FACTS.contextWindow / 2)
  expect(events.map(({ type }) => type)).not.toContain('messages-rewritten')
})

test('files whose results were cleared or summarised can be read again', async () => {
  const { folder, reads, paths } = await createFixture()
  const repeatedRead: ScriptStep = { calls: [{ name: 'Read', input: { file_path: paths[0] } }] }
  const runtime = createRealRuntime(folder)

  const { requests } = await tryQuery({
    runtime,
    script: { turns: [...reads, repeatedRead, 'Done.'], facts: MODEL_FACTS },
    context: createContextKeeper(),
  })

  expect(textOf(requests.at(-1))).toContain('file 0 words')
})

test('the context keeper summarises the conversation if clearing is not enough', async () => {
  const { folder } = await createFixture()
  const longTurns = Array.from({ length: 8 }, (_, index): ScriptStep => {
    return {
      text: `thoughts ${index} ${'words '.repeat(3_000)}`,
      calls: [{ name: 'Glob', input: { pattern: `${index}*` } }],
    }
  })
  const runtime = createRealRuntime(folder)

  const { end, events, requests, messages } = await tryQuery({
    runtime,
    conversation: new Conversation([prompt('Count the files.')]),
    script: {
      turns: [
        answerSummary(longTurns, 0),
        ...longTurns.map((_, index) => answerSummary(longTurns, index + 1)),
        'Done.',
        'Done.',
      ],
      facts: MODEL_FACTS,
    },
    context: createContextKeeper({
      state: () => ({ 'todo:list': [{ content: 'count', status: 'pending', activeForm: 'Counting' }] }),
    }),
  })

  expect(end.reason).toBe('completed')
  expect(events.flatMap((event) => (event.type === 'messages-rewritten' ? [event.cause] : []))).toContain('compaction')
  // The summary request is not part of the conversation, but its cost counts.
  const messageOutput = events.reduce(
    (sum, event) => sum + (event.type === 'message-added' ? (event.facts.usage?.output ?? 0) : 0),
    0,
  )
  expect(end.usage.output).toBeGreaterThan(messageOutput)
  const text = textOf(requests.at(-1))
  expect(text).toMatch(/THE SUMMARY.*todo list.*"content\\+":\\+"count.*Count the files\./s)
  expect(messages.filter(isUserMessage)).toEqual([{ type: 'user', content: 'Count the files.' }])
})

/** Returns a summary when asked for one, and otherwise continues the script. */
function answerSummary(script: readonly ScriptStep[], index: number): ScriptStep {
  return (request) => {
    if (textOf(request).includes('about to exceed your context window')) return 'THE SUMMARY'
    const step = script[index]
    return typeof step === 'object' ? step : 'Done.'
  }
}

function isUserMessage(message: Message): boolean {
  return message.type === 'user' && typeof message.content === 'string'
}

test('a failed summary changes nothing and is reported', async () => {
  const { folder } = await createFixture()
  const longTurn: ScriptStep = { text: 'words '.repeat(26_000), calls: [{ name: 'Glob', input: { pattern: '*' } }] }
  const runtime = createRealRuntime(folder)

  const { events, requests } = await tryQuery({
    runtime,
    script: {
      turns: [longTurn, { error: { kind: 'invalid_request', message: 'no summary today' } }, 'Done.'],
      facts: MODEL_FACTS,
    },
    context: createContextKeeper(),
  })

  expect(events).toContainEqual({
    type: 'notice',
    level: 'warning',
    text: expect.stringContaining('no summary today'),
  })
  expect(requests.at(-1)?.messages.slice(0, -1)).toEqual(
    requests[0]?.messages.concat(requests.at(-1)?.messages[1] ?? []),
  )
})

test('the context keeper summarises at once after the provider rejects the conversation as too long', async () => {
  const runtime = createRealRuntime(await createTemporaryFolder())

  const { end, requests } = await tryQuery({
    runtime,
    script: { turns: [{ error: { kind: 'too_long' } }, 'THE SUMMARY', 'Done.'], facts: MODEL_FACTS },
    context: createContextKeeper(),
  })

  expect(end).toMatchObject({ reason: 'completed', text: 'Done.' })
  expect(textOf(requests.at(-1))).toContain('THE SUMMARY')
})

test('the context keeper requests a summary with the same options, and retries temporary failures', async () => {
  const runtime = createRealRuntime(await createTemporaryFolder())
  const overloadedStep: ScriptStep = { error: { kind: 'overloaded', status: 529 } }
  const rateLimitStep: ScriptStep = { error: { kind: 'rate_limited', status: 429, retryAfterMs: 10 } }

  const { end, events, requests, delays } = await tryQuery({
    runtime,
    script: {
      turns: [{ error: { kind: 'too_long' } }, overloadedStep, rateLimitStep, 'THE SUMMARY', 'Done.'],
      facts: MODEL_FACTS,
    },
    context: createContextKeeper(),
    thinking: { type: 'enabled', budgetTokens: 2_000 },
    conversationId: 'c1',
  })

  expect(end).toMatchObject({ reason: 'completed', text: 'Done.' })
  expect(delays).toHaveLength(2)
  expect(events.filter(({ type }) => type === 'request-retried')).toHaveLength(2)
  const [refusedRequest, ...summaries] = requests.slice(0, 4)
  expect(refusedRequest?.builtInTools).toBeGreaterThan(0)
  for (const { messages, ...otherFields } of summaries)
    expect({ ...otherFields, messages: refusedRequest?.messages }).toEqual(refusedRequest)
})

test('the context keeper stops requesting a summary from a model that stays overloaded', async () => {
  const runtime = createRealRuntime(await createTemporaryFolder())
  const overloadedSteps = Array.from({ length: 8 }, (): ScriptStep => ({ error: { kind: 'overloaded' } }))

  const { end, delays } = await tryQuery({
    runtime,
    script: { turns: [{ error: { kind: 'too_long' } }, ...overloadedSteps, 'never asked for'], facts: MODEL_FACTS },
    context: createContextKeeper(),
  })

  expect(end.reason).toBe('context_full')
  expect(delays).toHaveLength(7)
})
