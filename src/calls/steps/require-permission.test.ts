import { expect, test } from 'vitest'
import * as z from 'zod'
import { createPermissionContext } from '../../contract/permission/context.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { PermissionAnswer, PermissionQuestion } from '../call-environment.js'
import { Cancellation } from '../cancellation.js'
import { createFixtureTool, FixtureHost, type FixtureOptions, waitForever } from '../fixture-host.js'

const executedInputs: unknown[] = []
const createNote = (members: Partial<Tool> = {}) =>
  createFixtureTool({
    name: 'Note',
    isReadOnly: () => false,
    preparePermissionMatcher: (input) => (content) => content === input.text,
    call: async (input) => {
      executedInputs.push(input)
      return { data: 'done' }
    },
    ...members,
  })

function setUp(answer?: (question: PermissionQuestion) => unknown, options: FixtureOptions = {}, tool = createNote()) {
  executedInputs.length = 0
  const questions: PermissionQuestion[] = []
  const host = new FixtureHost({
    tools: [tool],
    ...(answer !== undefined && {
      ask: async (question) => {
        questions.push(question)
        return answer(question) as PermissionAnswer
      },
    }),
    ...options,
  })
  return { host, questions }
}

const listDecisions = (host: FixtureHost) =>
  host.events.flatMap((event) => (event.type === 'permission-decided' ? [[event.behavior, event.reason.type]] : []))

test('a read-only call is allowed without a question', async () => {
  const { host, questions } = setUp(() => ({ behavior: 'deny' }), { tools: [createFixtureTool()] })

  expect((await host.run('Echo', { text: 'x' })).block.content).toBe('x')
  expect(questions).toEqual([])
  expect(host.listEventTypes()).toEqual(['permission-decided'])
})

test('a call runs after the user has allowed it', async () => {
  const { host, questions } = setUp(() => ({ behavior: 'allow' }))

  expect((await host.run('Note', { text: 'x' })).block.content).toBe('done')
  expect(questions).toMatchObject([
    { toolUseId: 'toolu_1', input: { text: 'x' }, message: 'Note needs approval: it may change something.' },
  ])
  expect(host.events).toMatchObject([
    { type: 'permission-asked' },
    { type: 'permission-decided', behavior: 'allow', reason: { type: 'person' }, waitedMs: expect.any(Number) },
  ])
})

test('the error quotes the reason that the user typed when denying the call', async () => {
  const { host } = setUp(() => ({ behavior: 'deny', message: 'Use the other file.' }))

  expect(await host.getRefusal('Note', { text: 'x' })).toEqual({
    code: 'permission_denied',
    text: 'The user does not want Note to run. They said: Use the other file.',
  })
  expect(executedInputs).toEqual([])
})

test.each([
  ['no content', () => undefined],
  ['an unknown behavior', () => ({ behavior: 'perhaps' })],
  ['an invalid input', () => ({ behavior: 'allow', updatedInput: null })],
  ['an error', () => JSON.parse('{')],
])('an answer of the user with %s counts as a denial', async (_, answer) => {
  const { host } = setUp(answer)

  expect((await host.getRefusal('Note', { text: 'x' })).code).toBe('permission_denied')
  expect(executedInputs).toEqual([])
})

test('without a user to ask, the denial names the rule that would allow the call', async () => {
  const { host } = setUp()

  const { code, text } = await host.getRefusal('Note', { text: 'x' })

  expect(code).toBe('permission_needed')
  expect(text).toContain('add "Note" to permissions.allow')
})

test('a call gets the input that the user changed', async () => {
  const { host } = setUp(() => ({ behavior: 'allow', updatedInput: { text: 'better' } }))
  const admittedInputs: unknown[] = []

  const { block } = await host.run('Note', { text: 'x' }, { admit: (_call, input) => void admittedInputs.push(input) })

  expect(block.content).toBe('done\n\n[The user changed the input of this call: text is now "better".]')
  expect({ ranInputs: executedInputs, admittedInputs }).toEqual({
    ranInputs: [{ text: 'better' }],
    admittedInputs: [{ text: 'better' }],
  })
})

test('an invalid input from the user is refused', async () => {
  const { host } = setUp(() => ({ behavior: 'allow', updatedInput: { text: 5 } }))

  expect((await host.getRefusal('Note', { text: 'x' })).code).toBe('input_invalid')
})

test('the user cannot change the input to one that a rule denies', async () => {
  const { host } = setUp(() => ({ behavior: 'allow', updatedInput: { text: 'forbidden' } }), {
    deny: ['Note(forbidden)'],
  })

  expect((await host.getRefusal('Note', { text: 'x' })).text).toMatch(
    /^The changed input is not allowed\. Note\(forbidden\)/,
  )
  expect(executedInputs).toEqual([])
})

test('changes to the question object do not affect the call', async () => {
  const { host } = setUp(({ input }) => {
    ;(input as { text: string }).text = 'tampered'
    return { behavior: 'allow' }
  })

  await host.run('Note', { text: 'x' })

  expect(executedInputs).toEqual([{ text: 'x' }])
})

test('the answer of the user can set an internal field', async () => {
  const { host } = setUp(() => ({ behavior: 'allow', updatedInput: { text: 'x', _simulatedSedEdit: { to: 'b' } } }))

  await host.run('Note', { text: 'x' })

  expect(executedInputs).toEqual([{ text: 'x', _simulatedSedEdit: { to: 'b' } }])
})

test('neither a hook nor the tool can set an internal field', async () => {
  const looseTool = createNote({
    inputSchema: {
      '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value: value as object }) },
    },
    checkPermissions: (input) => ({ behavior: 'ask', message: '?', updatedInput: { ...input, _simulatedSedEdit: 1 } }),
  })
  const decision = { behavior: 'allow', updatedInput: { text: 'y', _simulatedSedEdit: 2 } }
  const { host } = setUp(
    () => ({ behavior: 'allow' }),
    {
      hooks: { PermissionRequest: () => ({ hookSpecificOutput: { decision } }) },
    },
    looseTool,
  )

  await host.run('Note', { text: 'x' })

  expect(executedInputs).toEqual([{ text: 'x' }])
})

test('permission updates in the answer of the user are applied before the call continues', async () => {
  const updates = [{ type: 'addRules', destination: 'session', behavior: 'allow', rules: ['Note'] }]
  const updateCalls: unknown[] = []
  const { host } = setUp(() => ({ behavior: 'allow', updates }), {
    applyUpdates: async (newUpdates) => {
      updateCalls.push(newUpdates, [...executedInputs])
    },
  })

  await host.run('Note', { text: 'x' })

  expect(updateCalls).toEqual([updates, []])
  expect(executedInputs).toHaveLength(1)
})

test('a call whose answer could not be saved does not run', async () => {
  const { host } = setUp(() => ({ behavior: 'allow', updates: [{}] }), {
    applyUpdates: () => {
      throw new Error('read-only disk')
    },
  })

  expect(await host.getRefusal('Note', { text: 'x' })).toEqual({
    code: 'permission_denied',
    text: "Note did not run, because the user's answer could not be saved: read-only disk",
  })
  expect(executedInputs).toEqual([])
})

test('a question that an earlier answer has settled is not asked', async () => {
  const { host, questions } = setUp(() => ({ behavior: 'deny' }))
  const allowingContext = createPermissionContext({ alwaysAllowRules: { session: ['Note'] } })

  const { block } = await host.run(
    'Note',
    { text: 'x' },
    {
      askInTurn: (_call, ask) => {
        host.permissions = allowingContext
        return ask()
      },
    },
  )

  expect(block.content).toBe('done')
  expect(questions).toEqual([])
})

test('a call that is cancelled during its question ends as cancelled, even if the question never settles', async () => {
  const cancellation = new Cancellation(60_000)
  const { host } = setUp(() => {
    queueMicrotask(() => cancellation.cancel({ type: 'interrupted' }))
    return waitForever()
  })

  expect(await host.getRefusal('Note', { text: 'x' }, { cancellation })).toEqual({
    code: 'cancelled',
    text: 'The user cancelled Note. It had not started.',
  })
  expect(executedInputs).toEqual([])
})

test('a call that is cancelled before it can ask ends as cancelled, not as failed', async () => {
  const cancellation = new Cancellation(60_000)
  const { host } = setUp(() => ({ behavior: 'allow' }))
  const askInTurn = async () => {
    cancellation.cancel({ type: 'aborted' })
    throw cancellation.abortController.signal.reason
  }

  expect((await host.getRefusal('Note', { text: 'x' }, { cancellation, askInTurn })).code).toBe('cancelled')
})

test('an input changed by the permission check of the tool is shown to the user and used by the call', async () => {
  const tool = createNote({
    checkPermissions: ({ text }) => ({ behavior: 'ask', message: `Write ${text}?`, updatedInput: { text: 'safe' } }),
  })
  const { host, questions } = setUp(() => ({ behavior: 'allow' }), {}, tool)

  await host.run('Note', { text: 'x' })

  expect(questions).toMatchObject([{ input: { text: 'safe' }, message: 'Write safe?' }])
  expect(executedInputs).toEqual([{ text: 'safe' }])
})

test('a tool cannot change its input to one that a rule denies', async () => {
  const tool = createNote({ checkPermissions: () => ({ behavior: 'allow', updatedInput: { text: 'forbidden' } }) })
  const { host } = setUp(undefined, { deny: ['Note(forbidden)'] }, tool)

  expect((await host.getRefusal('Note', { text: 'x' })).code).toBe('permission_denied')
  expect(executedInputs).toEqual([])
})

test('an unchanged copy of the observable input is not a change', async () => {
  const tool = createNote({
    backfillObservableInput: (input) => {
      input.path = '/project/x'
    },
    checkPermissions: (input) => ({ behavior: 'allow', updatedInput: { ...input } }),
  })
  const { host } = setUp(undefined, {}, tool)

  await host.run('Note', { text: 'x' })

  expect(executedInputs).toEqual([{ text: 'x' }])
})

test('permission checks and the user see derived fields, but the call does not', async () => {
  const checkedInputs: unknown[] = []
  const tool = createNote({
    backfillObservableInput: (input) => {
      input.path = '/project/x'
    },
    checkPermissions: (input) => {
      checkedInputs.push(input)
      return { behavior: 'passthrough' }
    },
  })
  const { host, questions } = setUp(() => ({ behavior: 'allow' }), {}, tool)

  await host.run('Note', { text: 'x' })

  const observedInput = { text: 'x', path: '/project/x' }
  expect({ checkedInputs, askedInput: questions[0]?.input, ranInputs: executedInputs }).toEqual({
    checkedInputs: [observedInput],
    askedInput: observedInput,
    ranInputs: [{ text: 'x' }],
  })
})

const decideByHook =
  (behavior: string, members: object = {}) =>
  () => ({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior, ...members } },
  })

test('a hook can answer instead of the user, even if there is no user', async () => {
  const { host, questions } = setUp(() => ({ behavior: 'deny' }), {
    hooks: { PermissionRequest: decideByHook('allow') },
  })
  const headlessHost = setUp(undefined, { hooks: { PermissionRequest: decideByHook('allow') } }).host

  expect((await host.run('Note', { text: 'x' })).block.content).toBe('done')
  expect((await headlessHost.run('Note', { text: 'x' })).block.content).toBe('done')
  expect(questions).toEqual([])
  expect(listDecisions(host)).toEqual([['allow', 'hook']])
})

test('the denial of a hook contains its message', async () => {
  const { host } = setUp(() => ({ behavior: 'allow' }), {
    hooks: { PermissionRequest: decideByHook('deny', { message: 'not on Fridays' }) },
  })

  expect(await host.getRefusal('Note', { text: 'x' })).toEqual({
    code: 'hook_blocked',
    text: 'A hook denied this call of Note: not on Fridays',
  })
})

test('the user is asked if the hooks make no decision', async () => {
  const hooks = { PermissionRequest: () => undefined }

  const { host, questions } = setUp(() => ({ behavior: 'allow' }), { hooks })
  await host.run('Note', { text: 'x' })

  expect(questions).toHaveLength(1)
  expect((await setUp(undefined, { hooks }).host.getRefusal('Note', { text: 'x' })).code).toBe('permission_needed')
})

test.each([
  ['an ask rule', { askRules: ['Note'] }, {}],
  [
    'the tool itself, for any reason',
    {},
    {
      checkPermissions: () => ({ behavior: 'ask', message: '?', reason: { type: 'default', text: 'x' } }) as const,
    },
  ],
  ['a safety check', {}, { resources: () => ({ writes: [{ path: '.git/config' }] }) }],
])('a hook cannot answer a question raised by %s', async (_, options, members) => {
  const { host, questions } = setUp(
    () => ({ behavior: 'deny' }),
    { ...options, hooks: { PermissionRequest: decideByHook('allow') } },
    createNote(members),
  )

  expect((await host.getRefusal('Note', { text: 'x' })).code).toBe('permission_denied')
  expect(questions).toHaveLength(1)
})

test('a hook that changes the input to match an ask rule does not answer that question', async () => {
  const { host, questions } = setUp(() => ({ behavior: 'deny' }), {
    askRules: ['Note(delicate)'],
    hooks: { PermissionRequest: decideByHook('allow', { updatedInput: { text: 'delicate' } }) },
  })

  expect((await host.getRefusal('Note', { text: 'x' })).code).toBe('permission_denied')
  expect(questions).toMatchObject([{ input: { text: 'delicate' } }])
})

test('an invalid input from a hook is refused with the error code hook_input_invalid', async () => {
  const { host } = setUp(undefined, {
    hooks: { PermissionRequest: decideByHook('allow', { updatedInput: { text: 5 } }) },
  })

  expect((await host.getRefusal('Note', { text: 'x' })).code).toBe('hook_input_invalid')
})

test('PermissionDenied hooks receive the reason that the model reads', async () => {
  const denials: unknown[] = []
  const { host } = setUp(undefined, {
    deny: ['Note'],
    hooks: { PermissionDenied: ({ tool_name, reason }) => void denials.push([tool_name, reason]) },
  })

  const { text } = await host.getRefusal('Note', { text: 'x' })

  expect(denials).toEqual([['Note', text]])
})

test('a call can be cancelled even if its permission check never ends', async () => {
  const cancellation = new Cancellation(60_000)
  const tool = createNote({
    checkPermissions: () => {
      queueMicrotask(() => cancellation.cancel({ type: 'aborted' }))
      return waitForever()
    },
  })

  expect((await setUp(undefined, {}, tool).host.getRefusal('Note', { text: 'x' }, { cancellation })).code).toBe(
    'cancelled',
  )
})

test('after too many denials in auto mode without a user, the run stops with a reason', async () => {
  const { host } = setUp(undefined, {
    mode: 'auto',
    tools: [createNote({ toAutoClassifierInput: ({ text }) => text })],
    autoMode: () => ({ userRequest: 'tidy up', denials: { consecutiveDenials: 3, totalDenials: 3 } }),
  })

  const { error } = await host.run('Note', { text: 'x' })

  expect(host.stops).toEqual([{ by: 'permissions', reason: error?.message }])
  expect(error?.message).toContain('The classifier denied too many calls.')
})

test.each([
  ['the observable copy', { backfillObservableInput: (input: object) => void Object.assign(input, { seen: true }) }],
  ['the input itself', {}],
])('a permission check that mutates %s does not change what the user sees and what runs', async (_, members) => {
  const checkPermissions = async (input: Record<string, unknown>) => {
    Reflect.set(input, 'text', 'evil')
    return { behavior: 'ask', message: 'May I?', updatedInput: input } as const
  }
  const { host, questions } = setUp(() => ({ behavior: 'allow' }), {}, createNote({ ...members, checkPermissions }))

  await host.run('Note', { text: 'safe' })

  expect(questions).toMatchObject([{ input: { text: 'safe' } }])
  expect(executedInputs).toEqual([{ text: 'safe' }])
})

test('a tool that kept a reference to its input cannot change it during the question', async () => {
  let keptInput: Record<string, unknown> = {}
  const tool = createNote({
    inputSchema: z.strictObject({ where: z.strictObject({ path: z.string() }) }),
    validateInput: (input) => {
      keptInput = input.where as Record<string, unknown>
      return { result: true }
    },
  })
  const { host, questions } = setUp(
    () => {
      Reflect.set(keptInput, 'path', 'evil')
      return { behavior: 'allow' }
    },
    {},
    tool,
  )

  await host.run('Note', { where: { path: 'safe' } })

  expect(questions).toMatchObject([{ input: { where: { path: 'safe' } } }])
  expect(executedInputs).toEqual([{ where: { path: 'safe' } }])
})

test.each([
  ['JSON Schema', { inputJSONSchema: { type: 'object' as const } }],
  ['a schema that keeps values', { inputSchema: z.looseObject({ where: z.any() }) }],
])('with %s, the sender cannot change the input during the question', async (_, members) => {
  const sentInput = { where: { path: 'safe' } }
  const change = () => {
    sentInput.where.path = 'evil'
    return { behavior: 'allow' }
  }
  const { host } = setUp(change, {}, createNote(members as Partial<Tool>))

  await host.run('Note', sentInput)

  expect(executedInputs).toEqual([{ where: { path: 'safe' } }])
})

test('a tool that mutates its arguments does not change the input as sent', async () => {
  const sentInput = { where: { path: 'a' } }
  const call: Tool['call'] = async (input) => {
    ;(input.where as { path: string }).path = 'b'
    return { data: input }
  }
  const { host } = setUp(
    undefined,
    { mode: 'bypassPermissions' },
    createNote({ inputJSONSchema: { type: 'object' }, call }),
  )

  expect((await host.run('Note', sentInput)).block.content).toBe('{"where":{"path":"b"}}')
  expect(sentInput).toEqual({ where: { path: 'a' } })
})
