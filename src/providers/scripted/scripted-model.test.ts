import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Model, ModelEvent, ModelMessage, ModelRequest } from '../../contract/model/model.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { loadScriptedModel } from './load-scripted-model.js'
import { resultsOf, type ScriptStep, type ScriptTurn } from './script.js'
import { createScriptedModel } from './scripted-model.js'

const signal = new AbortController().signal

function createRequest(...messages: ModelMessage[]): ModelRequest {
  return { system: ['system'], tools: [], builtInTools: 0, messages }
}

const HELLO_REQUEST = createRequest({ type: 'user', content: 'Hello' })

async function collectEvents(model: Model, request = HELLO_REQUEST): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, { signal })) events.push(event)
  return events
}

/** Returns the error of a request and the events before it. */
async function getFailure(model: Model): Promise<{ events: ModelEvent[]; error: unknown }> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream(HELLO_REQUEST, { signal })) events.push(event)
  } catch (error) {
    return { events, error }
  }
  throw new Error('The stream did not fail.')
}

test('a scripted model streams a turn in small deltas that are the same every time', async () => {
  const turn: ScriptTurn = {
    thinking: 'Hm',
    text: 'I look.',
    calls: [{ name: 'Read', input: { file_path: '/a' } }, { name: 'TodoRead' }],
    usage: { output: 7 },
  }
  const script = { turns: [turn], pieceLength: 5 }

  const events = await collectEvents(createScriptedModel(script))

  expect(events).toEqual([
    { type: 'message-started', id: '1_1', model: 'scripted' },
    { type: 'thinking-delta', text: 'Hm' },
    { type: 'block-ended', block: { type: 'thinking', thinking: 'Hm' } },
    { type: 'text-delta', text: 'I loo' },
    { type: 'text-delta', text: 'k.' },
    { type: 'block-ended', block: { type: 'text', text: 'I look.' } },
    { type: 'call-begun', id: 'call_1_1_1', name: 'Read' },
    { type: 'input-delta', id: 'call_1_1_1', json: '{"fil' },
    { type: 'input-delta', id: 'call_1_1_1', json: 'e_pat' },
    { type: 'input-delta', id: 'call_1_1_1', json: 'h":"/' },
    { type: 'input-delta', id: 'call_1_1_1', json: 'a"}' },
    { type: 'block-ended', block: { type: 'tool_use', id: 'call_1_1_1', name: 'Read', input: { file_path: '/a' } } },
    { type: 'call-begun', id: 'call_1_1_2', name: 'TodoRead' },
    { type: 'input-delta', id: 'call_1_1_2', json: '{}' },
    { type: 'block-ended', block: { type: 'tool_use', id: 'call_1_1_2', name: 'TodoRead', input: {} } },
    { type: 'message-ended', stopReason: 'tool_use', usage: expect.objectContaining({ output: 7, cacheRead: 0 }) },
  ])
  expect(await collectEvents(createScriptedModel(script))).toEqual(events)
})

test('a script function can use the results in the request', async () => {
  const model = createScriptedModel([
    { calls: [{ name: 'Read', id: 'a' }] },
    (request) => `It says ${JSON.stringify(resultsOf(request))}`,
  ])
  await collectEvents(model)

  const events = await collectEvents(
    model,
    createRequest({
      type: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'no file' }], is_error: true },
        { type: 'text', text: 'reminder' },
      ],
    }),
  )

  const text = 'It says [{"id":"a","text":"no file","isError":true}]'
  expect(events).toContainEqual({ type: 'block-ended', block: { type: 'text', text } })
})

test('each sub-agent gets its own turns, whatever the order of requests', async () => {
  const model = createScriptedModel({
    turns: ['main 1', 'main 2'],
    conversations: [{ opening: 'count the files', turns: ['sub 1', 'sub 2'] }],
  })
  const sub = createRequest({ type: 'user', content: [{ type: 'text', text: 'Please count the files' }] })

  const texts: unknown[] = []
  for (const request of [HELLO_REQUEST, sub, sub, HELLO_REQUEST])
    texts.push(textIn(await collectEvents(model, request)))

  expect(texts).toEqual(['main 1', 'sub 1', 'sub 2', 'main 2'])
})

function textIn(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

describe('in a scripted model,', () => {
  test('a message cut at the output limit ends with a cut call', async () => {
    const model = createScriptedModel([
      { text: 'Now', calls: [{ name: 'Write', input: { a: 1 }, id: 'w' }], cut: true },
    ])

    expect((await collectEvents(model)).slice(2)).toEqual([
      { type: 'block-ended', block: { type: 'text', text: 'Now' } },
      { type: 'call-begun', id: 'w', name: 'Write' },
      { type: 'input-delta', id: 'w', json: '{"a' },
      { type: 'call-cut', id: 'w', name: 'Write' },
      { type: 'message-ended', stopReason: 'max_tokens', usage: expect.anything() },
    ])
  })

  test('an error before any output is followed by the next turn', async () => {
    const model = createScriptedModel([{ error: { kind: 'rate_limited', status: 429, retryAfterMs: 20 } }, 'There'])

    const { events, error } = await getFailure(model)

    expect(events).toEqual([])
    expect(error).toMatchObject({ kind: 'rate_limited', status: 429, retryAfterMs: 20 })
    expect(textIn(await collectEvents(model))).toBe('There')
  })

  test('a stream can break in the middle of a call', async () => {
    const model = createScriptedModel([
      { calls: [{ name: 'Write', json: '{"a":1}' }], cut: true, error: { kind: 'stream_cut' } },
    ])

    const { events, error } = await getFailure(model)

    expect(events.map(({ type }) => type)).toEqual(['message-started', 'call-begun', 'input-delta'])
    expect(error).toMatchObject({ kind: 'stream_cut' })
  })

  test('invalid JSON input is passed on as a string', async () => {
    const events = await collectEvents(createScriptedModel([{ calls: [{ name: 'Write', json: '{"a":', id: 'w' }] }]))

    expect(events).toContainEqual({
      type: 'block-ended',
      block: { type: 'tool_use', id: 'w', name: 'Write', input: '{"a":' },
    })
  })

  test('a request after the last turn returns an answer or fails, as the script specifies', async () => {
    expect(textIn(await collectEvents(createScriptedModel([])))).toBe('The script has no more turns.')
    const { error } = await getFailure(createScriptedModel({ turns: [], afterwards: 'error' }))
    expect(error).toMatchObject({ kind: 'invalid_request', message: 'The script has no more turns.' })
  })

  test('an aborted request yields no more events', async () => {
    const controller = new AbortController()
    const events: ModelEvent[] = []

    const readPromise = (async () => {
      for await (const event of createScriptedModel(['A longer text']).stream(HELLO_REQUEST, {
        signal: controller.signal,
      })) {
        events.push(event)
        controller.abort()
      }
    })()

    await expect(readPromise).rejects.toMatchObject({ kind: 'aborted' })
    expect(events).toHaveLength(1)
  })
})

test('a scripted model produces the same blocks for any delta length, and the deltas add up to them', async () => {
  const text = fc.string({ unit: 'binary', minLength: 1 })
  const turn = fc.record(
    { thinking: text, text, calls: fc.array(fc.record({ name: text, input: fc.jsonValue() })) },
    { requiredKeys: [] },
  )

  await fc.assert(
    fc.asyncProperty(turn, fc.integer({ min: 1, max: 50 }), async (turn, pieceLength) => {
      const wholeEvents = await collectEvents(createScriptedModel({ turns: [turn], pieceLength: 1_000_000 }))
      const pieces = await collectEvents(createScriptedModel({ turns: [turn], pieceLength }))

      expect(selectEnds(pieces)).toEqual(selectEnds(wholeEvents))
      expect(joinDeltas(pieces)).toEqual(joinDeltas(wholeEvents))
    }),
    createPropertyOptions(100),
  )
})

function selectEnds(events: readonly ModelEvent[]): ModelEvent[] {
  return events.filter(({ type }) => type === 'block-ended' || type === 'message-ended')
}

function joinDeltas(events: readonly ModelEvent[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const event of events) {
    if (event.type === 'input-delta') texts[event.id] = (texts[event.id] ?? '') + event.json
    if (event.type === 'text-delta' || event.type === 'thinking-delta') {
      texts[event.type] = (texts[event.type] ?? '') + event.text
    }
  }
  return texts
}

describe('the script file', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'haft-script-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
  })

  async function writeScript(name: string, text: string): Promise<string> {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }

  test.each([
    ['list.json', '["First", {"text": "Second"}]'],
    ['object.json', '\ufeff{"id": "x", "turns": ["First", {"text": "Second"}]}'],
    ['lines.jsonl', '"First"\n\n{"text": "Second"}\n'],
    ['module.mjs', 'export const script = ["First", (request) => `Second`]'],
    ['default.mjs', 'export default { turns: ["First", async () => ({ text: "Second" })] }'],
  ])('%s is loaded as a model', async (name, text) => {
    const model = await loadScriptedModel(await writeScript(name, text))

    expect([textIn(await collectEvents(model)), textIn(await collectEvents(model))]).toEqual(['First', 'Second'])
  })

  test.each([
    ['bad.json', '[', /^Script bad\.json: invalid JSON: /],
    ['bad.jsonl', '"a"\n{', /^Script bad\.jsonl: line 2: invalid JSON: /],
    ['field.json', '["a", {"calls": [{"nam": "Read"}]}]', /^Script field\.json: turns\[1\]\.calls\[0\]\.name: /],
    ['kind.json', '[{"error": {"kind": "odd"}}]', /^Script kind\.json: turns\[0\]\.error\.kind: .*rate_limited/],
    ['both.json', '[{"calls": [{"name": "A", "input": {}, "json": ""}]}]', /calls\[0\]: has both/],
    ['none.json', '{}', /^Script none\.json: turns: /],
    ['none.mjs', 'export const other = []', /does not export `script`/],
    ['throws.mjs', 'throw new Error("first\\nsecond")', /^Script throws\.mjs: first$/],
    ['text.txt', '', /must end with/],
  ])('%s is rejected with a one-line message that locates the problem', async (name, text, message) => {
    const path = await writeScript(name, text)

    const error: unknown = await loadScriptedModel(path).catch((error: unknown) => error)

    expect(error).toMatchObject({ name: 'ModelError', message: expect.stringMatching(message) })
    expect((error as Error).message).not.toContain('\n')
  })

  test('of a scripted model is rejected if it is missing', async () => {
    await expect(loadScriptedModel(join(folder, 'missing.json'))).rejects.toThrow(
      /^Script missing\.json could not be read: ENOENT/,
    )
  })

  test('of a scripted model fails with an error if one of its functions returns an invalid turn', async () => {
    const model = createScriptedModel([(() => ({ texts: 1 })) as unknown as ScriptStep])

    await expect(collectEvents(model)).rejects.toThrow(/^Result of a script function: turns\[0\]: /)
  })
})
