import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Message } from '../src/contract/messages.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import { Conversation } from '../src/session/conversation/conversation.js'
import { query } from '../src/session/loop/query.js'
import { restoreRuntime, trackRuntime } from '../src/session/transcript/resume/carry-state.js'
import { type ResumedSession, resumeSession } from '../src/session/transcript/resume/resume-session.js'
import { openTranscript } from '../src/session/transcript/write/open-transcript.js'
import type { Transcript } from '../src/session/transcript/write/transcript.js'
import { createRecordingModel, createTemporaryFolder } from '../src/testing/query-fixture.js'
import { builtInTools } from '../src/tools/index.js'

type Script = Parameters<typeof createRecordingModel>[0]

async function createFixture() {
  const folder = await createTemporaryFolder()
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  mkdirSync(project)
  const options = { home, projectRoot: project, cwd: project }

  function createRuntimeFor(transcript: Transcript): HaftRuntime {
    const runtime = createToolRuntime({
      tools: builtInTools,
      ...{ cwd: project, permissions: { mode: 'bypassPermissions' as const } },
      onEvent: transcript.onToolEvent,
      machine: { homeDir: home },
      policy: { isSandboxed: true },
      storage: { ...(transcript.resultsFolder !== undefined && { resultsDirectory: transcript.resultsFolder }) },
    })
    onTestFinished(() => runtime.dispose())
    trackRuntime(transcript, runtime)
    return runtime
  }

  /** Runs one prompt to its end. */
  async function runPrompt(transcript: Transcript, script: Script, resumedSession?: ResumedSession) {
    const runtime = createRuntimeFor(transcript)
    if (resumedSession !== undefined) restoreRuntime(runtime, resumedSession)
    const conversation = new Conversation(resumedSession?.messages ?? [], transcript.log)
    conversation.add({ type: 'user', content: 'Go on.' })
    const model = createRecordingModel(script)
    const { signal } = new AbortController()
    await query({ runtime, model, system: [], conversation, signal })
    transcript.close()
    return { requests: model.requests, messages: conversation.messages, runtime }
  }
  return {
    project,
    runtimeFor: createRuntimeFor,
    begin: (script: Script) => {
      const transcript = openTranscript(options)
      return runPrompt(transcript, script).then((outcome) => ({ ...outcome, transcript }))
    },
    async resumeAndAsk(session: string, script: Script) {
      const resumedSession = await resumeSession(session, options)
      return { ...(await runPrompt(resumedSession.transcript, script, resumedSession)), resumed: resumedSession }
    },
    resume: (session: string) => resumeSession(session, options),
    open: () => openTranscript(options),
  }
}

const LONG_CALL = { name: 'Bash', input: { command: 'seq 1 20000' } }

describe('a session that is resumed in another process', () => {
  test('sends the earlier messages byte for byte, including replaced results', async () => {
    const { begin, resumeAndAsk, project } = await createFixture()
    const first = await begin([
      { calls: [LONG_CALL, LONG_CALL] },
      { calls: [{ name: 'Glob', input: { pattern: '*' } }] },
      'Done.',
    ])
    const lastRequest = first.requests.at(-1)
    expect(JSON.stringify(lastRequest?.messages)).toMatch(/results\/.*\.txt/)
    writeFileSync(join(project, 'new'), '')

    const second = await resumeAndAsk(first.transcript.sessionId, ['Yes.'])

    const sentMessages = second.requests[0]?.messages.slice(0, lastRequest?.messages.length)
    expect(JSON.stringify(sentMessages)).toBe(JSON.stringify(lastRequest?.messages))
    expect(second.requests[0]?.tools).toEqual(lastRequest?.tools)
  })

  test('replaces a result with the same text even if its message was never written', async () => {
    const { open, resume, runtimeFor } = await createFixture()
    const transcript = open()
    const runtime = runtimeFor(transcript)
    const toolUse = { type: 'tool_use', id: 'long', ...LONG_CALL } as const
    const messages: readonly Message[] = [
      { type: 'user', content: 'Count' },
      { type: 'assistant', content: [toolUse] },
    ]
    for (const message of messages) transcript.log.messageAdded(message, {})
    const results = await runtime.run([toolUse]).results
    transcript.close()

    const resumedSession = await resume(transcript.sessionId)
    const resumedRuntime = runtimeFor(resumedSession.transcript)
    const preparedMessages = await resumedRuntime.prepareMessages(resumedSession.messages)
    resumedSession.transcript.close()

    expect(preparedMessages.at(-1)).toEqual({ type: 'user', content: results })
    expect(JSON.stringify(results)).toMatch(/results\/.*\.txt/)
  })

  test('keeps its read files, tools, todos and working directory', async () => {
    const { begin, resumeAndAsk, project } = await createFixture()
    mkdirSync(join(project, 'below'))
    writeFileSync(join(project, 'a.txt'), 'alpha\n')
    const todos = [{ content: 'Eat', status: 'pending', activeForm: 'Eating' }]
    const first = await begin([
      { calls: [{ name: 'Read', input: { file_path: join(project, 'a.txt') } }] },
      { calls: [{ name: 'ToolSearch', input: { query: 'select:TodoWrite' } }] },
      { calls: [{ name: 'TodoWrite', input: { todos } }] },
      { calls: [{ name: 'Bash', input: { command: 'cd below' } }] },
      'Done.',
    ])

    const edit = { file_path: join(project, 'a.txt'), old_string: 'alpha', new_string: 'beta' }
    const second = await resumeAndAsk(first.transcript.sessionId, [{ calls: [{ name: 'Edit', input: edit }] }, 'Done.'])

    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('beta\n')
    expect(second.requests[0]?.tools.map(({ name }) => name)).toContain('TodoWrite')
    expect(second.runtime.state.port.getAppState()['todo:list']).toEqual(todos)
    expect(second.resumed.cwd).toBe(join(project, 'below'))
    expect(second.resumed.mode).toBe('bypassPermissions')
  })

  test('does not treat a file as read if it has changed since it was read', async () => {
    const { begin, resumeAndAsk, project } = await createFixture()
    writeFileSync(join(project, 'a.txt'), 'alpha\n')
    const first = await begin([{ calls: [{ name: 'Read', input: { file_path: join(project, 'a.txt') } }] }, 'Done.'])
    writeFileSync(join(project, 'a.txt'), 'alpha by another\n')

    const edit = { file_path: join(project, 'a.txt'), old_string: 'alpha', new_string: 'beta' }
    await resumeAndAsk(first.transcript.sessionId, [{ calls: [{ name: 'Edit', input: edit }] }, 'Done.'])

    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('alpha by another\n')
  })
})
