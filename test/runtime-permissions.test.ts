import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPermissionContext, PERMISSION_MODES, type PermissionMode } from '../src/contract/permission/context.js'
import type { PermissionUpdate } from '../src/contract/permission/result.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HookSettings } from '../src/runtime/hooks/hook-settings.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { call, Echo, Read, textOf, Write } from './runtime-fixtures.js'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-permissions-')))
  await writeFile(join(folder, 'file'), 'text')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const CALLS = {
  reads: call('Read', { path: 'file' }),
  edits: call('Write', { path: 'file', text: 'new' }),
  acts: call('Echo', { text: 'act' }),
}
type Row = Record<keyof typeof CALLS, string>

/** The decision about a call that no rule matches, by mode. */
const DECISIONS_WITHOUT_RULES: Record<PermissionMode, Row> = {
  default: { reads: 'allow', edits: 'ask', acts: 'ask' },
  acceptEdits: { reads: 'allow', edits: 'allow', acts: 'ask' },
  plan: { reads: 'allow', edits: 'deny', acts: 'deny' },
  // The local classifier allows edits inside the project and leaves all other calls undecided.
  auto: { reads: 'allow', edits: 'allow', acts: 'ask' },
  dontAsk: { reads: 'allow', edits: 'deny', acts: 'deny' },
  bypassPermissions: { reads: 'allow', edits: 'allow', acts: 'allow' },
}

function predictDecision(mode: PermissionMode, list: 'none' | 'allow' | 'ask' | 'deny', kind: keyof Row): string {
  const behaviorOfMode = DECISIONS_WITHOUT_RULES[mode][kind]
  if (list === 'none') return behaviorOfMode
  if (list === 'deny') return 'deny'
  if (mode === 'plan' && kind !== 'reads') return 'deny'
  if (list === 'allow') return 'allow'
  return mode === 'dontAsk' ? 'deny' : 'ask'
}

describe('every mode with every kind of rule', () => {
  for (const mode of PERMISSION_MODES)
    for (const list of ['none', 'allow', 'ask', 'deny'] as const)
      test(`leads to the expected decisions: ${mode}, ${list === 'none' ? 'no rule' : `a rule to ${list}`}`, async () => {
        const rules = list === 'none' ? {} : { [list]: ['Read', 'Write', 'Echo'] }
        const askedTools: string[] = []
        const runtime = createToolRuntime({
          tools: [Read, Write, Echo],
          permissions: { mode, ...rules },
          cwd: folder,
          async ask({ tool }) {
            askedTools.push(tool.name)
            return { behavior: 'deny', message: 'asked' }
          },
          policy: { isSandboxed: true },
        })

        const results = await runtime.run(Object.values(CALLS)).results

        const decisions = results.map(({ is_error, content }) =>
          is_error !== true ? 'allow' : /They said: asked/.test(String(content)) ? 'ask' : 'deny',
        )
        const expectedDecisions = (['reads', 'edits', 'acts'] as const).map((kind) => predictDecision(mode, list, kind))
        // A deny rule without a pattern removes the tool from the pool, so that it is not found at all.
        expect(decisions).toEqual(expectedDecisions)
        expect(askedTools).toHaveLength(expectedDecisions.filter((answer) => answer === 'ask').length)
      })
})

describe('updates', () => {
  const allowUpdate: PermissionUpdate = { type: 'addRules', destination: 'session', behavior: 'allow', rules: ['Echo'] }
  const planUpdate: PermissionUpdate = { type: 'setMode', destination: 'session', mode: 'plan' }
  const bypassUpdate: PermissionUpdate = { type: 'setMode', destination: 'session', mode: 'bypassPermissions' }

  test('that policy refuses are neither applied nor saved, while the others are', async () => {
    const savedUpdates: PermissionUpdate[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      policy: {
        restrictions: { managedRulesOnly: true, forbiddenModes: ['bypassPermissions'] },
        isSandboxed: true,
        saveUpdates: async (updates) => void savedUpdates.push(...updates),
      },
    })

    const { refused } = await runtime.applyUpdates([allowUpdate, bypassUpdate, planUpdate])

    expect(refused.map(({ update }) => update)).toEqual([allowUpdate, bypassUpdate])
    expect(savedUpdates).toEqual([planUpdate])
    expect([runtime.permissions.mode, runtime.permissions.alwaysAllowRules]).toEqual(['plan', { cliArg: [] }])
  })

  test('that are invalid are refused, whatever their source', async () => {
    const runtime = createToolRuntime({ tools: [Echo] })
    const permissionsBefore = runtime.permissions
    const invalidUpdates = [
      { type: 'setMode', destination: 'session', mode: 'yolo' },
      { type: 'addRules', destination: 'policy', behavior: 'allow', rules: ['Echo'] },
      { type: 'addRules', destination: 'session', behavior: 'perhaps', rules: ['Echo'] },
      { type: 'grantAll' },
      null,
    ] as unknown as PermissionUpdate[]

    const { refused } = await runtime.applyUpdates(invalidUpdates)

    expect(refused).toHaveLength(invalidUpdates.length)
    expect(runtime.permissions).toBe(permissionsBefore)
  })

  test('that enter a mode emit an event, unless it is already the current mode', async () => {
    const modes: unknown[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      onEvent: (event, source) => {
        if (event.type === 'mode-entered') modes.push([event.mode, source])
      },
    })
    const sub = runtime.fork({ agentId: 'helper' })

    await runtime.applyUpdates([planUpdate])
    await runtime.applyUpdates([planUpdate])
    await sub.applyUpdates([{ ...planUpdate, mode: 'acceptEdits' }])
    runtime.setPermissions({ mode: 'default' })

    expect(modes).toEqual([
      ['plan', {}],
      ['acceptEdits', { agentId: 'helper' }],
      ['default', {}],
    ])
  })

  test('of the mode also apply to a sub-agent until it sets its own mode', async () => {
    const runtime = createToolRuntime({ tools: [Echo] })
    const sub = runtime.fork()
    const nestedAgent = sub.fork()
    const listModes = () => [runtime, sub, nestedAgent].map(({ permissions }) => permissions.mode)

    await runtime.applyUpdates([planUpdate])
    const followedModes = listModes()
    await sub.applyUpdates([{ ...planUpdate, mode: 'acceptEdits' }])
    const modesAfterSeparation = listModes()
    await runtime.applyUpdates([{ ...planUpdate, mode: 'dontAsk' }])
    await nestedAgent.applyUpdates([{ ...allowUpdate, behavior: 'deny' }])

    expect(followedModes).toEqual(['plan', 'plan', 'plan'])
    expect(modesAfterSeparation).toEqual(['plan', 'acceptEdits', 'acceptEdits'])
    expect(listModes()).toEqual(['dontAsk', 'acceptEdits', 'acceptEdits'])
    // A denial by the user applies everywhere.
    expect([runtime, sub, nestedAgent].map(({ pool }) => pool.length)).toEqual([0, 0, 0])
  })
})

describe('bypassPermissions mode as root', () => {
  const options = { tools: [Echo], machine: { env: {} } } satisfies ToolRuntimeOptions
  const isRoot = process.getuid?.() === 0

  test.runIf(isRoot)('is refused outside a sandbox, from the start and later', async () => {
    expect(() => createToolRuntime({ ...options, permissions: { mode: 'bypassPermissions' } })).toThrow(/sandbox/)

    const runtime = createToolRuntime(options)
    const { refused } = await runtime.applyUpdates([
      { type: 'setMode', destination: 'session', mode: 'bypassPermissions' },
    ])

    expect(refused[0]?.reason).toMatch(/cannot be used as root/)
    expect(() => runtime.setPermissions({ mode: 'bypassPermissions' })).toThrow(/root/)
    expect(runtime.permissions.mode).toBe('default')
  })

  test('is allowed inside a sandbox', () => {
    const runtime = createToolRuntime({
      ...options,
      permissions: { mode: 'bypassPermissions' },
      machine: { env: { HAFT_SANDBOX: '1' } },
    })

    expect(runtime.permissions.mode).toBe('bypassPermissions')
  })
})

test('a session cannot start in a mode that policy forbids', () => {
  const restrictions = { managedRulesOnly: false, forbiddenModes: ['acceptEdits' as const] }

  expect(() =>
    createToolRuntime({ tools: [], permissions: { mode: 'acceptEdits' }, policy: { restrictions } }),
  ).toThrow('Mode acceptEdits is forbidden by the settings.')
})

test('a link to a missing file does not let an edit escape from the project', async () => {
  await mkdir(join(folder, 'project'))
  await mkdir(join(folder, 'home/config/functions'), { recursive: true })
  await symlink('../home/config/functions', join(folder, 'project/deep'))
  await symlink('deep/../fish', join(folder, 'project/notes.txt'))
  const runtime = createToolRuntime({
    tools: [Write],
    permissions: { mode: 'acceptEdits' },
    cwd: join(folder, 'project'),
  })

  const [result] = await runtime.run([call('Write', { path: 'notes.txt', text: 'evil' })]).results

  expect(result?.is_error).toBe(true)
  expect(await readdir(join(folder, 'home/config'))).toEqual(['functions'])
})

describe('rules that cannot work', () => {
  const permissions = { deny: ['Echo(x)', 'Ehco', 'Echo', 'Bash(rm:*)'], allow: ['Zzz'] }
  const expectedProblems = [
    'the deny rule "Echo(x)" (cliArg) restricts more than it says: Echo takes no content; write Echo to cover every call.',
    'the deny rule "Ehco" (cliArg) never matches: Unknown tool Ehco. Did you mean Echo?',
    'the allow rule "Zzz" (cliArg) never matches: Unknown tool Zzz.',
  ]

  test('are reported when the runtime is created', () => {
    const problems: string[] = []
    createToolRuntime({ tools: [Echo], permissions, onProblem: (problem) => problems.push(String(problem)) })
    expect(problems).toEqual(expectedProblems)
  })

  test('are warnings on standard error if the host does not handle problems', async () => {
    const warnings: Error[] = []
    const addWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', addWarning)
    createToolRuntime({ tools: [Echo], permissions })
    createToolRuntime({ tools: [Echo], hooks: { PreToolUes: [] } as HookSettings })
    await new Promise(setImmediate)
    process.off('warning', addWarning)
    expect(warnings.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      ...expectedProblems.map((problem) => `HaftWarning: ${problem}`),
      expect.stringContaining('HaftWarning: hooks.PreToolUes'),
    ])
  })

  test('are not reported for tools of other programs that share a settings file, unless the name is similar', () => {
    const problems: string[] = []
    const context = createPermissionContext({ alwaysDenyRules: { userSettings: ['TodoWrite', 'Ech'] } })
    const onProblem = (problem: unknown) => problems.push(String(problem))
    createToolRuntime({ tools: [Echo], permissions: context, onProblem })
    expect(problems).toEqual(['the deny rule "Ech" (userSettings) never matches: Unknown tool Ech. Did you mean Echo?'])
  })

  test('deny or ask about the whole tool if its calls cannot be compared with their content', async () => {
    const onProblem = () => {}
    const denied = createToolRuntime({ tools: [Echo], permissions: { allow: ['Echo'], deny: ['Echo(x)'] }, onProblem })
    const [result] = await denied.run([call('Echo', { text: 'hello' })]).results
    expect(textOf(result)).toMatch(/Echo\(x\).*denies this call/)
  })
})
