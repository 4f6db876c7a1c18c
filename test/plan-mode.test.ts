import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { PermissionAnswer, PermissionQuestion } from '../src/calls/call-environment.js'
import type { ToolResultBlock } from '../src/contract/messages.js'
import type { PermissionMode } from '../src/contract/permission/context.js'
import type { PermissionUpdate } from '../src/contract/permission/result.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { EnterPlanModeTool } from '../src/tools/enter-plan-mode/tool.js'
import { ExitPlanModeTool } from '../src/tools/exit-plan-mode/tool.js'
import { call, Read, textOf, Write } from './runtime-fixtures.js'

let folder: string
let runtime: HaftRuntime
let questions: PermissionQuestion[]
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-plan-')))
  await writeFile(join(folder, 'file'), 'text')
  questions = []
})
afterEach(async () => {
  await runtime.dispose()
  await rm(folder, { recursive: true, force: true })
})

const PLAN_INPUT = { plan: 'Change the file.', allowedPrompts: [{ tool: 'Bash', prompt: 'npm test' }] }
const TEST_RULE: PermissionUpdate = {
  type: 'addRules',
  destination: 'session',
  behavior: 'allow',
  rules: ['Bash(npm test)'],
}
const ACCEPT_EDITS: PermissionUpdate = { type: 'setMode', destination: 'session', mode: 'acceptEdits' }

/** A tool that applies the permission updates in its input. */
const UpdatePermissions = buildTool({
  name: 'UpdatePermissions',
  description: 'Changes permissions',
  needs: ['settings'],
  inputSchema: z.object({ updates: z.array(z.unknown()) }),
  outputSchema: z.string(),
  isReadOnly: () => true,
  async call({ updates }, { settings }) {
    await settings.applyPermissionUpdates(updates as PermissionUpdate[])
    return { data: settings.toolPermissionContext.mode }
  },
})

interface Setup extends Partial<ToolRuntimeOptions> {
  readonly mode?: PermissionMode
  readonly answer?: PermissionAnswer | ((question: PermissionQuestion) => PermissionAnswer)
}

function start({ mode = 'default', answer, ...options }: Setup): HaftRuntime {
  runtime = createToolRuntime({
    tools: [EnterPlanModeTool, ExitPlanModeTool, UpdatePermissions, Read, Write],
    permissions: { mode },
    cwd: folder,
    ...(answer !== undefined && {
      async ask(question) {
        questions.push(question)
        return typeof answer === 'function' ? answer(question) : answer
      },
    }),
    ...options,
    policy: { isSandboxed: true, ...options.policy },
  })
  return runtime
}

async function makeCall(name: string, input: unknown = {}, agent = runtime): Promise<ToolResultBlock> {
  const [result] = await agent.run([call(name, input)]).results
  return result as ToolResultBlock
}

/** Reads everything that leaving plan mode could change. */
async function readCurrentState() {
  const write = await makeCall('Write', { path: 'file', text: 'changed' })
  return {
    permissions: runtime.permissions,
    plan: runtime.state.port.getAppState().plan,
    canWrite: write.is_error !== true,
    file: await readFile(join(folder, 'file'), 'utf8'),
  }
}

const YES: PermissionAnswer = { behavior: 'allow' }
const hookThatAllows = {
  type: 'function' as const,
  run: () => ({ hookSpecificOutput: { permissionDecision: 'allow', decision: { behavior: 'allow' } } }),
}
const hooksThatAllow = {
  PreToolUse: [{ matcher: '*', hooks: [hookThatAllows] }],
  PermissionRequest: [{ matcher: '*', hooks: [hookThatAllows] }],
}

describe('ExitPlanMode without approval changes nothing', () => {
  const cases: [string, Setup][] = [
    ['if there is no user to ask', {}],
    ['if the user denies it', { answer: { behavior: 'deny' } }],
    ['if the host reports that no user is available', { answer: { behavior: 'unavailable' } as never }],
    ['if the question fails', { answer: () => JSON.parse('{') }],
    ['if the answer is invalid', { answer: {} as never }],
    ['if a denial includes updates', { answer: { behavior: 'deny', updates: [ACCEPT_EDITS, TEST_RULE] } as never }],
    ['with hooks that allow everything and no user', { hooks: hooksThatAllow }],
    [
      'with hooks that allow everything and a user who denies it',
      { hooks: hooksThatAllow, answer: { behavior: 'deny' } },
    ],
    [
      'with rules that allow it',
      { permissions: { mode: 'plan', allow: ['ExitPlanMode', 'Write', 'ExitPlanMode(*)'] } },
    ],
  ]
  test.each(cases)('%s', async (_, setup) => {
    start({ mode: 'plan', ...setup })
    const stateBefore = await readCurrentState()

    const result = await makeCall('ExitPlanMode', PLAN_INPUT)

    expect(result.is_error).toBe(true)
    expect(await readCurrentState()).toEqual(stateBefore)
    expect(stateBefore).toMatchObject({ plan: undefined, canWrite: false, file: 'text', permissions: { mode: 'plan' } })
  })

  test.each(['PreToolUse', 'PermissionRequest'] as const)('although the same %s hook allows Write', async (event) => {
    start({ hooks: { [event]: hooksThatAllow[event] } })

    expect((await makeCall('Write', { path: 'file', text: 'by a hook' })).is_error).toBeUndefined()
  })

  test('and, if there is no user to ask, says that only the user can approve and suggests no rule', async () => {
    start({ mode: 'plan' })

    const text = textOf(await makeCall('ExitPlanMode', PLAN_INPUT))

    expect(text).toContain('There is no user to ask. No rule allows it; only the user can.')
    expect(text).not.toContain('permissions.allow')
  })

  test('and passes the comment of the user to the model', async () => {
    start({ mode: 'plan', answer: { behavior: 'deny', message: 'test it first' } })

    expect(textOf(await makeCall('ExitPlanMode', PLAN_INPUT))).toContain('They said: test it first')
  })
})

describe('an approved plan', () => {
  test('ends plan mode, restores the previous mode and is saved', async () => {
    start({ mode: 'acceptEdits', answer: YES })
    await makeCall('EnterPlanMode')
    expect(runtime.permissions.mode).toBe('plan')

    const result = await makeCall('ExitPlanMode', PLAN_INPUT)

    expect(textOf(result)).toContain('approved the plan')
    expect(questions.at(-1)?.message).toContain('The permission mode is then acceptEdits again')
    expect(runtime.permissions).toMatchObject({ mode: 'acceptEdits', alwaysAllowRules: {} })
    expect(runtime.state.port.getAppState()).toEqual({ plan: 'Change the file.' })
  })

  test('is followed by default mode if the conversation started in plan mode', async () => {
    start({ mode: 'plan', answer: YES })

    await makeCall('ExitPlanMode', PLAN_INPUT)

    expect(runtime.permissions.mode).toBe('default')
  })

  test('applies the mode and the rules that the user chose, and nothing else', async () => {
    start({ mode: 'plan', answer: ({ suggestions }) => ({ behavior: 'allow', updates: suggestions }) })

    await makeCall('ExitPlanMode', PLAN_INPUT)

    expect(questions[0]?.suggestions).toEqual([ACCEPT_EDITS, TEST_RULE])
    expect(runtime.permissions).toMatchObject({
      mode: 'acceptEdits',
      alwaysAllowRules: { session: ['Bash(npm test)'] },
    })
    expect((await readCurrentState()).file).toBe('changed')
  })

  test('offers no rule that covers more than one command', async () => {
    start({ mode: 'plan', answer: { behavior: 'deny' } })
    const prompts = ['npm run *', 'git:*', '*', ':*', ' ', 'a\nb', 'ls\u202e', 'make']

    await makeCall('ExitPlanMode', { plan: 'x', allowedPrompts: prompts.map((prompt) => ({ tool: 'Bash', prompt })) })

    expect(questions[0]?.suggestions).toEqual([ACCEPT_EDITS, { ...TEST_RULE, rules: ['Bash(make)'] }])
  })

  test('is saved as the user edited it', async () => {
    start({ mode: 'plan', answer: { behavior: 'allow', updatedInput: { plan: 'Do less.' } } })

    expect(textOf(await makeCall('ExitPlanMode', PLAN_INPUT))).toContain('Do less.')
    expect(runtime.state.port.getAppState()).toEqual({ plan: 'Do less.' })
  })
})

describe('EnterPlanMode', () => {
  test('asks for approval, after which nothing can be changed', async () => {
    start({ mode: 'bypassPermissions', answer: YES })

    await makeCall('EnterPlanMode')

    expect(questions).toHaveLength(1)
    expect(await readCurrentState()).toMatchObject({ canWrite: false, file: 'text', permissions: { mode: 'plan' } })
  })

  test('changes nothing if there is no user to ask', async () => {
    start({})

    expect((await makeCall('EnterPlanMode')).is_error).toBe(true)
    expect(runtime.permissions.mode).toBe('default')
  })

  test('and ExitPlanMode return an error in the wrong mode', async () => {
    start({ mode: 'plan', answer: YES })
    expect(textOf(await makeCall('EnterPlanMode'))).toContain('Plan mode is already on')

    await makeCall('ExitPlanMode', PLAN_INPUT)
    expect(textOf(await makeCall('ExitPlanMode', PLAN_INPUT))).toContain('Plan mode is not on')
  })

  test('and ExitPlanMode are not available to sub-agents', async () => {
    start({ mode: 'plan', answer: YES })
    const sub = runtime.fork({ agentId: 'a1' })

    expect(textOf(await makeCall('ExitPlanMode', PLAN_INPUT, sub))).toContain('A sub-agent cannot leave plan mode')
    expect([runtime.permissions.mode, sub.permissions.mode]).toEqual(['plan', 'plan'])
    await runtime.applyUpdates([{ type: 'setMode', destination: 'session', mode: 'default' }])
    expect(textOf(await makeCall('EnterPlanMode', {}, sub))).toContain('has no plan mode')
  })
})

describe('a tool that updates permission settings', () => {
  const looseningUpdates: [string, PermissionMode, object][] = [
    ['leaves plan mode', 'plan', { type: 'setMode', destination: 'session', mode: 'default' }],
    ['bypasses permissions', 'default', { type: 'setMode', destination: 'session', mode: 'bypassPermissions' }],
    ['enters acceptEdits mode', 'default', ACCEPT_EDITS],
    ['adds an allow rule', 'default', { ...TEST_RULE }],
    ['removes a deny rule', 'default', { ...TEST_RULE, type: 'removeRules', behavior: 'deny' }],
    ['replaces deny rules', 'default', { ...TEST_RULE, type: 'replaceRules', behavior: 'deny', rules: [] }],
    ['adds a working directory', 'default', { type: 'addDirectories', destination: 'session', directories: ['/'] }],
    ['saves to settings files', 'default', { ...TEST_RULE, behavior: 'deny', destination: 'userSettings' }],
    ['sends an invalid update', 'default', { type: 'setMode' }],
  ]
  test.each(looseningUpdates)('and %s is refused', async (_, mode, update) => {
    start({ mode, permissions: { mode, deny: ['Bash(npm test)'] } })
    const permissionsBefore = runtime.permissions

    const result = await makeCall('UpdatePermissions', { updates: [update] })

    expect(textOf(result)).toContain('The permissions were not changed')
    expect(runtime.permissions).toBe(permissionsBefore)
  })

  test('can leave plan mode only in a call that a user approved, and only for the previous mode', async () => {
    start({ permissions: { mode: 'plan', ask: ['UpdatePermissions'] }, answer: YES })

    const refusedResult = await makeCall('UpdatePermissions', {
      updates: [{ ...ACCEPT_EDITS, mode: 'bypassPermissions' }],
    })
    const acceptedResult = await makeCall('UpdatePermissions', { updates: [{ ...ACCEPT_EDITS, mode: 'default' }] })

    expect([refusedResult.is_error, acceptedResult.is_error]).toEqual([true, undefined])
    expect(runtime.permissions.mode).toBe('default')
  })

  test('has all of its updates refused if one is refused', async () => {
    start({})

    await makeCall('UpdatePermissions', { updates: [{ ...ACCEPT_EDITS, mode: 'plan' }, TEST_RULE] })

    expect(runtime.permissions.mode).toBe('default')
  })

  test('can always add restrictions', async () => {
    start({})

    expect(textOf(await makeCall('UpdatePermissions', { updates: [{ ...ACCEPT_EDITS, mode: 'plan' }] }))).toBe('plan')
    await makeCall('UpdatePermissions', { updates: [{ ...TEST_RULE, behavior: 'deny' }] })
    expect(runtime.permissions.alwaysDenyRules).toEqual({ session: ['Bash(npm test)'] })
  })
})
