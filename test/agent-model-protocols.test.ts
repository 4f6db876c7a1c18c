import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAnthropicFrames } from '../src/testing/models/server/anthropic-frames.js'
import { createChatFrames } from '../src/testing/models/server/chat-frames.js'
import type { ServerPart, ServerTurn } from '../src/testing/models/server/server-turn.js'
import { startModelServer } from '../src/testing/models/server/start-model-server.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { file, run } = createHeadlessFixture()

const use = (name: string, input: object): ServerPart => ({ call: name, input })
const append = (line: string) => use('Bash', { command: `echo ${line} >> log; echo appended ${line}` })
const answerWith = (text: string): ServerTurn => ({ parts: [{ text }] })
const overloadedEvent = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
const RETRY_AFTER_HEADERS = { 'retry-after-ms': '20' }

describe.each(['anthropic', 'openai'] as const)('haft -p through the %s SDK', (type) => {
  test('reads a file and answers with its content', async () => {
    const { outcome, bodies } = await converse([
      { parts: [{ text: 'I look.' }, use('Read', { file_path: 'a.txt' })] },
      answerWith('alpha'),
    ])

    expect(outcome).toEqual({ code: 0, stdout: 'alpha\n', stderr: '' })
    expect(bodies).toHaveLength(2)
    expect(bodies[1]).toContain('1\\talpha')
  })

  test('runs ten calls of one message that arrive one character at a time and returns their results in order', async () => {
    const parts = Array.from({ length: 10 }, (_, index) => use('Grep', { pattern: 'alpha|ß', glob: `*${index}.txt` }))

    const { outcome, bodies } = await converse([{ parts, pieceSize: 1, chunkSize: 7 }, answerWith('Ten.')])

    expect(outcome).toEqual({ code: 0, stdout: 'Ten.\n', stderr: '' })
    const ids = [...(bodies[1] ?? '').matchAll(/"(?:tool_use_id|tool_call_id)":"([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(parts.map((_, index) => (type === 'anthropic' ? `toolu_0_${index}` : `call_0_${index}`)))
  })

  test('reports a refusal of the model', async () => {
    const { outcome } = await converse([{ parts: [{ text: 'No.' }], stopReason: 'refusal' }])

    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/^haft: [^\n]+\n$/) })
  })

  test('does not run a call that was truncated by the output limit, and informs the model', async () => {
    const truncatedCall = { call: 'Write', json: '{"file_path":"b.txt","content":"hal' }

    const { outcome, bodies } = await converse([
      { parts: [truncatedCall], stopReason: 'max_tokens' },
      answerWith('Smaller, then.'),
    ])

    expect(outcome).toMatchObject({ code: 0, stdout: 'Smaller, then.\n' })
    expect(bodies[1]).toContain('in the middle of a call of Write')
    expect(existsSync(file('b.txt'))).toBe(false)
  })

  test.each([429, 529])('retries after status %i, with the delay that the server requests', async (status) => {
    const { outcome, bodies } = await converse([
      { status, headers: RETRY_AFTER_HEADERS, body: overloadedEvent },
      answerWith('Now.'),
    ])

    expect(outcome).toEqual({
      code: 0,
      stdout: 'Now.\n',
      stderr: expect.stringMatching(/^haft: [^\n]+Retrying[^\n]+\n$/),
    })
    expect(bodies[1]).toBe(bodies[0])
  })

  test('runs the complete calls once if the connection breaks in the middle of a later call', async () => {
    const completeTurn: ServerTurn = { parts: [append('one'), append('two')] }
    const frames = type === 'anthropic' ? createAnthropicFrames : createChatFrames
    const cutOffset = [...frames(completeTurn, 'claude-local', 0)].join('').indexOf('echo two') + 'echo t'.length

    const { outcome, bodies } = await converse([
      { ...completeTurn, cutAfter: cutOffset },
      { parts: [append('three')] },
      answerWith('Done.'),
    ])

    expect(outcome).toMatchObject({ code: 0, stdout: 'Done.\n' })
    expect(readFileSync(file('log'), 'utf8')).toBe('one\nthree\n')
    expect(bodies[1]).toContain('appended one')
    expect(bodies[1]).not.toContain('echo two')
  })

  test('runs the complete calls once if an error arrives in the middle of the stream', async () => {
    const parts = [append('one'), append('two'), { error: overloadedEvent.error }]

    const { outcome, bodies } = await converse([{ parts }, { parts: [append('three')] }, answerWith('Done.')])

    expect(outcome).toMatchObject({ code: 0, stdout: 'Done.\n' })
    // Whether the last call was complete depends on the protocol. The next request tells the model which calls ran.
    const lines = readFileSync(file('log'), 'utf8').trim().split('\n')
    expect(lines).toEqual(type === 'anthropic' ? ['one', 'two', 'three'] : ['one', 'three'])
    for (const line of lines.slice(0, -1)) expect(bodies[1]).toContain(`appended ${line}`)
  })

  if (type === 'anthropic')
    test('sends signed thinking back unchanged', async () => {
      const thinking = { thinking: 'Hm.', signature: 'by-the-model' }

      const { bodies } = await converse([
        { parts: [thinking, use('Read', { file_path: 'a.txt' })] },
        answerWith('Done.'),
      ])

      expect(bodies[1]).toContain('{"type":"thinking","thinking":"Hm.","signature":"by-the-model"}')
    })

  async function converse(turns: readonly ServerTurn[]) {
    const server = await startModelServer(turns)
    onTestFinished(() => server.close())
    const baseUrl = type === 'openai' ? `${server.url}/v1` : server.url
    const settings = { providers: { local: { type, baseUrl, apiKey: 'key' } } }
    const args = [
      '--settings',
      JSON.stringify(settings),
      '--model',
      'local/claude-local',
      '--allowed-tools',
      'Bash,Edit(*)',
    ]
    const outcome = await run(['-p', 'Go', ...args])
    return { outcome, bodies: server.requests.map(({ body }) => JSON.stringify(body)) }
  }
})
