import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ToolEvent } from '../src/contract/events.js'
import { PERMISSION_MODES, type PermissionMode } from '../src/contract/permission/context.js'
import type { PermissionUpdate } from '../src/contract/permission/result.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { loadSettings } from '../src/settings/load-settings.js'
import { savePermissionUpdates } from '../src/settings/save/save-permission-updates.js'
import { call, deferred, Echo, Read, textOf, Write } from './runtime-fixtures.js'

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
const WITHOUT_RULES: Record<PermissionMode, Row> = {
  default: { reads: 'allow', edits: 'ask', acts: 'ask' },
  acceptEdits: { reads: 'allow', edits: 'allow', acts: 'ask' },
  plan: { reads: 'allow', edits: 'deny', acts: 'deny' },
  // The local classifier allows edits inside the project and leaves all other calls undecided.
  auto: { reads: 'allow', edits: 'allow', acts: 'ask' },
  dontAsk: { reads: 'allow', edits: 'deny', acts: 'deny' },
  bypassPermissions: { reads: 'allow', edits: 'allow', acts: 'allow' },
}

function expected(mode: PermissionMode, list: 'none' | 'allow' | 'ask' | 'deny', kind: keyof Row): string {
  const byMode = WITHOUT_RULES[mode][kind]
  if (list === 'none') return byMode
  if (list === 'deny') return 'deny'
  if (mode === 'plan' && kind !== 'reads') return 'deny'
  if (list === 'allow') return 'allow'
  return mode === 'dontAsk' ? 'deny' : 'ask'
}

describe('every mode with every kind of rule', () => {
  for (const mode of PERMISSION_MODES)
    for (const list of ['none', 'allow', 'ask', 'deny'] as const)
      test(`${mode}, ${list === 'none' ? 'no rule' : `a rule to ${list}`}`, async () => {
        const rules = list === 'none' ? {} : { [list]: ['Read', 'Write', 'Echo'] }
        const asked: string[] = []
        const runtime = createToolRuntime({
          tools: [Read, Write, Echo],
          permissions: { mode, ...rules },
          cwd: folder,
          async ask({ tool }) {
            asked.push(tool.name)
            return { behavior: 'deny', message: 'asked' }
          },
          policy: { isSandboxed: true },
        })

        const results = await runtime.run(Object.values(CALLS)).results

        const found = results.map(({ is_error, content }) =>
          is_error !== true ? 'allow' : /They said: asked/.test(String(content)) ? 'ask' : 'deny',
        )
        const wanted = (['reads', 'edits', 'acts'] as const).map((kind) => expected(mode, list, kind))
        // A deny rule without a pattern removes the tool from the pool, so that it is not found at all.
        expect(found).toEqual(wanted)
        expect(asked).toHaveLength(wanted.filter((answer) => answer === 'ask').length)
      })
})

describe('questions', () => {
  test('of all agents are asked one at a time, and all are answered', async () => {
    let open = 0
    let maxOpen = 0
    const runtime = createToolRuntime({
      tools: [Echo],
      ask: async () => {
        maxOpen = Math.max(maxOpen, ++open)
        await new Promise(setImmediate)
        open--
        return { behavior: 'allow' }
      },
    })
    const agents = [runtime, runtime.fork(), runtime.fork()]
    const results = await Promise.all(
      agents.map((agent, index) => agent.run([call('Echo', { text: `from ${index}` })]).results),
    )

    expect(results.map(([result]) => textOf(result))).toEqual(['from 0', 'from 1', 'from 2'])
    expect(maxOpen).toBe(1)
  })

  test('from tools and for permissions are asked one at a time as well', async () => {
    let open = 0
    let maxOpen = 0
    const whileAsking = async <T>(answer: T): Promise<T> => {
      maxOpen = Math.max(maxOpen, ++open)
      await new Promise(setImmediate)
      open--
      return answer
    }
    const AskUser = buildTool({
      name: 'AskUser',
      description: 'Asks something',
      inputSchema: z.object({}),
      needs: ['ask'],
      isReadOnly: () => true,
      isConcurrencySafe: () => true,
      call: async (_, { ask, signal }) => ({ data: String(await ask.askQuestions([], { signal })) }),
    })
    const runtime = createToolRuntime({
      tools: [Echo, AskUser],
      permissions: { allow: ['AskUser'] },
      ask: () => whileAsking({ behavior: 'allow' }),
      ports: {
        ask: {
          canAsk: true,
          askQuestions: () => whileAsking([]),
          handleElicitation: () => whileAsking({ action: 'decline' as const }),
        },
      },
    })

    const agents = [runtime, runtime.fork()]
    const results = await Promise.all(
      agents.map((agent) => agent.run([call('AskUser'), call('Echo', { text: 'x' })]).results),
    )

    expect(results.flat().filter(({ is_error }) => is_error)).toEqual([])
    expect(maxOpen).toBe(1)
  })

  test('an answer that adds a rule also answers the same question of a waiting agent', async () => {
    const asked: string[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      cwd: folder,
      async ask({ toolUseId, suggestions }) {
        asked.push(toolUseId)
        return { behavior: 'allow', updates: suggestions.map((each) => ({ ...each, destination: 'session' as const })) }
      },
    })
    const agents = [runtime, runtime.fork(), runtime.fork()]
    const results = await Promise.all(
      agents.map((agent, index) => agent.run([call('Echo', { text: `from ${index}` }, `ask ${index}`)]).results),
    )

    expect(results.map(([result]) => textOf(result))).toEqual(['from 0', 'from 1', 'from 2'])
    expect(asked).toEqual(['ask 0'])
  })

  test('are asked one at a time in call order, while other calls continue', async () => {
    const asked: string[] = []
    const answers = [deferred(), deferred()]
    const ended: string[] = []
    const runtime = createToolRuntime({
      tools: [Echo, Read],
      cwd: folder,
      onEvent: (event) => {
        if (event.type === 'call-ended') ended.push(event.toolUseId)
      },
      async ask({ toolUseId }) {
        asked.push(toolUseId)
        await answers[asked.length - 1]?.promise
        return { behavior: 'allow' }
      },
      scheduling: { rule: 'base', maxConcurrency: 10 },
    })
    const outside = { path: join(dirname(folder), 'absent') }
    const run = runtime.run([
      call('Read', outside, 'a'),
      call('Read', { path: 'file' }, 'b'),
      call('Read', outside, 'c'),
    ])
    for await (const event of run) if (event.type === 'call-ended') break

    const whileFirstIsOpen = [...asked]
    answers[0]?.resolve()
    answers[1]?.resolve()
    await run.results

    expect(whileFirstIsOpen).toEqual(['a'])
    expect(asked).toEqual(['a', 'c'])
    expect(ended[0]).toBe('b')
  })

  test('become denials that name the rule if there is no user to ask', async () => {
    const runtime = createToolRuntime({ tools: [Echo, Write], cwd: folder })
    const events: ToolEvent[] = []
    const run = runtime.run([call('Echo'), call('Write', { path: 'file', text: '' })])
    for await (const event of run) events.push(event)

    const [echo, write] = await run.results

    expect(textOf(echo)).toMatch(/There is no user to ask\. To allow it, add "Echo" to permissions\.allow/)
    expect(textOf(write)).toMatch(/add "(Edit|Write)\(.*file\)" to permissions\.allow/)
    expect(events.flatMap((event) => (event.type === 'call-ended' ? [event.errorCode] : []))).toEqual([
      'permission_needed',
      'permission_needed',
    ])
  })

  test('a saved answer applies to later calls and sub-agents and is written to the settings file', async () => {
    const asked: string[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      cwd: folder,
      async ask({ toolUseId, suggestions }) {
        asked.push(toolUseId)
        return { behavior: 'allow', updates: suggestions }
      },
      policy: {
        saveUpdates: (updates) => savePermissionUpdates(updates, { projectRoot: folder, home: join(folder, 'home') }),
      },
    })
    const sub = runtime.fork()

    await sub.run([call('Echo', {}, 'first')]).results
    await sub.run([call('Echo', {}, 'second')]).results
    await runtime.run([call('Echo', {}, 'third')]).results

    expect(asked).toEqual(['first'])
    expect(JSON.parse(await readFile(join(folder, '.haft/settings.local.json'), 'utf8'))).toEqual({
      permissions: { allow: ['Echo'] },
    })
    const home = join(folder, 'home')
    const loaded = await loadSettings({ cwd: folder, home, isTrusted: () => true, policyPath: join(folder, 'none') })
    expect(loaded.permissionContext.alwaysAllowRules).toEqual({ localSettings: ['Echo'] })
  })

  test('an answer that cannot be saved applies until the end of the session, and the failure is reported', async () => {
    const problems: string[] = []
    const asked: string[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      onProblem: (problem) => problems.push(String(problem)),
      async ask({ toolUseId, suggestions }) {
        asked.push(toolUseId)
        return { behavior: 'allow', updates: suggestions }
      },
      policy: { saveUpdates: () => Promise.reject(new Error('disk full')) },
    })

    const first = await runtime.run([call('Echo', { text: 'one' }, 'a')]).results
    const second = await runtime.run([call('Echo', { text: 'two' }, 'b')]).results

    expect([textOf(first[0]), textOf(second[0]), asked]).toEqual(['one', 'two', ['a']])
    expect(problems).toEqual(['Permission updates were not saved: disk full'])
  })
})

describe('updates', () => {
  const addAllow: PermissionUpdate = { type: 'addRules', destination: 'session', behavior: 'allow', rules: ['Echo'] }
  const toPlan: PermissionUpdate = { type: 'setMode', destination: 'session', mode: 'plan' }
  const toBypass: PermissionUpdate = { type: 'setMode', destination: 'session', mode: 'bypassPermissions' }

  test('that policy refuses are neither applied nor saved, while the others are', async () => {
    const saved: PermissionUpdate[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      policy: {
        restrictions: { managedRulesOnly: true, forbiddenModes: ['bypassPermissions'] },
        isSandboxed: true,
        saveUpdates: async (updates) => void saved.push(...updates),
      },
    })

    const { refused } = await runtime.applyUpdates([addAllow, toBypass, toPlan])

    expect(refused.map(({ update }) => update)).toEqual([addAllow, toBypass])
    expect(saved).toEqual([toPlan])
    expect([runtime.permissions.mode, runtime.permissions.alwaysAllowRules]).toEqual(['plan', { cliArg: [] }])
  })

  test('that are invalid are refused, whatever their source', async () => {
    const runtime = createToolRuntime({ tools: [Echo] })
    const before = runtime.permissions
    const wrong = [
      { type: 'setMode', destination: 'session', mode: 'yolo' },
      { type: 'addRules', destination: 'policy', behavior: 'allow', rules: ['Echo'] },
      { type: 'addRules', destination: 'session', behavior: 'perhaps', rules: ['Echo'] },
      { type: 'grantAll' },
      null,
    ] as unknown as PermissionUpdate[]

    const { refused } = await runtime.applyUpdates(wrong)

    expect(refused).toHaveLength(wrong.length)
    expect(runtime.permissions).toBe(before)
  })

  test('entering a mode emits an event, but entering the current mode does not', async () => {
    const modes: unknown[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      onEvent: (event, source) => {
        if (event.type === 'mode-entered') modes.push([event.mode, source])
      },
    })
    const sub = runtime.fork({ agentId: 'helper' })

    await runtime.applyUpdates([toPlan])
    await runtime.applyUpdates([toPlan])
    await sub.applyUpdates([{ ...toPlan, mode: 'acceptEdits' }])
    runtime.setPermissions({ mode: 'default' })

    expect(modes).toEqual([
      ['plan', {}],
      ['acceptEdits', { agentId: 'helper' }],
      ['default', {}],
    ])
  })

  test('a sub-agent follows its parent’s mode until it sets its own', async () => {
    const runtime = createToolRuntime({ tools: [Echo] })
    const sub = runtime.fork()
    const below = sub.fork()
    const modes = () => [runtime, sub, below].map(({ permissions }) => permissions.mode)

    await runtime.applyUpdates([toPlan])
    const followed = modes()
    await sub.applyUpdates([{ ...toPlan, mode: 'acceptEdits' }])
    const apart = modes()
    await runtime.applyUpdates([{ ...toPlan, mode: 'dontAsk' }])
    await below.applyUpdates([{ ...addAllow, behavior: 'deny' }])

    expect(followed).toEqual(['plan', 'plan', 'plan'])
    expect(apart).toEqual(['plan', 'acceptEdits', 'acceptEdits'])
    expect(modes()).toEqual(['dontAsk', 'acceptEdits', 'acceptEdits'])
    // A denial by the user applies everywhere.
    expect([runtime, sub, below].map(({ pool }) => pool.length)).toEqual([0, 0, 0])
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

describe('the results folder', () => {
  const LONG = 'line of a long result\n'.repeat(5_000)

  async function keptResult(options: Partial<ToolRuntimeOptions> = {}) {
    const runtime = createToolRuntime({
      tools: [Echo, Read, Write],
      cwd: folder,
      permissions: { mode: 'dontAsk', allow: ['Echo'] },
      ...options,
    })
    const [long] = await runtime.run([call('Echo', { text: LONG })]).results
    const path = /the whole (?:text|output) is in (\S+)\. /.exec(textOf(long))?.[1] ?? ''
    return { runtime, path }
  }

  test('can be read without approval but not written', async () => {
    const { runtime, path } = await keptResult()

    const [read, write] = await runtime.run([call('Read', { path }), call('Write', { path, text: '' })]).results
    const [bySub] = await runtime.fork().run([call('Read', { path })]).results
    const kept = await readFile(path, 'utf8')
    await runtime.dispose()

    expect(textOf(read)).toBe(LONG)
    expect(textOf(bySub)).toBe(LONG)
    expect([write?.is_error, kept]).toEqual([true, LONG])
  })

  test('cannot be written in acceptEdits mode either', async () => {
    const { runtime, path } = await keptResult({ permissions: { mode: 'acceptEdits', allow: ['Echo'] } })

    const [write] = await runtime.run([call('Write', { path, text: '' })]).results
    await runtime.dispose()

    expect(textOf(write)).toMatch(/outside the working directories/)
  })

  test('gives no access to other folders through dots or links', async () => {
    const { runtime, path } = await keptResult()
    const secret = await mkdtemp(join(tmpdir(), 'haft-secret-'))
    await writeFile(join(secret, 'key'), 'secret')
    await symlink(secret, join(dirname(path), 'link'))

    const results = await runtime.run([
      call('Read', { path: `${dirname(path)}/../${secret.split('/').at(-1)}/key` }, 'a'),
      call('Read', { path: join(dirname(path), 'link/key') }, 'b'),
      call('Read', { path: `${dirname(path)}-other/key` }, 'c'),
    ]).results
    await runtime.dispose()
    await rm(secret, { recursive: true })

    expect(results.map(({ is_error }) => is_error)).toEqual([true, true, true])
  })

  test('cannot be read if a rule denies it', async () => {
    const { runtime, path } = await keptResult({
      permissions: { allow: ['Echo'], deny: [`Read(/${tmpdir()}/**)`] },
    })

    const [read] = await runtime.run([call('Read', { path })]).results
    await runtime.dispose()

    expect(textOf(read)).toMatch(/denies this call/)
  })

  test.each([
    ['the home folder', () => homedir()],
    ['a parent of the working directory', () => dirname(folder)],
    ['the root', () => '/'],
    ['the folder of all temporary files', () => tmpdir()],
  ])('grants no access if it is %s', async (_, directory) => {
    const runtime = createToolRuntime({ tools: [Read], cwd: folder, storage: { resultsDirectory: directory() } })

    const [read] = await runtime.run([call('Read', { path: join(directory(), 'anything') })]).results

    expect(textOf(read)).toMatch(/outside the working directories/)
  })

  test('of the host can be read as well and still exists afterwards', async () => {
    const resultsDirectory = await mkdtemp(join(tmpdir(), 'haft-kept-'))
    const { runtime, path } = await keptResult({ storage: { resultsDirectory } })

    const [read] = await runtime.run([call('Read', { path })]).results
    await runtime.dispose()

    expect(textOf(read)).toBe(LONG)
    expect(await readFile(path, 'utf8')).toBe(LONG)
    await rm(resultsDirectory, { recursive: true })
  })

  test('whose name looks like a pattern grants no access to other folders', async () => {
    const resultsDirectory = join(await mkdtemp(join(tmpdir(), 'haft-kept-')), '[a-z]*')
    await mkdir(resultsDirectory)
    const { runtime, path } = await keptResult({ storage: { resultsDirectory } })

    const [read] = await runtime.run([call('Read', { path })]).results

    expect(read?.is_error).toBe(true)
    await rm(dirname(resultsDirectory), { recursive: true })
  })
})

describe('auto mode', () => {
  const denyingClassifier = { classify: () => ({ verdict: 'deny' as const, reason: 'hostile' }) }
  const options: ToolRuntimeOptions = {
    tools: [Echo, Read],
    permissions: { mode: 'auto' },
    policy: { decisionPorts: { classifier: denyingClassifier } },
  }
  const denials = (results: readonly { content: unknown }[]) =>
    results.map(({ content }) => /auto-mode classifier denied/.test(String(content)))

  test('asks the user after three consecutive denials, and an allowed call resets the count', async () => {
    const asked: string[] = []
    const runtime = createToolRuntime({
      ...options,
      cwd: folder,
      async ask({ toolUseId, message }) {
        asked.push(toolUseId)
        expect(message).toMatch(/denied too many calls/)
        return { behavior: 'allow' }
      },
      scheduling: { rule: 'base' },
    })
    const act = async (...ids: string[]) => await runtime.run(ids.map((id) => call('Echo', { text: id }, id))).results

    const first = await act('a', 'b', 'c', 'd')
    const counted = runtime.state.denials
    const second = await act('e')

    expect(denials(first)).toEqual([true, true, true, false])
    expect(asked).toEqual(['d'])
    // The user allowed one call, which resets the count, so the classifier decides again.
    expect(counted).toEqual({ consecutiveDenials: 0, totalDenials: 3 })
    expect(denials(second)).toEqual([true])
  })

  test('counts the denials of a sub-agent separately, from zero, and does not add them to its parent’s', async () => {
    const asked: string[] = []
    const runtime = createToolRuntime({
      ...options,
      async ask({ toolUseId }) {
        asked.push(toolUseId)
        return { behavior: 'deny' }
      },
      scheduling: { rule: 'base' },
    })
    const acts = (of: typeof runtime, ids: string[]) => of.run(ids.map((id) => call('Echo', { text: id }, id))).results
    await acts(runtime, ['p1', 'p2'])
    const sub = runtime.fork()

    const bySub = await acts(sub, ['s1', 's2', 's3', 's4'])
    const byParent = await acts(runtime, ['p3', 'p4'])

    expect(denials(bySub)).toEqual([true, true, true, false])
    expect(denials(byParent)).toEqual([true, false])
    expect(asked).toEqual(['s4', 'p4'])
    expect([runtime.state.denials, sub.state.denials]).toEqual([
      { consecutiveDenials: 3, totalDenials: 3 },
      { consecutiveDenials: 3, totalDenials: 3 },
    ])
  })

  test('asks after twenty denials in total, however many calls were allowed in between', async () => {
    const asked: number[] = []
    const runtime = createToolRuntime({
      ...options,
      cwd: folder,
      ask: async () => {
        asked.push(runtime.state.denials.totalDenials)
        return { behavior: 'allow' }
      },
    })

    for (let turn = 0; turn < 22; turn++) {
      await runtime.run([call('Echo', { text: 'act' })]).results
      await runtime.run([call('Read', { path: 'file' })]).results
    }

    expect(asked).toEqual([20, 20])
  })

  test('without a user stops the run with a reason when the classifier gives up', async () => {
    const stops: [string, unknown][] = []
    const runtime = createToolRuntime({
      ...options,
      scheduling: { rule: 'base' },
      conversation: { onStop: (reason, source) => stops.push([reason, source]) },
    })

    const ids = ['a', 'b', 'c', 'd', 'e']
    const results = await runtime.run(ids.map((id) => call('Echo', { text: id }, id))).results

    expect(denials(results)).toEqual([true, true, true, false, false])
    expect(textOf(results[3])).toMatch(/^The classifier denied too many calls\..*There is no user to ask/)
    expect(textOf(results[4])).toMatch(/^The run was stopped\. The classifier denied too many calls/)
    expect(stops).toEqual([[runtime.stopReason, {}]])
  })
})

describe('a result that was moved to a file', () => {
  const Long = buildTool({
    name: 'Long',
    description: 'Returns a long text',
    inputSchema: z.object({}),
    outputSchema: z.string(),
    maxResultSizeChars: 100,
    isReadOnly: () => true,
    call: async () => ({ data: 'long '.repeat(100) }),
  })

  async function moved(mode: PermissionMode) {
    const runtime = createToolRuntime({
      tools: [Read, Write, Long],
      permissions: { mode, allow: ['Long'] },
      cwd: join(folder, 'project'),
      storage: { resultsDirectory: join(folder, 'sessions/one') },
    })
    await runtime.run([call('Long', {}, 'long')]).results
    return runtime
  }

  beforeEach(async () => {
    await mkdir(join(folder, 'project'))
    await mkdir(join(folder, 'sessions/one-more'), { recursive: true })
    await writeFile(join(folder, 'sessions/one-more/long.txt'), 'of another')
    await writeFile(join(folder, 'sessions/long.txt'), 'of another')
  })

  test.each(['default', 'dontAsk', 'plan', 'acceptEdits'] as const)(
    'can be read without approval in %s',
    async (mode) => {
      const runtime = await moved(mode)

      const [whole, ...others] = await runtime.run([
        call('Read', { path: join(folder, 'sessions/one/long.txt') }, 'a'),
        call('Read', { path: join(folder, 'sessions/one-more/long.txt') }, 'b'),
        call('Read', { path: join(folder, 'sessions/long.txt') }, 'c'),
        call('Write', { path: join(folder, 'sessions/one/long.txt'), text: 'forged' }, 'd'),
        call('Write', { path: join(folder, 'sessions/one/new.txt'), text: 'forged' }, 'e'),
      ]).results

      expect(whole).toMatchObject({ content: 'long '.repeat(100) })
      expect(whole?.is_error).not.toBe(true)
      expect(others.map(({ is_error }) => is_error)).toEqual([true, true, true, true])
      expect(await readFile(join(folder, 'sessions/one/long.txt'), 'utf8')).toBe('long '.repeat(100))
    },
  )

  test('gives no access to the target of a link in its folder', async () => {
    const runtime = await moved('default')
    await symlink(join(folder, 'sessions/long.txt'), join(folder, 'sessions/one/link.txt'))

    const [result] = await runtime.run([call('Read', { path: join(folder, 'sessions/one/link.txt') })]).results

    expect(result?.is_error).toBe(true)
  })

  test('cannot be read if a rule denies it', async () => {
    const runtime = await moved('default')
    await runtime.applyUpdates([
      { type: 'addRules', destination: 'session', behavior: 'deny', rules: [`Read(/${folder}/sessions/**)`] },
    ])

    const [result] = await runtime.run([call('Read', { path: join(folder, 'sessions/one/long.txt') })]).results

    expect(result?.is_error).toBe(true)
  })
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
