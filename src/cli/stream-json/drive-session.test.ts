import { PassThrough } from 'node:stream'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import type { PermissionAnswer, PermissionQuestion } from '../../calls/call-environment.js'
import { NO_USAGE } from '../../contract/model/model.js'
import type { QueryEnd } from '../../session/conversation/session-event.js'
import type { AgentSession, Prompt } from '../agent-session/agent-session.js'
import type { CommandHost } from '../io/command.js'
import { ControlChannel } from './control/control-channel.js'
import { DriverQuestions } from './control/driver-questions.js'
import { InputReader } from './control/input-reader.js'
import { PromptTimes } from './control/prompt-times.js'
import { SessionDriver } from './drive-session.js'
import { StreamOutput } from './lines/stream-output.js'
import { createInputJSONSchema, createOutputJSONSchema } from './schema/json-schemas.js'

type Line = Record<string, unknown>
type Turn = (
  prompt: Prompt | undefined,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<unknown>,
) => Promise<string>

const ajv = new Ajv2020()
const isOutput = ajv.compile(createOutputJSONSchema())
const isInput = ajv.compile(createInputJSONSchema())

const FACTS = {
  ...{ cwd: '/p', model: 'm', tools: [], mcpServers: [], mode: 'default', agents: [], skills: [] },
  keyVariable: undefined,
} as const

/** A fake session controlled by the test, with its input and output. */
function startDriver(turn: Turn, session: Partial<AgentSession> = {}) {
  const input = new PassThrough()
  const lines: Line[] = []
  const readers: ((line: Line) => void)[] = []
  const interruption = new AbortController()
  const host = {
    input: () => input,
    interruption: () => ({ signal: interruption.signal, exitCode: undefined }),
    async write(text: string) {
      const line = JSON.parse(text) as Line
      expect(isOutput(line), `${text}${JSON.stringify(isOutput.errors)}`).toBe(true)
      // This line precedes every prompt and is skipped.
      if (line.subtype === 'init') return
      const reader = readers.shift()
      if (reader === undefined) lines.push(line)
      else reader(line)
    },
  } as unknown as CommandHost
  const output = new StreamOutput(host, { hasPartialMessages: false, hasEvents: false, hasHookEvents: false })
  const channel = new ControlChannel((body) => output.write(body))
  const reader = new InputReader(input, (answer) => channel.receive(answer))
  void reader.ended.then(() => channel.close())
  const questions = new DriverQuestions({
    ...{ channel, hasEvents: false, asksLikeAgentSdk: false },
    write: (body) => output.write(body),
    waitForMessage: (agentId) => output.waitForMessage(agentId),
    interrupt: () => driver.interrupt(),
  })
  const fakeSession = {
    id: 's',
    async ask(prompt: Prompt | undefined, { signal }: { signal: AbortSignal }): Promise<QueryEnd> {
      const text = await turn(prompt, signal, (askSignal) => questions.ask(question(askSignal)))
      const reason = signal.aborted ? 'interrupted' : 'completed'
      return { reason, text, turns: 1, usage: NO_USAGE, costUsd: 0, denials: [] }
    },
    ...{ answerTools: new Set<string>(), spending: { costUsd: 0, models: new Map() }, hasNotices: false },
    ...{ facts: FACTS, takeQueued: () => [] },
    ...session,
  }
  const driver: SessionDriver = new SessionDriver({
    loadCommands: async () => [],
    ...{ host, output, channel, reader, promptTimes: new PromptTimes(), repeatsPrompts: false, announcesState: false },
    session: fakeSession as unknown as AgentSession,
    requests: {
      async handle(request) {
        if (request.subtype === 'set_model') await session.setModel?.(request.model ?? undefined)
        const refusal = request.subtype === 'set_permission_mode' && (await session.setMode?.(request.mode))
        if (typeof refusal === 'string') throw new Error(refusal)
        return request.subtype === 'set_permission_mode' ? { mode: request.mode } : {}
      },
    },
  })
  output.open(fakeSession as unknown as AgentSession)
  const driverEnd = driver.run()
  return {
    ended: driverEnd,
    session: fakeSession,
    interrupt: () => interruption.abort(),
    send: (...messages: readonly unknown[]) => {
      for (const line of messages) input.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    },
    next: () =>
      new Promise<Line>((resolve) => {
        const line = lines.shift()
        if (line === undefined) readers.push(resolve)
        else resolve(line)
      }),
    async finish() {
      input.end()
      return { code: await driverEnd, lines }
    },
  }
}

function question(signal: AbortSignal): PermissionQuestion {
  return {
    ...{ toolUseId: 't', input: { command: 'ls' }, message: 'May it?', suggestions: [], signal },
    ...{ isDestructive: false, requiresUser: false, description: 'Lists files' },
    ...{ tool: { name: 'Bash' } as PermissionQuestion['tool'], reason: { type: 'default', text: 'it writes' } },
  }
}

function createSignal() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}

const prompt = (content: unknown) => ({ type: 'user', message: { role: 'user', content } })
const toControlRequest = (request_id: string, request: object) => ({ type: 'control_request', request_id, request })
const waitUntilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

test('prompts are queued while another one is running', async () => {
  const session = startDriver(async (content) => `answer to ${JSON.stringify(content)}`)

  session.send(prompt('one'), prompt([{ type: 'text', text: 'two', cache_control: {} }]))

  const { code, lines } = await session.finish()
  expect(code).toBe(0)
  expect(lines.map(({ type, result }) => [type, result])).toEqual([
    ['result', 'answer to "one"'],
    ['result', 'answer to [{"type":"text","text":"two"}]'],
  ])
})

test.each([
  ['{', /^line 1 is not JSON/],
  ['[]', /^line 1 is invalid/],
  [prompt([{ type: 'tool_result', tool_use_id: 'x', content: '' }]), /^line 1 is invalid/],
  [prompt(''), /^line 1 is invalid/],
  [{ type: 'control_response', response: { subtype: 'error', request_id: 'x', error: '' } }, /not an open question/],
])('the invalid line %j is reported as an error, and reading continues', async (invalidLine, message) => {
  const session = startDriver(async () => 'done')

  session.send(invalidLine, prompt('go'))

  const { code, lines } = await session.finish()
  expect(lines).toMatchObject([{ type: 'error', line: 1, message: expect.stringMatching(message) }, { type: 'result' }])
  expect(code).toBe(1)
})

test('an invalid request gets an error response', async () => {
  const session = startDriver(async () => 'done')

  session.send(toControlRequest('r', { subtype: 'self_destruct' }))

  expect(await session.next()).toMatchObject({ response: { subtype: 'error', request_id: 'r' } })
  expect((await session.finish()).code).toBe(0)
})

test('an interrupt ends only the running prompt', async () => {
  const startedSignal = createSignal()
  const session = startDriver(async (content, signal) => {
    startedSignal.resolve()
    if (content === 'long') await waitUntilAborted(signal)
    return 'done'
  })
  session.send(prompt('long'), prompt('short'))
  await startedSignal.promise

  session.send(toControlRequest('r', { subtype: 'interrupt' }))

  expect(await session.next()).toMatchObject({ response: { subtype: 'success', request_id: 'r' } })
  expect(await session.next()).toMatchObject({ type: 'result', end_reason: 'interrupted', exit_code: 130 })
  expect(await session.next()).toMatchObject({ type: 'result', subtype: 'success' })
  expect((await session.finish()).code).toBe(0)
})

test('an interrupt ends only the prompt sent before it, whether that prompt has started or not', async () => {
  const interrupt = toControlRequest('r', { subtype: 'interrupt' })
  const session = startDriver(async (content, signal) => {
    if (content === 'endless' && !signal.aborted) await waitUntilAborted(signal)
    return 'done'
  })

  session.send(interrupt, prompt('one'), prompt('endless'), prompt('two'))
  await session.next()
  expect(await session.next()).toMatchObject({ type: 'result', end_reason: 'completed' })
  session.send(interrupt)
  const { lines } = await session.finish()

  expect(lines.flatMap(({ end_reason }) => end_reason ?? [])).toEqual(['interrupted', 'completed'])
})

test.each([
  [
    { behavior: 'allow', updatedInput: { command: 'pwd' } },
    { behavior: 'allow', updatedInput: { command: 'pwd' } },
  ],
  [{ behavior: 'allow', updatedInput: null }, { behavior: 'allow' }],
  [
    { behavior: 'deny', message: 'never' },
    { behavior: 'deny', message: 'never' },
  ],
])('the answer %j decides the permission question', async (response, expected) => {
  const answers: PermissionAnswer[] = []
  const session = startDriver(async (_, signal, ask) => {
    answers.push((await ask(signal)) as PermissionAnswer)
    return 'done'
  })
  session.send(prompt('go'))
  const { request_id, request } = await session.next()
  expect(request).toMatchObject({ subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } })

  const line = { type: 'control_response', response: { subtype: 'success', request_id, response } }
  expect(isInput(line)).toBe(true)
  session.send(line)

  expect(await session.next()).toMatchObject({ type: 'result' })
  expect(answers).toEqual([expected])
  await session.finish()
})

test('a denial can interrupt the prompt', async () => {
  const session = startDriver(async (_, signal, ask) => {
    await ask(signal)
    return 'done'
  })
  session.send(prompt('go'))
  const { request_id } = await session.next()

  const response = { behavior: 'deny', message: 'stop it', interrupt: true }
  session.send({ type: 'control_response', response: { subtype: 'success', request_id, response } })

  expect(await session.next()).toMatchObject({ end_reason: 'interrupted' })
  await session.finish()
})

test('after the end of the input, no user is available for open and new questions', async () => {
  const answers: unknown[] = []
  const session = startDriver(async (_, signal, ask) => {
    answers.push(await ask(signal), await ask(signal))
    return 'done'
  })
  session.send(prompt('go'))
  await session.next()

  const { lines } = await session.finish()

  expect(answers).toEqual([{ behavior: 'unavailable' }, { behavior: 'unavailable' }])
  expect(lines).toMatchObject([{ type: 'result' }])
})

test('an interrupt withdraws the open question', async () => {
  const session = startDriver(async (_, signal, ask) => {
    await ask(signal)
    return 'done'
  })
  session.send(prompt('go'))
  const { request_id } = await session.next()

  session.send(toControlRequest('r', { subtype: 'interrupt' }))

  const writtenLines = [await session.next(), await session.next()]
  expect(writtenLines).toContainEqual(expect.objectContaining({ type: 'control_cancel_request', request_id }))
  expect(await session.next()).toMatchObject({ type: 'result', end_reason: 'interrupted' })
  await session.finish()
})

test('control requests change the mode and the model, and a refusal has a reason', async () => {
  const session = startDriver(async () => 'done', {
    setMode: async (mode) => (mode === 'plan' ? undefined : 'policy forbids it'),
    setModel: async (name) => {
      if (name !== undefined) throw new Error(`there is no model ${name}`)
    },
  })

  session.send(
    toControlRequest('1', { subtype: 'set_permission_mode', mode: 'plan' }),
    toControlRequest('2', { subtype: 'set_permission_mode', mode: 'auto' }),
    toControlRequest('3', { subtype: 'set_model', model: 'x' }),
    toControlRequest('4', { subtype: 'set_model' }),
    toControlRequest('5', { subtype: 'initialize' }),
  )

  const { lines } = await session.finish()
  expect(lines.map(({ response }) => response)).toMatchObject([
    { subtype: 'success', request_id: '1', response: { mode: 'plan' } },
    { subtype: 'error', request_id: '2', error: 'policy forbids it' },
    { subtype: 'error', request_id: '3', error: 'there is no model x' },
    { subtype: 'success', request_id: '4' },
    { subtype: 'success', request_id: '5', response: { session_id: 's' } },
  ])
})

test('an interrupted process ends the running prompt and does not start the next one', async () => {
  const startedSignal = createSignal()
  const session = startDriver(async (_, signal) => {
    startedSignal.resolve()
    await waitUntilAborted(signal)
    return 'done'
  })
  session.send(prompt('one'), prompt('two'))
  await startedSignal.promise

  session.interrupt()

  expect(await session.ended).toBe(130)
  expect(await session.next()).toMatchObject({ end_reason: 'interrupted' })
})

test('a report of a monitor starts a turn, unless a prompt has already taken it', async () => {
  const prompts: (Prompt | undefined)[] = []
  const { session, send, next, finish } = startDriver(async (prompt) => {
    prompts.push(prompt)
    session.hasNotices = false
    return 'Done.'
  })
  send({ type: 'user', message: { role: 'user', content: 'Begin' } })
  await next()

  session.hasNotices = true
  session.onWake?.()
  session.onWake?.()
  expect(await next()).toMatchObject({ type: 'result', result: 'Done.' })
  session.onWake?.()
  const { lines } = await finish()

  expect(prompts).toEqual(['Begin', undefined])
  expect(lines).toEqual([])
})
