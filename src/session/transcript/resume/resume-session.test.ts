import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../../contract/messages.js'
import { createPropertyOptions } from '../../../testing/property-runs.js'
import {
  createAllowedEvent,
  createAskedEvent,
  createAssistantMessage,
  createCallMessage,
  createEndedEvent,
  createQueuedEvent,
  createResult,
  createResultMessage,
  createSessionHome,
  createStartedEvent,
  createUserMessage,
  readLines,
  write,
} from '../../../testing/session-fixture.js'
import { toModelMessages } from '../../messages/to-model-messages.js'
import { userRequestOf } from '../../messages/user-request-of.js'

const CHECK_ADVICE = expect.stringContaining('Check before you repeat it')

describe('a saved session', () => {
  test('has the same messages after it is resumed, and continues the same file', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    const messagesBefore = [
      createUserMessage('Hello'),
      createCallMessage('a'),
      createResultMessage('a'),
      createAssistantMessage('Done.'),
    ]
    write(firstTranscript, ...messagesBefore)
    firstTranscript.close()

    const { transcript, messages, unfinished, notice } = await resume(firstTranscript.sessionId)
    expect([messages, unfinished, notice]).toEqual([messagesBefore, [], undefined])
    write(transcript, createUserMessage('More'))
    transcript.close()

    expect((await resume(firstTranscript.sessionId)).messages).toEqual([...messagesBefore, createUserMessage('More')])
  })

  test.each([
    ['a rewrite of excessive length', { type: 'messages-rewritten', parts: [4e9, [5e9, 0]], messages: [] }],
    ['a rewrite of infinite length', '{"type":"messages-rewritten","parts":[1e999,-1e999],"messages":[]}'],
    [
      'a text block without text',
      { type: 'message-added', from: 'user', message: { type: 'user', content: [{ type: 'text' }] } },
    ],
    [
      'a thinking block without text',
      { type: 'message-added', from: 'assistant', message: { type: 'assistant', content: [{ type: 'thinking' }] } },
    ],
    [
      'a result without content',
      {
        type: 'message-added',
        from: 'user',
        message: { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
      },
    ],
  ])('ignores %s', async (_, line) => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(firstTranscript, createUserMessage('Hello'), createAssistantMessage('Done.'))
    firstTranscript.close()
    appendFileSync(firstTranscript.path ?? '', `${typeof line === 'string' ? line : JSON.stringify(line)}\n`)

    const { messages } = await resume(firstTranscript.sessionId)

    expect(toModelMessages(messages)).toEqual(
      toModelMessages([createUserMessage('Hello'), createAssistantMessage('Done.')]),
    )
  })

  test('has the result of a call that ended before the results message was written', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(
      firstTranscript,
      createUserMessage('Hello'),
      createCallMessage('a', 'b'),
      createQueuedEvent('a'),
      createStartedEvent('a'),
      createEndedEvent('a'),
    )
    firstTranscript.close()

    const { messages, unfinished } = await resume(firstTranscript.sessionId)

    expect(messages.at(-1)).toEqual({
      type: 'user',
      content: [
        createResult('a'),
        { ...createResult('b'), content: expect.stringContaining('was not run'), is_error: true },
      ],
    })
    expect(unfinished).toEqual([{ toolUseId: 'b', toolName: 'Bash', outcome: 'unstarted' }])
  })

  test('informs the model and the user that an interrupted call may have taken effect', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(
      firstTranscript,
      createUserMessage('Hello'),
      createCallMessage('a'),
      createQueuedEvent('a'),
      createStartedEvent('a'),
    )
    firstTranscript.close()

    const { messages, notice } = await resume(firstTranscript.sessionId)

    expect(messages.at(-1)).toEqual({
      type: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: CHECK_ADVICE, is_error: true }],
    })
    expect(notice).toMatch(/Bash may or may not have taken effect/)
  })

  test('distinguishes a call that waited for permission from one that got it', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(
      firstTranscript,
      createUserMessage('Hello'),
      createCallMessage('a', 'b'),
      createQueuedEvent('a'),
      createStartedEvent('a'),
      createAskedEvent('a'),
    )
    write(
      firstTranscript,
      createQueuedEvent('b'),
      createStartedEvent('b'),
      createAskedEvent('b'),
      createAllowedEvent('b'),
    )
    firstTranscript.close()

    const { unfinished } = await resume(firstTranscript.sessionId)

    expect(unfinished.map(({ toolUseId, outcome }) => [toolUseId, outcome])).toEqual([
      ['a', 'asked'],
      ['b', 'started'],
    ])
  })

  test('does not mistake a permission question inside a running call for one about the call', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(
      firstTranscript,
      createUserMessage('Hello'),
      createCallMessage('a'),
      createQueuedEvent('a'),
      createStartedEvent('a'),
      createAllowedEvent('a'),
      createAskedEvent('a'),
    )
    firstTranscript.close()

    expect((await resume(firstTranscript.sessionId)).unfinished).toMatchObject([{ outcome: 'started' }])
  })

  test('reports calls that ran before their message was complete, once, and not as user text', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(
      firstTranscript,
      createUserMessage('Hello'),
      createQueuedEvent('a', { command: 'make' }),
      createStartedEvent('a'),
      createEndedEvent('a'),
      createQueuedEvent('b'),
      createStartedEvent('b'),
    )
    firstTranscript.close()

    const secondSession = await resume(firstTranscript.sessionId)
    const sentText = JSON.stringify(toModelMessages(secondSession.messages))
    expect(sentText).toMatch(/make.*result of a.*Check before you repeat it/)
    expect(secondSession.unfinished).toMatchObject([{ toolUseId: 'b', outcome: 'started' }])
    expect(userRequestOf(secondSession)).toBe('Hello')
    secondSession.transcript.close()

    const thirdSession = await resume(firstTranscript.sessionId)
    expect([thirdSession.messages, thirdSession.unfinished]).toEqual([secondSession.messages, []])
  })

  test('finds the right result if a provider restarts its ids in every turn', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(
      firstTranscript,
      createUserMessage('1'),
      createCallMessage('call_0'),
      createQueuedEvent('call_0'),
      createStartedEvent('call_0'),
      createEndedEvent('call_0'),
      createResultMessage('call_0'),
    )
    write(firstTranscript, createCallMessage('call_0'), createQueuedEvent('call_0'), createStartedEvent('call_0'))
    firstTranscript.close()

    const { messages } = await resume(firstTranscript.sessionId)

    expect(messages.at(-1)).toMatchObject({ content: [{ tool_use_id: 'call_0', content: CHECK_ADVICE }] })
  })

  test('restores a rewritten conversation without storing kept messages twice', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    const longMessage = createUserMessage('x'.repeat(100_000))
    const messages: readonly Message[] = [
      longMessage,
      createAssistantMessage('1'),
      createUserMessage('2'),
      createAssistantMessage('3'),
    ]
    write(firstTranscript, ...messages)
    const rewrittenMessages = [messages[0], createUserMessage('summary'), messages[2], messages[3]] as Message[]
    firstTranscript.log.messagesRewritten(rewrittenMessages, 'compaction')
    write(firstTranscript, createUserMessage('4'))
    firstTranscript.close()

    expect((await resume(firstTranscript.sessionId)).messages).toEqual([...rewrittenMessages, createUserMessage('4')])
    expect(statSync(firstTranscript.path ?? '').size).toBeLessThan(110_000)
  })

  test('restores state, read files, model, usage and title', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    const readFiles = new Map([['/a', { contentHash: '1', mtimeMs: 1 }]])
    const source = { entries: () => [...readFiles], get: () => undefined, set() {}, delete() {}, copy: () => source }
    let appState: Record<string, unknown> = { 'todo:list': [{ content: 'Eat' }], live: new Map() }
    firstTranscript.track({ readFiles: source, appState: () => appState, facts: () => ({ cwd: '/elsewhere' }) })
    write(firstTranscript, createUserMessage('First prompt\nof the session'))
    readFiles.set('/b', { contentHash: '2', mtimeMs: 2 }).delete('/a')
    appState = { plan: 'Plan' }
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
    for (const text of ['1', '2']) firstTranscript.log.messageAdded(createAssistantMessage(text), { model: 'm', usage })
    firstTranscript.onToolEvent({ type: 'mode-entered', at: 1, mode: 'plan' })
    firstTranscript.saveState('mine', { a: 1 })
    firstTranscript.close()

    const resumedSession = await resume(firstTranscript.sessionId)

    expect([...resumedSession.readFiles]).toEqual([['/b', { contentHash: '2', mtimeMs: 2 }]])
    expect(resumedSession).toMatchObject({
      ...{ appState: { plan: 'Plan' }, cwd: '/elsewhere', mode: 'plan', model: 'm' },
      ...{ title: 'First prompt of the session', state: { mine: { a: 1 } } },
      usage: { input: 2, output: 4, cacheRead: 6, cacheWrite: 8 },
    })
    expect(Object.keys(resumedSession.appState)).toEqual(['plan'])
  })

  test('leaves no file if there were no messages', async () => {
    const { open } = await createSessionHome()
    const transcript = open()
    transcript.saveState('mode', 'plan')
    transcript.close()

    expect(existsSync(transcript.path ?? '')).toBe(false)
  })

  test('is readable only by its user', async () => {
    const { open } = await createSessionHome()
    const transcript = open()
    write(transcript, createUserMessage('Secret'))

    const modes = [transcript.path ?? '', dirname(transcript.path ?? '')].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o600, 0o700])
  })

  test('records each sub-agent in a separate file', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(
      firstTranscript,
      createUserMessage('Hello'),
      createCallMessage('a'),
      createQueuedEvent('a'),
      createStartedEvent('a'),
    )
    firstTranscript.agentLog('../../evil').messageAdded(createUserMessage('Task'), {})
    for (const event of [createQueuedEvent('a'), createStartedEvent('a'), createEndedEvent('a')])
      firstTranscript.onToolEvent(event, { agentId: '../../evil' })
    firstTranscript.close()

    const files = (await import('node:fs')).readdirSync(
      join(dirname(firstTranscript.path ?? ''), firstTranscript.sessionId, 'agents'),
    )
    expect(files).toEqual([expect.stringMatching(/^_evil-[0-9a-f]{16}\.jsonl$/)])
    expect((await resume(firstTranscript.sessionId)).unfinished).toMatchObject([{ toolUseId: 'a', outcome: 'started' }])
  })
})

describe('a damaged transcript', () => {
  const steps = [
    createUserMessage('Hello ✂ 𝄞'),
    createCallMessage('a'),
    createQueuedEvent('a'),
    createStartedEvent('a'),
    createEndedEvent('a'),
    createResultMessage('a'),
    createAssistantMessage('Fin.'),
  ]

  test('loses only the torn last line, wherever it is torn, and can be continued', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open('torn')
    write(firstTranscript, ...steps)
    const wholeFile = readFileSync(firstTranscript.path ?? '')
    firstTranscript.close()
    const lastLine = wholeFile.lastIndexOf('\n', wholeFile.length - 2) + 1

    for (let size = lastLine; size < wholeFile.length; size++) {
      writeFileSync(firstTranscript.path ?? '', wholeFile.subarray(0, size))
      const isLineComplete = size === wholeFile.length - 1
      const expected = isLineComplete ? 4 : 3
      const resumedSession = await resume('torn')
      expect([size, resumedSession.messages.length]).toEqual([size, expected])
      write(resumedSession.transcript, createUserMessage('Continue'))
      resumedSession.transcript.close()
      const secondResumedSession = await resume('torn')
      secondResumedSession.transcript.close()
      expect(secondResumedSession.messages).toEqual([...resumedSession.messages, createUserMessage('Continue')])
    }
  })

  test('can be resumed wherever it is truncated, with every recorded result', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open('cut')
    write(firstTranscript, ...steps)
    const wholeFile = readFileSync(firstTranscript.path ?? '')
    firstTranscript.close()
    const callEndedLineEnd = wholeFile.indexOf('\n', wholeFile.indexOf('"call-ended"'))
    const firstLineEnd = wholeFile.indexOf('\n')
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: wholeFile.length }), async (size) => {
        writeFileSync(firstTranscript.path ?? '', wholeFile)
        truncateSync(firstTranscript.path ?? '', size)
        if (size < firstLineEnd) {
          await expect(resume('cut')).rejects.toThrow('has no readable entries')
          return
        }
        const { transcript, messages } = await resume('cut')
        transcript.close()
        expectValid(messages)
        if (size > callEndedLineEnd) expect(JSON.stringify(messages)).toContain('result of a')
      }),
      createPropertyOptions(),
    )
  })

  test('can be resumed whatever its lines contain', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open('wild')
    write(firstTranscript, ...steps, createUserMessage('Bye'))
    const lines = readFileSync(firstTranscript.path ?? '', 'utf8').split('\n')
    firstTranscript.close()
    const garbageLine = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom(
        '{"type":"message-added","from":"user","count":1e9,"at":1,"message":{"type":"user","content":"x"}}',
        '{"type":"message-added","from":"user","count":-1,"message":{"type":"user","content":[null]}}',
        '{"type":"messages-rewritten","cause":"x","count":1,"parts":[[0,1e12]],"messages":[]}',
        '{"type":"messages-rewritten","cause":"x","count":1,"parts":[1e12,[-5,3],"x"],"messages":[]}',
        '{"type":"from-the-future","at":1,"value":{"a":[1]}}',
        '{"type":"call-ended","toolUseId":"a","at":1,"result":null}',
        '{"type":"state","key":"__proto__","value":{"polluted":true}}',
        '{"type":"read-files","changed":[[1,2],["/a",null],["/a",{}]],"gone":7}',
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(lines.length), garbageLine, fc.boolean()), { maxLength: 6 }),
        async (changes) => {
          const changedLines = [...lines]
          for (const [at, text, shouldReplace] of changes)
            changedLines.splice(at, shouldReplace ? 1 : 0, text.replaceAll('\n', ' '))
          writeFileSync(firstTranscript.path ?? '', `${changedLines.join('\n')}\n`)
          const { transcript, messages } = await resume('wild')
          transcript.close()
          expectValid(messages)
          const secondResumedSession = await resume('wild')
          secondResumedSession.transcript.close()
          expect(secondResumedSession.messages).toEqual(messages)
        },
      ),
      createPropertyOptions(),
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('counts a line once if a full disk tore it and it was written again', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(firstTranscript, createUserMessage('Hello'), createAssistantMessage('A long answer'))
    const text = readFileSync(firstTranscript.path ?? '', 'utf8')
    firstTranscript.close()
    const lastLine = text.slice(text.lastIndexOf('\n', text.length - 2) + 1)
    writeFileSync(firstTranscript.path ?? '', text.replace(lastLine, `${lastLine.slice(0, -3)}\n${lastLine}`))

    const { transcript, messages } = await resume(firstTranscript.sessionId)
    transcript.log.messagesRewritten([...messages.slice(1)], 'compaction')
    transcript.close()

    expect(messages).toEqual([createUserMessage('Hello'), createAssistantMessage('A long answer')])
    expect((await resume(firstTranscript.sessionId)).messages).toEqual([createAssistantMessage('A long answer')])
  })

  test('is rejected if a newer version of Haft wrote it', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(firstTranscript, createUserMessage('Hello'))
    firstTranscript.close()
    const text = readFileSync(firstTranscript.path ?? '', 'utf8')
    writeFileSync(firstTranscript.path ?? '', text.replace('"version":1', '"version":2'))

    await expect(resume(firstTranscript.sessionId)).rejects.toThrow(/newer version of Haft/)
    writeFileSync(firstTranscript.path ?? '', text)
    await expect(resume(firstTranscript.sessionId)).resolves.toBeDefined()
  })

  test('reports the outcome of calls as unknown if lines could not be written', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(firstTranscript, createUserMessage('Hello'), createCallMessage('a'))
    firstTranscript.close()
    writeFileSync((firstTranscript.path ?? '').replace('.jsonl', '.gap'), '')

    const { unfinished, messages } = await resume(firstTranscript.sessionId)

    expect(unfinished).toMatchObject([{ outcome: 'unknown' }])
    expect(messages.at(-1)).toMatchObject({ content: [{ content: CHECK_ADVICE }] })
  })
})

describe('a session id', () => {
  test.each(['../../etc/passwd', '..', '', 'a/b', 'a\0b', '.hidden', 'x'.repeat(101), 'con:1', 'é'])(
    'cannot be %j',
    async (id) => {
      const { open, resume } = await createSessionHome()

      expect(() => open(id)).toThrow(/is not a valid session id/)
      await expect(resume(id)).rejects.toThrow()
    },
  )

  test('creates no files if the session does not exist', async () => {
    const { resume, home } = await createSessionHome()

    await expect(resume(join(home, 'none', 'session.jsonl'))).rejects.toThrow(/does not exist/)
    expect(existsSync(join(home, 'none'))).toBe(false)
  })

  test('cannot be reused for a new session', async () => {
    const { open } = await createSessionHome()
    const firstTranscript = open('mine')
    write(firstTranscript, createUserMessage('Hello'))
    firstTranscript.close()

    expect(() => open('mine')).toThrow(/--resume mine/)
  })

  test('is rejected if the transcript is a symbolic link, whose target stays unchanged', async () => {
    const { open, resume } = await createSessionHome()
    const firstTranscript = open()
    write(firstTranscript, createUserMessage('Hello'))
    firstTranscript.close()
    const target = join(dirname(firstTranscript.path ?? ''), '..', 'target')
    writeFileSync(target, 'unchanged')
    symlinkSync(target, (firstTranscript.path ?? '').replace(firstTranscript.sessionId, 'linked'))
    await expect(resume('linked')).rejects.toThrow(/no session|cannot be read/)
    await expect(resume((firstTranscript.path ?? '').replace(firstTranscript.sessionId, 'linked'))).rejects.toThrow(
      /cannot be read/,
    )

    expect(readFileSync(target, 'utf8')).toBe('unchanged')
  })

  test('is found in another project, and rejected if it is unknown', async () => {
    const fixture = await createSessionHome()
    const firstTranscript = fixture.open()
    write(firstTranscript, createUserMessage('Hello'))
    firstTranscript.close()
    const { resumeSession } = await import('./resume-session.js')

    const resumedSession = await resumeSession(firstTranscript.sessionId, {
      home: fixture.home,
      projectRoot: '/other',
      cwd: '/other',
    })
    resumedSession.transcript.close()
    expect(resumedSession.messages).toEqual([createUserMessage('Hello')])
    await expect(fixture.resume('unknown')).rejects.toThrow(/no session unknown/)
  })
})

test('a call is recorded before it runs, with its input only if its message is not written yet', async () => {
  const { open } = await createSessionHome()
  const transcript = open()
  write(
    transcript,
    createUserMessage('Hello'),
    createQueuedEvent('a'),
    createStartedEvent('a'),
    createCallMessage('a', 'b'),
    createQueuedEvent('b'),
    createStartedEvent('b'),
  )
  appendFileSync(transcript.path ?? '', '')

  expect(readLines(transcript).filter(({ type }) => type === 'call-started')).toEqual([
    { type: 'call-started', toolUseId: 'a', at: 2, toolName: 'Bash', queuedAt: 1, input: { command: 'a' } },
    { type: 'call-started', toolUseId: 'b', at: 2, toolName: 'Bash', queuedAt: 1 },
  ])
})

/** Providers require exactly one result per call, in the next message, and a call before each result. */
function expectValid(messages: readonly Message[]): void {
  for (const [at, message] of messages.entries()) {
    if (message.type !== 'assistant') continue
    const nextIndex = messages.findIndex(({ type }, index) => index > at && type === 'assistant')
    const messagesBetween = messages.slice(at + 1, nextIndex === -1 ? undefined : nextIndex)
    const results = messagesBetween.flatMap((laterMessage) =>
      laterMessage.type === 'user' && typeof laterMessage.content !== 'string'
        ? laterMessage.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
        : [],
    )
    const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    expect(new Set(results)).toEqual(new Set(calls))
  }
}
