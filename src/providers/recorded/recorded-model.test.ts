import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Model, ModelEvent, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import type { ScriptStep } from '../scripted/script.js'
import { createScriptedModel } from '../scripted/scripted-model.js'
import { loadRecordedModel, recordModel } from './recorded-model.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-recording-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

function createRequest(text: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return { system: ['system'], tools: [], builtInTools: 0, messages: [{ type: 'user', content: text }], ...changes }
}

interface Outcome {
  readonly events: ModelEvent[]
  readonly error?: Pick<ModelError, 'kind' | 'message' | 'status' | 'retryAfterMs'>
}

async function ask(model: Model, request: ModelRequest): Promise<Outcome> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream(request, { signal: new AbortController().signal })) events.push(event)
    return { events }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const { kind, message, status, retryAfterMs } = error
    return { events, error: { kind, message, status, retryAfterMs } }
  }
}

async function writeRecording(text: string): Promise<string> {
  const path = join(folder, 'recording.jsonl')
  await writeFile(path, text)
  return path
}

/** Returns the outcomes of the requests and the path of the recording. */
async function record(turns: readonly ScriptStep[], requests: readonly ModelRequest[]) {
  let text = ''
  const model = recordModel(createScriptedModel({ id: 'm', turns }), (line) => {
    text += line
  })
  const outcomes: Outcome[] = []
  for (const request of requests) outcomes.push(await ask(model, request))
  return { outcomes, text, path: await writeRecording(text) }
}

test('a recording of a model replays answers and errors', async () => {
  const turn = fc.oneof(
    fc.string(),
    fc.record(
      {
        thinking: fc.string(),
        text: fc.string(),
        calls: fc.array(fc.record({ name: fc.string(), input: fc.jsonValue() })),
      },
      { requiredKeys: [] },
    ),
    fc.record({
      text: fc.string(),
      cut: fc.boolean(),
      error: fc.record({
        kind: fc.constantFrom('overloaded', 'stream_cut'),
        status: fc.constant(529),
        retryAfterMs: fc.nat(),
      }),
    } as const),
  )

  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
      const requests = turns.map((_, index) => createRequest(`question ${index}`))
      const { outcomes, path } = await record(turns as ScriptStep[], requests)

      const replayedModel = await loadRecordedModel(path)
      const replayedOutcomes: Outcome[] = []
      for (const request of requests) replayedOutcomes.push(await ask(replayedModel, request))

      expect(replayedOutcomes).toEqual(outcomes)
      expect([replayedModel.id, replayedModel.provider, replayedModel.facts.contextWindow]).toEqual([
        'm',
        'recorded',
        200_000,
      ])
    }),
    createPropertyOptions(40),
  )
})

test('in a replay, concurrent agents get their own answers in any order', async () => {
  const [a, b] = [createRequest('a'), createRequest('b')]
  const { outcomes, path } = await record(['to a', 'to b'], [a, b])

  const replayedModel = await loadRecordedModel(path)

  expect([await ask(replayedModel, b), await ask(replayedModel, a)]).toEqual([outcomes[1], outcomes[0]])
})

test.each<[string, Partial<ModelRequest>, string]>([
  ['the system prompt', { system: ['other'] }, 'system[0] (part)'],
  ['an added tool', { tools: [{ name: 'Read', description: '', input_schema: {} }] }, 'tools[0] (Read, added)'],
  ['a message', { messages: [{ type: 'user', content: 'other' }] }, 'messages[0] (user)'],
  ['a missing message', { messages: [] }, 'messages[0] (user, missing)'],
])(
  'a request that differs in %s fails with a message that locates the difference, unless the mode is lenient',
  async (_, changes, place) => {
    const { outcomes, path } = await record(['hello'], [createRequest('a')])

    const strictOutcome = await ask(await loadRecordedModel(path), createRequest('a', changes))
    const lenientAnswer = await ask(await loadRecordedModel(path, { isLenient: true }), createRequest('a', changes))

    expect(strictOutcome.error).toMatchObject({
      kind: 'invalid_request',
      message: `The request differs from request 1 of the recording in ${place}. Record the conversation again.`,
    })
    expect(lenientAnswer).toEqual(outcomes[0])
  },
)

test('in a replay, a request after the last recorded one fails', async () => {
  const { path } = await record(['hello'], [createRequest('a')])
  const replayedModel = await loadRecordedModel(path, { isLenient: true })
  await ask(replayedModel, createRequest('a'))

  expect((await ask(replayedModel, createRequest('a'))).error?.message).toBe(
    'The recording contains no further request. Record the conversation again.',
  )
})

test('a request that was aborted is aborted in the replay', async () => {
  let text = ''
  const model = recordModel(createScriptedModel(['A long answer that is not read to its end']), (line) => {
    text += line
  })
  for await (const event of model.stream(createRequest('a'), { signal: new AbortController().signal })) {
    if (event.type === 'text-delta') break
  }

  const { events, error } = await ask(await loadRecordedModel(await writeRecording(text)), createRequest('a'))

  expect([events.map(({ type }) => type), error?.kind]).toEqual([['message-started', 'text-delta'], 'aborted'])
})

test('a recording that ends in the middle of a line replays as a cut stream', async () => {
  const { text } = await record(['A long answer of many words'], [createRequest('a')])
  const lines = text.split('\n')
  const path = await writeRecording(`${lines.slice(0, 3).join('\n')}\n${lines[3]?.slice(0, 10)}`)

  const { events, error } = await ask(await loadRecordedModel(path), createRequest('a'))

  expect([events.map(({ type }) => type), error?.kind]).toEqual([['message-started'], 'stream_cut'])
})

test.each([
  ['{\n', /^Recording recording\.jsonl: line 1 is not valid JSON$/],
  ['{"type":"event","request":1,"event":{"type":"odd"}}\n', /line 1 event: not a model event$/],
  ['{"type":"left","request":1}\n', /line 1 does not belong to an earlier request$/],
  ['\n', /the line that names the model is missing$/],
])('a recording that contains only %j is rejected with a one-line message', async (text, message) => {
  await expect(loadRecordedModel(await writeRecording(text))).rejects.toThrow(message)
  await expect(loadRecordedModel(join(folder, 'none'))).rejects.toThrow(/^Recording none could not be read: /)
})

test('a recording does not contain the content of requests', async () => {
  const { text } = await record(['hello'], [createRequest('my secret question')])

  expect(text).not.toContain('secret')
})
