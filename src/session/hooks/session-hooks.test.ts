import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HookEvent } from '../../hooks/config/hook-events.js'
import type { Script, ScriptStep } from '../../providers/scripted/script.js'
import type { ToolRuntimeOptions } from '../../runtime/options.js'
import {
  createRealRuntime,
  createRecordingModel,
  createTemporaryFolder,
  recordAsk,
} from '../../testing/query-fixture.js'
import type { SessionEvent } from '../conversation/session-event.js'
import { Session, type SessionOptions } from '../session.js'

interface HookFixture {
  readonly folder: string
  readonly session: Session
  readonly requests: ReturnType<typeof createRecordingModel>['requests']
  /** The inputs that the hooks of an event received, in order. */
  readReceivedInputs(event: HookEvent): Promise<readonly Record<string, unknown>[]>
}

/** A session whose hooks are real commands. Each records its input and prints the given answer. */
async function createFixture(
  answers: Readonly<Partial<Record<HookEvent, string>>>,
  script: Script | readonly ScriptStep[],
  {
    runtime: runtimeOptions,
    ...options
  }: { runtime?: Partial<ToolRuntimeOptions> } & Partial<Omit<SessionOptions, 'runtime'>> = {},
): Promise<HookFixture> {
  const folder = await createTemporaryFolder()
  const hooks = Object.fromEntries(
    Object.entries(answers).map(([event, answer]) => {
      const command = `cat >> ${folder}/${event}.log; echo >> ${folder}/${event}.log; ${answer}`
      return [event, [{ hooks: [{ type: 'command', command }] }]]
    }),
  )
  const runtime = createRealRuntime(folder, {
    hooks,
    ...runtimeOptions,
    conversation: { sessionId: 'sid', transcriptPath: '/t.jsonl' },
  })
  const model = createRecordingModel(script)
  return {
    folder,
    session: new Session({ runtime, system: [], ...options, model }),
    requests: model.requests,
    async readReceivedInputs(event) {
      const text = await readFile(join(folder, `${event}.log`), 'utf8').catch(() => '')
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    },
  }
}

const printAnswer = (answer: object) => `echo '${JSON.stringify(answer)}'`
const listNotices = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [`${event.level}: ${event.text}`] : []))

describe('a SessionStart hook', () => {
  test.each(['startup', 'resume', 'clear'] as const)(
    'receives the source (%s) once and adds context',
    async (source) => {
      const { session, requests, readReceivedInputs, folder } = await createFixture(
        { SessionStart: 'echo Branch: main' },
        ['One.', 'Two.'],
        {
          source,
        },
      )

      await recordAsk(session, 'Hi')
      await recordAsk(session, 'Again')

      expect(await readReceivedInputs('SessionStart')).toEqual([
        {
          session_id: 'sid',
          transcript_path: '/t.jsonl',
          cwd: folder,
          permission_mode: 'acceptEdits',
          hook_event_name: 'SessionStart',
          source,
        },
      ])
      expect(JSON.stringify(requests[0]?.messages)).toContain('Context from the SessionStart hook:\\nBranch: main')
    },
  )

  test('can end the session before it starts', async () => {
    const answer = printAnswer({ continue: false, stopReason: 'Closed.' })
    const { session, requests } = await createFixture({ SessionStart: answer }, ['One.'])

    const { end } = await recordAsk(session, 'Hi')

    expect(end).toMatchObject({ reason: 'stopped_by_hook', message: 'Closed.', turns: 0 })
    expect(requests).toEqual([])
  })

  test('runs after a compaction and adds context to the compacted conversation', async () => {
    let isDone = false
    const { session, requests, readReceivedInputs } = await createFixture(
      { SessionStart: 'echo Follow the style guide.' },
      ['One.'],
      {
        context: {
          async keepWithinWindow({ conversation, emit }) {
            if (isDone) return undefined
            isDone = true
            conversation.rewrite([{ type: 'user', content: 'In short: hi.' }], 'compaction')
            emit({ type: 'messages-rewritten', cause: 'compaction', tokensBefore: 9, tokensAfter: 1 })
            return 'compaction'
          },
        },
      },
    )

    await recordAsk(session, 'Hi')

    expect((await readReceivedInputs('SessionStart')).map(({ source }) => source)).toEqual(['startup', 'compact'])
    expect(JSON.stringify(requests[0]?.messages)).toMatch(/In short: hi\..*Follow the style guide\./)
  })
})

describe('a UserPromptSubmit hook', () => {
  test('receives the prompt and adds context to it', async () => {
    const answer = printAnswer({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Monday.' },
    })
    const { session, requests, readReceivedInputs } = await createFixture({ UserPromptSubmit: answer }, ['One.'])

    await recordAsk(session, [{ type: 'text', text: 'What day is it?' }])

    expect(await readReceivedInputs('UserPromptSubmit')).toMatchObject([
      { prompt: 'What day is it?', session_id: 'sid' },
    ])
    expect(requests[0]?.messages[0]).toMatchObject({
      content: [{ text: 'What day is it?' }, { text: expect.stringContaining('Monday.') }, ...[expect.anything()]],
    })
  })

  test.each([
    ['exit 2', `echo 'No secrets.' >&2; exit 2`],
    ['a decision', printAnswer({ decision: 'block', reason: 'No secrets.' })],
    ['a request to stop', printAnswer({ continue: false, stopReason: 'No secrets.' })],
  ])('blocks a prompt with %s, and the result contains the reason for the user', async (_, answer) => {
    const { session, requests } = await createFixture({ UserPromptSubmit: answer }, ['One.'])

    const { end, events } = await recordAsk(session, 'My password is 1234')

    expect(end).toMatchObject({ reason: 'stopped_by_hook', message: 'The prompt was not sent. No secrets.' })
    expect(listNotices(events)).toEqual([])
    expect(requests).toEqual([])
    expect(session.conversation.messages).toEqual([])
  })

  test('prevents the prompt from being sent if the hook is interrupted', async () => {
    const { session, requests, folder } = await createFixture({ UserPromptSubmit: 'touch began; sleep 60' }, ['One.'])
    const controller = new AbortController()
    const pendingAsk = recordAsk(session, 'Hi', { signal: controller.signal })
    await expect
      .poll(() =>
        readFile(join(folder, 'began')).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)

    controller.abort()

    expect((await pendingAsk).end.reason).toBe('interrupted')
    expect(session.conversation.messages).toEqual([])
    expect(requests).toEqual([])
  })

  test('does not prevent the prompt if the hook fails, and warns the user', async () => {
    const { session } = await createFixture({ UserPromptSubmit: 'echo broken >&2; exit 1' }, ['One.'])

    const { end, events } = await recordAsk(session, 'Hi')

    expect(end).toMatchObject({ reason: 'completed', text: 'One.' })
    expect(listNotices(events)).toMatchObject([
      expect.stringMatching(/^warning: The UserPromptSubmit hook .* failed: .*broken/s),
    ])
  })
})

describe('a Stop hook', () => {
  test('makes the model continue, and receives stop_hook_active when it runs again', async () => {
    const blockOnce = `[ $(grep -c . $HAFT_PROJECT_DIR/Stop.log) -gt 1 ] || { echo 'Run the tests.' >&2; exit 2; }`
    const { session, requests, readReceivedInputs } = await createFixture({ Stop: blockOnce }, ['One.', 'Two.'])

    const { end } = await recordAsk(session, 'Hi')

    expect(end).toMatchObject({ reason: 'completed', text: 'Two.', turns: 2 })
    expect(await readReceivedInputs('Stop')).toMatchObject([
      { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'One.' },
      { hook_event_name: 'Stop', stop_hook_active: true, last_assistant_message: 'Two.' },
    ])
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('Run the tests.')
  })

  test('cannot make the model continue forever', async () => {
    const { session, requests } = await createFixture({ Stop: `echo 'More.' >&2; exit 2` }, { turns: [] })

    const { end, events } = await recordAsk(session, 'Hi')

    expect(end.reason).toBe('completed')
    expect(requests).toHaveLength(11)
    expect(listNotices(events)).toEqual([expect.stringMatching(/objected 11 times in a row/)])
  })

  test('can end the conversation', async () => {
    const { session } = await createFixture({ Stop: printAnswer({ continue: false, stopReason: 'Closed.' }) }, ['One.'])
    const { end } = await recordAsk(session, 'Hi')
    expect(end).toMatchObject({ reason: 'stopped_by_hook', message: 'Closed.', text: 'One.' })
  })

  test('does not run when the user interrupts', async () => {
    const { session, readReceivedInputs } = await createFixture({ Stop: 'true' }, ['One.'])
    const { end } = await recordAsk(session, 'Hi', { signal: AbortSignal.abort() })
    expect(end.reason).toBe('interrupted')
    expect(await readReceivedInputs('Stop')).toEqual([])
  })
})

describe('a Notification hook', () => {
  test('runs when a permission question is asked', async () => {
    let answer = () => {}
    const whenAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const call = { calls: [{ name: 'Bash', input: { command: 'touch x' } }] }
    const { session, readReceivedInputs } = await createFixture(
      { Notification: printAnswer({ systemMessage: 'Notified.' }) },
      [call, 'One.'],
      {
        runtime: {
          permissions: {},
          async ask() {
            await whenAnswered
            return { behavior: 'deny', message: 'no' }
          },
        },
      },
    )

    const pendingAsk = recordAsk(session, 'Hi')
    await expect.poll(() => readReceivedInputs('Notification')).toHaveLength(1)
    answer()
    const { end, events } = await pendingAsk

    expect(await readReceivedInputs('Notification')).toMatchObject([
      {
        hook_event_name: 'Notification',
        notification_type: 'permission_prompt',
        message: expect.stringMatching(/Bash/),
      },
    ])
    expect(listNotices([...events, ...(await session.dispose())])).toEqual(['warning: Notified.'])
    expect(end.denials).toMatchObject([{ toolName: 'Bash' }])
  })

  test('runs when the session waits for the user', async () => {
    const { session, readReceivedInputs } = await createFixture({ Notification: 'true' }, [])
    await session.notify('idle_prompt', 'Haft waits for you.')
    expect(await readReceivedInputs('Notification')).toMatchObject([
      { notification_type: 'idle_prompt', message: 'Haft waits for you.' },
    ])
  })
})

test('CwdChanged receives the old and new folder and can add context', async () => {
  const answer = printAnswer({
    hookSpecificOutput: { hookEventName: 'CwdChanged', additionalContext: 'Another project.' },
  })
  const call = { calls: [{ name: 'Bash', input: { command: 'cd sub' } }] }
  const { session, requests, readReceivedInputs, folder } = await createFixture(
    { CwdChanged: answer },
    [call, 'One.'],
    {
      runtime: { permissions: { allow: ['Bash'] } },
    },
  )
  await mkdir(join(folder, 'sub'))

  await recordAsk(session, 'Hi')

  expect(await readReceivedInputs('CwdChanged')).toMatchObject([
    { hook_event_name: 'CwdChanged', old_cwd: folder, new_cwd: join(folder, 'sub'), cwd: join(folder, 'sub') },
  ])
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('Another project.')
})

test('ConfigChange receives the change and can block it', async () => {
  const { session, readReceivedInputs } = await createFixture({ ConfigChange: `echo 'Not now.' >&2; exit 2` }, [])

  const { blocked } = await session.configChanged('project_settings', { file_path: '/p/.haft/settings.json' })

  expect(blocked).toBe('Not now.')
  expect(await readReceivedInputs('ConfigChange')).toMatchObject([
    { hook_event_name: 'ConfigChange', source: 'project_settings', file_path: '/p/.haft/settings.json' },
  ])
})

test('SessionEnd receives the reason once', async () => {
  const { session, readReceivedInputs } = await createFixture({ SessionEnd: 'true' }, ['One.'])
  await recordAsk(session, 'Hi')

  await session.dispose('prompt_input_exit')
  await session.dispose()

  expect(await readReceivedInputs('SessionEnd')).toMatchObject([
    { hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' },
  ])
})

describe('the output of a hook', () => {
  test('is shown to the user if it is a system message', async () => {
    const answer = printAnswer({ systemMessage: 'Careful.', hookSpecificOutput: { additionalContext: 'ctx' } })
    const { session } = await createFixture({ UserPromptSubmit: answer }, ['One.'])

    const { events } = await recordAsk(session, 'Hi')

    expect(listNotices(events)).toEqual(['warning: Careful.'])
    expect(events).toContainEqual({
      type: 'hook-reported',
      report: {
        hookEvent: 'UserPromptSubmit',
        hook: expect.any(String),
        outcome: 'ok',
        message: 'ctx',
        forUser: 'Careful.',
      },
    })
  })

  test('is not reported if the hook suppresses it', async () => {
    const answer = printAnswer({ suppressOutput: true, hookSpecificOutput: { additionalContext: 'ctx' } })
    const { session, requests } = await createFixture({ UserPromptSubmit: answer }, ['One.'])

    const { events } = await recordAsk(session, 'Hi')

    expect(events.filter(({ type }) => type === 'hook-reported')).toEqual([])
    expect(JSON.stringify(requests[0]?.messages)).toContain('ctx')
  })
})
