import { expect, test } from 'vitest'
import { Cancellation } from '../cancellation.js'
import { createFixtureTool, FixtureHost, waitForever } from '../fixture-host.js'

const answerWith = (fields: object) => () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } })
const executedInputs: unknown[] = []
const NoteTool = createFixtureTool({
  name: 'Note',
  isReadOnly: () => false,
  call: async (input) => {
    executedInputs.push(input)
    return { data: 'done' }
  },
})

test('hooks see the observable input, but the call does not', async () => {
  let hookInput: unknown
  let executedInput: unknown
  const tool = createFixtureTool({
    backfillObservableInput: (input) => {
      input.path = `/project/${input.text}`
    },
    call: async (input) => {
      executedInput = input
      return { data: 'done' }
    },
  })
  const host = new FixtureHost({
    tools: [tool],
    hooks: {
      PreToolUse: (payload) => {
        hookInput = payload.tool_input
      },
    },
  })

  await host.run('Echo', { text: 'a' })

  expect({ hookInput, ranInput: executedInput }).toEqual({
    hookInput: { text: 'a', path: '/project/a' },
    ranInput: { text: 'a' },
  })
})

test('a call gets the input that a hook changed without derived fields', async () => {
  const tool = createFixtureTool({
    backfillObservableInput: (input) => {
      input.path = '/project/a'
    },
  })
  const host = new FixtureHost({
    tools: [tool],
    hooks: {
      PreToolUse: ({ tool_input }) => answerWith({ updatedInput: { ...(tool_input as object), text: 'changed' } })(),
    },
  })
  const admittedInputs: unknown[] = []

  const { block } = await host.run('Echo', { text: 'a' }, { admit: (_call, input) => void admittedInputs.push(input) })

  expect(block.content).toBe('changed\n\n[A hook changed the input of this call: text is now "changed".]')
  expect(admittedInputs).toEqual([{ text: 'changed' }])
})

test('an input that a hook changed is refused if it does not match the schema', async () => {
  const host = new FixtureHost({ hooks: { PreToolUse: answerWith({ updatedInput: { text: 5, more: 1 } }) } })

  const { code, text } = await host.getRefusal('Echo', { text: 'a' })

  expect(code).toBe('hook_input_invalid')
  expect(text).toMatch(/^A hook changed the input to one that Echo does not accept\. InputValidationError/)
  expect(text).toContain('text: expected string, received number')
})

test('an input that a hook changed is validated by the tool again', async () => {
  const validateInput = ({ text }: { text: string }) =>
    text === 'secret' ? ({ result: false, message: 'No secrets.', errorCode: 1 } as const) : ({ result: true } as const)
  const host = new FixtureHost({
    tools: [createFixtureTool({ validateInput })],
    hooks: { PreToolUse: answerWith({ updatedInput: { text: 'secret' } }) },
  })

  expect((await host.getRefusal('Echo', { text: 'a' })).text).toContain('No secrets.')
})

test('a hook cannot set an internal field', async () => {
  let executedInput: unknown
  const { inputSchema } = createFixtureTool()
  const looseTool = createFixtureTool({
    inputSchema: {
      '~standard': { ...inputSchema['~standard'], validate: (value: unknown) => ({ value: value as object }) },
    },
    call: async (input) => {
      executedInput = input
      return { data: 'done' }
    },
  })
  const host = new FixtureHost({
    tools: [looseTool],
    hooks: { PreToolUse: answerWith({ updatedInput: { text: 'b', _simulatedSedEdit: {} } }) },
  })

  await host.run('Echo', { text: 'a' })

  expect(executedInput).toEqual({ text: 'b' })
})

test('permission rules are matched against the input that a hook changed', async () => {
  const tool = createFixtureTool({ preparePermissionMatcher: (input) => (content) => content === input.text })
  const host = new FixtureHost({
    tools: [tool],
    deny: ['Echo(forbidden)'],
    hooks: { PreToolUse: answerWith({ permissionDecision: 'allow', updatedInput: { text: 'forbidden' } }) },
  })

  expect((await host.getRefusal('Echo', { text: 'fine' })).code).toBe('permission_denied')
})

test('a hook that denies a call blocks it with its message, even if its updated input is invalid', async () => {
  const host = new FixtureHost({
    tools: [NoteTool],
    allow: ['Note'],
    hooks: {
      PreToolUse: answerWith({
        permissionDecision: 'deny',
        permissionDecisionReason: 'not today',
        updatedInput: { n: 1 },
      }),
    },
  })

  expect(await host.getRefusal('Note', { text: 'x' })).toEqual({
    code: 'hook_blocked',
    text: 'A hook denied this call of Note: not today',
  })
  expect(executedInputs).toEqual([])
})

test.each([
  ['a deny rule', { deny: ['Note'] }, 'permission_denied'],
  ['an ask rule', { askRules: ['Note'] }, 'permission_needed'],
])('a hook that allows a call does not override %s', async (_, rules, code) => {
  const host = new FixtureHost({
    tools: [NoteTool],
    ...rules,
    hooks: { PreToolUse: answerWith({ permissionDecision: 'allow' }) },
  })

  expect((await host.getRefusal('Note', { text: 'x' })).code).toBe(code)
  expect(executedInputs).toEqual([])
})

test('a hook that allows a call does not override a safety check', async () => {
  const writeTool = createFixtureTool({
    name: 'Write',
    isReadOnly: () => false,
    resources: () => ({ writes: [{ path: '.git/config' }] }),
  })
  const host = new FixtureHost({
    tools: [writeTool],
    allow: ['Write'],
    hooks: { PreToolUse: answerWith({ permissionDecision: 'allow' }) },
  })

  expect(await host.getRefusal('Write', { text: 'x' })).toMatchObject({
    code: 'permission_needed',
    text: expect.stringContaining('git configuration'),
  })
})

test('a hook that allows a call answers the question that the default mode would ask', async () => {
  const host = new FixtureHost({
    tools: [NoteTool],
    hooks: { PreToolUse: answerWith({ permissionDecision: 'allow' }) },
  })

  expect((await host.run('Note', { text: 'x' })).block.content).toBe('done')
})

test('the model gets the feedback of a hook, even if the call is denied', async () => {
  const hooks = { PreToolUse: answerWith({ additionalContext: 'Mind the gap.' }) }

  const content = (await new FixtureHost({ hooks }).run('Echo', { text: 'x' })).block.content
  const deniedText = (await new FixtureHost({ hooks, deny: ['Echo'] }).getRefusal('Echo', { text: 'x' })).text

  expect(content).toBe('x\n\n<hook-feedback>\nMind the gap.\n</hook-feedback>')
  expect(deniedText).toMatch(/denies this call of Echo.*\n\n<hook-feedback>\nMind the gap\.\n<\/hook-feedback>$/)
})

test('a hook that ends the conversation ends the call, and the outcome contains the stop reason', async () => {
  const host = new FixtureHost({ hooks: { PreToolUse: () => ({ continue: false, stopReason: 'enough' }) } })

  const { error, stop } = await host.run('Echo', { text: 'x' })

  expect({ code: error?.code, stop }).toEqual({ code: 'hook_blocked', stop: 'enough' })
})

test('a call that is cancelled during its hooks ends as cancelled, not as blocked', async () => {
  const cancellation = new Cancellation(1)
  const host = new FixtureHost({
    hooks: {
      PreToolUse: () => {
        queueMicrotask(() => cancellation.cancel({ type: 'interrupted' }))
        return waitForever()
      },
    },
  })

  expect(await host.getRefusal('Echo', { text: 'x' }, { cancellation })).toEqual({
    code: 'cancelled',
    text: 'The user cancelled Echo. It had not started.',
  })
})

test('the outcomes and messages of hooks are reported', async () => {
  const host = new FixtureHost({
    hooks: {
      PreToolUse: [
        () => ({ systemMessage: 'Hello, user.' }),
        () => {
          throw new Error('broken')
        },
      ],
    },
  })

  await host.run('Echo', { text: 'x' })

  const reports = host.events.flatMap((event) =>
    event.type === 'hook-reported' ? [[event.outcome, event.forUser]] : [],
  )
  expect(reports).toEqual([
    ['ok', 'Hello, user.'],
    ['failed', 'The PreToolUse hook function hook 1 failed: broken'],
  ])
})
