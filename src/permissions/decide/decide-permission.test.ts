import { describe, expect, test } from 'vitest'
import { createPermissionContext, PERMISSION_MODES, RULE_SOURCES } from '../../contract/permission/context.js'
import { analyseUnknownCommand } from '../../shell/unknown-command.js'
import { FILE_CALLS, findFileTool } from '../../testing/files/file-calls.js'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import {
  behaviorOf,
  createFixtureTool,
  decideOn,
  type FakeShell,
  FetchTool,
  NoteTool,
  ReadTool,
  readStatedCommand,
  WriteTool,
} from '../fixture-calls.js'

const RULE_LIST_KEYS = { deny: 'alwaysDenyRules', ask: 'alwaysAskRules', allow: 'alwaysAllowRules' } as const
const insideInput = { file_path: 'src/a.ts' }

/** The expected answers in the order of the modes: default, acceptEdits, plan, auto, dontAsk, bypassPermissions. */
const WRITE_DECISIONS = {
  none: ['ask', 'allow', 'deny', 'allow', 'deny', 'allow'],
  deny: ['deny', 'deny', 'deny', 'deny', 'deny', 'deny'],
  ask: ['ask', 'ask', 'deny', 'ask', 'deny', 'ask'],
  allow: ['allow', 'allow', 'deny', 'allow', 'allow', 'allow'],
}
const READ_DECISIONS = {
  none: ['allow', 'allow', 'allow', 'allow', 'allow', 'allow'],
  deny: ['deny', 'deny', 'deny', 'deny', 'deny', 'deny'],
  ask: ['ask', 'ask', 'ask', 'ask', 'deny', 'ask'],
  allow: ['allow', 'allow', 'allow', 'allow', 'allow', 'allow'],
}
const EXPECTED_DECISIONS = [
  { tool: WriteTool, input: insideInput, ...WRITE_DECISIONS },
  { tool: ReadTool, input: insideInput, ...READ_DECISIONS },
  ...FILE_CALLS.map(({ tool, does, input }) => ({
    ...{ tool: findFileTool(tool), input: input('src/a.ipynb', 'old', 'new') },
    ...(does === 'writes' ? WRITE_DECISIONS : READ_DECISIONS),
  })),
  {
    tool: NoteTool,
    input: {},
    none: ['ask', 'ask', 'deny', 'ask', 'deny', 'allow'],
    deny: ['deny', 'deny', 'deny', 'deny', 'deny', 'deny'],
    ask: ['ask', 'ask', 'deny', 'ask', 'deny', 'ask'],
    allow: ['allow', 'allow', 'deny', 'allow', 'allow', 'allow'],
  },
]

describe.each(EXPECTED_DECISIONS)('a call of $tool.name with $input', ({ tool, input, none, ...lists }) => {
  test('is decided by the mode if there are no rules', async () => {
    expect(await Promise.all(PERMISSION_MODES.map((mode) => behaviorOf(tool, input, { mode })))).toEqual(none)
  })

  test.each(RULE_SOURCES)('follows the deny, ask and allow rules of %s in every mode', async (source) => {
    for (const list of ['deny', 'ask', 'allow'] as const) {
      const answers = PERMISSION_MODES.map((mode) => {
        const permissions = createPermissionContext({ mode, [RULE_LIST_KEYS[list]]: { [source]: [tool.name] } })
        return behaviorOf(tool, input, { permissions })
      })
      expect([list, await Promise.all(answers)]).toEqual([list, lists[list]])
    }
  })
})

test('deny overrides ask, and ask overrides allow, for every pair of sources', async () => {
  for (const strictSource of RULE_SOURCES) {
    for (const looseSource of RULE_SOURCES) {
      const denyContext = createPermissionContext({
        alwaysDenyRules: { [strictSource]: ['Note'] },
        alwaysAllowRules: { [looseSource]: ['Note'] },
      })
      const askContext = createPermissionContext({
        alwaysAskRules: { [strictSource]: ['Note'] },
        alwaysAllowRules: { [looseSource]: ['Note'] },
      })
      expect(await behaviorOf(NoteTool, {}, { permissions: denyContext })).toBe('deny')
      expect(await behaviorOf(NoteTool, {}, { permissions: askContext })).toBe('ask')
    }
  }
})

test('the outcome names the rule and its source, and contains the trace', async () => {
  const permissions = createPermissionContext({ alwaysDenyRules: { userSettings: ['Note'], policy: ['Note'] } })

  const outcome = await decideOn(NoteTool, {}, { permissions })

  expect(outcome).toEqual({
    behavior: 'deny',
    reason: { type: 'rule', text: 'a deny rule from managed policy', rule: 'Note', source: 'policy' },
    message: 'Note in managed policy denies this call of Note. Ask the user, or work without it.',
    suggestions: [],
    trace: [{ stage: 'deny rules', outcome: 'deny', text: 'a deny rule from managed policy (Note)' }],
  })
})

test('the trace of a question lists every stage in order', async () => {
  const { trace } = await decideOn(NoteTool, {})

  expect(trace.map(({ stage, outcome }) => [stage, outcome])).toEqual([
    ['deny rules', 'pass'],
    ['ask rules', 'pass'],
    ['tool', 'pass'],
    ['safety', 'pass'],
    ['mode', 'pass'],
    ['allow rules', 'pass'],
    ['read-only', 'pass'],
    ['question', 'ask'],
  ])
})

describe('a hook', () => {
  const deny = { behavior: 'deny', reason: 'not today' } as const
  const ask = { behavior: 'ask' } as const
  const allow = { behavior: 'allow' } as const

  test('can deny in every mode and despite every allow', async () => {
    for (const mode of PERMISSION_MODES) {
      const outcome = await decideOn(ReadTool, insideInput, { mode, hook: deny, rules: { allow: ['Read'] } })
      expect([outcome.behavior, outcome.reason]).toEqual(['deny', { type: 'hook', text: 'not today' }])
    }
  })

  test('can ask despite allow rules and modes that allow', async () => {
    const answers = PERMISSION_MODES.map((mode) =>
      behaviorOf(WriteTool, insideInput, { mode, hook: ask, rules: { allow: ['Write'] } }),
    )
    expect(await Promise.all(answers)).toEqual(['ask', 'ask', 'deny', 'ask', 'deny', 'ask'])
  })

  test('can allow only calls that the mode or the default would ask about', async () => {
    expect(await behaviorOf(NoteTool, {}, { hook: allow })).toBe('allow')
    expect(await behaviorOf(NoteTool, {}, { hook: allow, canAsk: false })).toBe('allow')
    expect(await behaviorOf(NoteTool, {}, { hook: allow, rules: { deny: ['Note'] } })).toBe('deny')
    expect(await behaviorOf(NoteTool, {}, { hook: allow, rules: { ask: ['Note'] } })).toBe('ask')
    expect(await behaviorOf(WriteTool, { file_path: '.haft/settings.json' }, { hook: allow })).toBe('ask')
    expect(await behaviorOf(NoteTool, {}, { hook: allow, mode: 'plan' })).toBe('deny')
    expect(
      await behaviorOf(
        createFixtureTool('Asks', { checkPermissions: () => ({ behavior: 'ask', message: 'sure?' }) }),
        {},
        { hook: allow },
      ),
    ).toBe('ask')
  })
})

describe("a tool's own check", () => {
  const tool = (behavior: 'allow' | 'deny' | 'ask' | 'passthrough') =>
    createFixtureTool('Own', { checkPermissions: () => ({ behavior, message: 'because' }) })

  test('denies in every mode', async () => {
    for (const mode of PERMISSION_MODES) {
      expect(await behaviorOf(tool('deny'), {}, { mode, rules: { allow: ['Own'], ask: ['Own'] } })).toBe('deny')
    }
  })

  test('asks before the mode and allow rules apply', async () => {
    const answers = PERMISSION_MODES.map((mode) => behaviorOf(tool('ask'), {}, { mode, rules: { allow: ['Own'] } }))
    expect(await Promise.all(answers)).toEqual(['ask', 'ask', 'ask', 'ask', 'deny', 'ask'])
  })

  test('allows if no restriction applies', async () => {
    const answers = PERMISSION_MODES.map((mode) => behaviorOf(tool('allow'), {}, { mode }))
    expect(await Promise.all(answers)).toEqual(['allow', 'allow', 'deny', 'allow', 'allow', 'allow'])
    expect(await behaviorOf(tool('allow'), {}, { rules: { ask: ['Own'] } })).toBe('ask')
    expect(await behaviorOf(tool('passthrough'), {})).toBe('ask')
  })

  test('does not allow a call that uses a path outside the working directories', async () => {
    const outsideTool = createFixtureTool('Own', {
      checkPermissions: () => ({ behavior: 'allow' }),
      getPath: () => '/elsewhere/x',
    })
    expect(await behaviorOf(outsideTool, {})).toBe('ask')
    expect(await behaviorOf(outsideTool, {}, { rules: { allow: ['Own'] } })).toBe('allow')
  })

  test('that throws or returns an invalid answer causes a question', async () => {
    const throwingTool = createFixtureTool('Own', {
      checkPermissions: () => {
        throw new Error('bug')
      },
    })
    const toolWithInvalidAnswer = createFixtureTool('Own', { checkPermissions: () => ({ behavior: 'yes' }) as never })
    for (const brokenTool of [throwingTool, toolWithInvalidAnswer]) {
      expect(await behaviorOf(brokenTool, {}, { mode: 'bypassPermissions', rules: { allow: ['Own'] } })).toBe('ask')
      expect(await behaviorOf(brokenTool, {}, { canAsk: false })).toBe('deny')
    }
  })

  test('that throws or returns an invalid answer causes a denial in plan mode', async () => {
    const throwingTool = createFixtureTool('Own', {
      checkPermissions: () => {
        throw new Error('bug')
      },
    })
    const toolWithInvalidAnswer = createFixtureTool('Own', { checkPermissions: () => ({ behavior: 'yes' }) as never })
    for (const brokenTool of [throwingTool, toolWithInvalidAnswer])
      expect(await behaviorOf(brokenTool, {}, { mode: 'plan' })).toBe('deny')
    expect(await behaviorOf(tool('ask'), {}, { mode: 'plan' })).toBe('ask')
  })

  test('returns the input as changed by the tool', async () => {
    const changingTool = createFixtureTool('Own', {
      checkPermissions: () => ({ behavior: 'allow', updatedInput: { a: 1 } }),
    })
    expect(await decideOn(changingTool, {})).toMatchObject({ behavior: 'allow', updatedInput: { a: 1 } })
  })
})

describe('an MCP tool', () => {
  const tool = createFixtureMcpTool('my server', 'do.it')

  test('is matched by the name of its server or tool, in each spelling', async () => {
    for (const rule of [
      'mcp__my server',
      'mcp__my_server',
      'mcp__my_server__*',
      'mcp__my_server__do_it',
      'mcp__my server__do.it',
    ]) {
      expect(await behaviorOf(tool, {}, { rules: { deny: [rule], allow: [rule] } })).toBe('deny')
      expect(await behaviorOf(tool, {}, { rules: { allow: [rule] } })).toBe('allow')
    }
    for (const rule of ['mcp__my', 'mcp__my_server__do', 'do_it', 'mcp__*']) {
      expect(await behaviorOf(tool, {}, { rules: { allow: [rule] } })).toBe('ask')
    }
  })

  test('can be denied but not allowed by a rule that fits several servers', async () => {
    const nestedTool = createFixtureMcpTool('github__x', 'y')
    expect(await behaviorOf(nestedTool, {}, { rules: { allow: ['mcp__github__x', 'mcp__github__x__y'] } })).toBe('ask')
    expect(await behaviorOf(nestedTool, {}, { rules: { deny: ['mcp__github__x'] } })).toBe('deny')
    expect((await decideOn(nestedTool, {})).suggestions).toEqual([])

    const toolWithSpace = createFixtureMcpTool('a b', 'y')
    const createToolContext = (options: object) => ({ options, signal: new AbortController().signal }) as never
    const contextsWithNamesake = [
      createToolContext({ tools: [createFixtureMcpTool('a_b', 'y')] }),
      createToolContext({ mcpClients: [{ name: 'a_b' }] }),
    ]
    for (const context of contextsWithNamesake) {
      const options = { toolContext: context, rules: { allow: ['mcp__a_b'] } }
      expect(await behaviorOf(toolWithSpace, {}, options)).toBe('ask')
      expect(await behaviorOf(createFixtureMcpTool('a_b', 'y'), {}, options)).toBe('allow')
    }
  })

  test('is asked about even if it claims to be read-only or allowed', async () => {
    const overclaimingTool = createFixtureTool('mcp__s__t', {
      isMcp: true,
      mcpInfo: { serverName: 's', toolName: 't' },
      isReadOnly: () => true,
      checkPermissions: () => ({ behavior: 'allow' }),
    })
    expect(await behaviorOf(overclaimingTool, {})).toBe('ask')
    expect(await behaviorOf(overclaimingTool, {}, { mode: 'plan' })).toBe('deny')
    expect(await behaviorOf(overclaimingTool, {}, { mode: 'acceptEdits' })).toBe('ask')
  })

  describe('that claims to be read-only, in plan mode', () => {
    const hintedTool = createFixtureTool('mcp__s__t', {
      isMcp: true,
      mcpInfo: { serverName: 's', toolName: 't' },
      isReadOnly: () => true,
    })
    const createTrustingContext = (names: readonly string[], rules: { ask?: string[]; deny?: string[] } = {}) => ({
      permissions: createPermissionContext({
        mode: 'plan',
        trustedMcpServers: names,
        alwaysAskRules: { session: rules.ask ?? [] },
        alwaysDenyRules: { session: rules.deny ?? [] },
      }),
    })

    test('runs if an allow rule covers it', async () => {
      for (const rule of ['mcp__s', 'mcp__s__*', 'mcp__s__t']) {
        expect(await behaviorOf(hintedTool, {}, { mode: 'plan', rules: { allow: [rule] } })).toBe('allow')
      }
      for (const rule of ['mcp__s__u', 'mcp__other', 'mcp__s__t(x)', 'Bash']) {
        expect(await behaviorOf(hintedTool, {}, { mode: 'plan', rules: { allow: [rule] } })).toBe('deny')
      }
    })

    test('is asked about if only a setting trusts its server', async () => {
      expect(await behaviorOf(hintedTool, {}, createTrustingContext(['s']))).toBe('ask')
      expect(await behaviorOf(hintedTool, {}, { ...createTrustingContext(['s']), canAsk: false })).toBe('deny')
      expect(await behaviorOf(hintedTool, {}, createTrustingContext(['S', 'mcp__s', 's__t']))).toBe('deny')
    })

    test('is denied or asked about if a deny or ask rule covers it', async () => {
      const rules = { allow: ['mcp__s'] }
      expect(await behaviorOf(hintedTool, {}, { mode: 'plan', rules: { ...rules, ask: ['mcp__s__t'] } })).toBe('ask')
      expect(await behaviorOf(hintedTool, {}, { mode: 'plan', rules: { ...rules, deny: ['mcp__s__t'] } })).toBe('deny')
      expect(await behaviorOf(hintedTool, {}, createTrustingContext(['s'], { deny: ['mcp__s'] }))).toBe('deny')
    })

    test('is denied if the read-only hint is missing, even if an allow rule covers it', async () => {
      const tool = createFixtureMcpTool('s', 't')
      expect(await behaviorOf(tool, {}, { mode: 'plan', rules: { allow: ['mcp__s'] } })).toBe('deny')
      expect(await behaviorOf(tool, {}, createTrustingContext(['s']))).toBe('deny')
    })
  })

  test('can ask despite an allow rule, but cannot turn a denial into a question', async () => {
    const askingTool = createFixtureTool('mcp__s__t', {
      isMcp: true,
      mcpInfo: { serverName: 's', toolName: 't' },
      checkPermissions: () => ({
        behavior: 'ask',
        message: 'it changed',
        updatedInput: { other: 1 },
        suggestions: [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }],
      }),
    })
    const allowRules = { allow: ['mcp__s'] }

    const askOutcome = await decideOn(askingTool, {}, { rules: allowRules })
    expect(askOutcome).toMatchObject({ behavior: 'ask', message: 'it changed', suggestions: [] })
    expect(askOutcome.updatedInput).toBeUndefined()
    expect(await behaviorOf(askingTool, {}, { rules: allowRules, mode: 'bypassPermissions' })).toBe('ask')
    expect(await behaviorOf(askingTool, {}, { rules: allowRules, mode: 'plan' })).toBe('deny')
    expect(await behaviorOf(askingTool, {}, { rules: { deny: ['mcp__s'] } })).toBe('deny')
    const combinedOutcome = await decideOn(askingTool, {}, { rules: { ask: ['mcp__s'] } })
    expect(combinedOutcome.message).toMatch(/asks about it\.\nit changed$/)
  })

  test('is not allowed by a rule with content, not even with a host', async () => {
    const rules = { allow: ['mcp__s__t(domain:a.b)', 'mcp__s__t(x)'] }
    expect(await behaviorOf(createFixtureMcpTool('s', 't'), { url: 'https://a.b' }, { rules })).toBe('ask')
  })

  test('is not allowed by the rules of a built-in tool whose name it is shown under', async () => {
    const renamedTool = createFixtureMcpTool('s', 't', { shownAs: 'Note' })
    expect(await behaviorOf(renamedTool, {}, { rules: { allow: ['Note'] } })).toBe('ask')
  })
})

describe('without a user to ask', () => {
  test('a question becomes a denial that names the rule to add', async () => {
    const outcome = await decideOn(NoteTool, {}, { canAsk: false })

    expect(outcome).toMatchObject({ behavior: 'deny', needsUser: true, reason: { type: 'default' } })
    expect(outcome.message).toBe(
      'Note needs approval: it may change something. There is no user to ask. To allow it, add "Note" to permissions.allow in .haft/settings.json of a trusted project (haft trust), or pass it with --allowed-tools.',
    )
  })

  test('a denied edit names the narrowest rule and the mode that allows edits', async () => {
    const outcome = await decideOn(WriteTool, { file_path: 'src/a.ts' }, { canAsk: false })

    expect(outcome.message).toBe(
      'Write needs approval: it may change something. There is no user to ask. To allow it, add "Edit(/src/a.ts)" to permissions.allow in .haft/settings.json of a trusted project (haft trust), or pass it with --allowed-tools. The mode acceptEdits (--permission-mode acceptEdits) allows all edits in the working directories.',
    )
  })

  test('a denial that no allow rule can change says so', async () => {
    const protectedWrite = await decideOn(WriteTool, { file_path: '.git/config' }, { canAsk: false })
    const outcomeOfAskRule = await decideOn(NoteTool, {}, { canAsk: false, rules: { ask: ['Note'] } })

    expect(protectedWrite.message).toMatch(/No rule allows it; only the user can\.$/)
    expect(outcomeOfAskRule.message).toMatch(/Only the user can allow it, now or by changing the rule "Note"\.$/)
  })
})

describe('a read-only call', () => {
  test('is asked about if it uses the network, unless its domain is allowed', async () => {
    const input = { url: 'https://example.com/x' }
    expect(await behaviorOf(FetchTool, input)).toBe('ask')
    expect(await behaviorOf(FetchTool, input, { rules: { allow: ['WebFetch(domain:example.com)'] } })).toBe('allow')
    expect(await behaviorOf(FetchTool, input, { rules: { allow: ['WebFetch(domain:example.org)'] } })).toBe('ask')
    expect(
      await behaviorOf(FetchTool, input, { rules: { allow: ['WebFetch'], deny: ['WebFetch(domain:*.example.com)'] } }),
    ).toBe('deny')
    expect(
      await behaviorOf(FetchTool, { url: '::' }, { rules: { allow: ['WebFetch'], deny: ['WebFetch(domain:a.b)'] } }),
    ).toBe('ask')
  })

  test('is asked about if it may use more files than it lists, or if it is open-world', async () => {
    const moreTool = createFixtureTool('More', {
      isReadOnly: () => true,
      resources: () => ({ reads: [{ path: 'a' }], unknown: true }),
    })
    const openTool = createFixtureTool('Open', { isReadOnly: () => true, isOpenWorld: () => true })
    const brokenTool = createFixtureTool('Open', {
      isReadOnly: () => true,
      isOpenWorld: () => {
        throw new Error('bug')
      },
    })
    expect([await behaviorOf(moreTool, {}), await behaviorOf(openTool, {}), await behaviorOf(brokenTool, {})]).toEqual([
      'ask',
      'ask',
      'ask',
    ])
  })
})

describe('rule content that only the tool understands', () => {
  const agent = createFixtureTool('Agent', {
    aliases: ['Task'],
    preparePermissionMatcher: (input: { kind: string }) => (content: string) => content === input.kind,
  })

  test('is matched by the tool under its name and its alias', async () => {
    expect(await behaviorOf(agent, { kind: 'Explore' }, { rules: { allow: ['Agent(Explore)'] } })).toBe('allow')
    expect(await behaviorOf(agent, { kind: 'Explore' }, { rules: { allow: ['Task(Explore)'] } })).toBe('allow')
    expect(await behaviorOf(agent, { kind: 'Plan' }, { rules: { allow: ['Agent(Explore)'] } })).toBe('ask')
    expect(await behaviorOf(agent, { kind: 'Plan' }, { rules: { allow: ['Agent'], deny: ['Task(Plan)'] } })).toBe(
      'deny',
    )
  })

  test('allows nothing if the call uses a path, inside or outside the working directories', async () => {
    const matchingMembers = { preparePermissionMatcher: () => () => true }
    const outsideTool = createFixtureTool('Agent', {
      ...matchingMembers,
      needs: ['files', 'agents'],
      getPath: () => '/etc/passwd',
    })
    const insideTool = createFixtureTool('Agent', {
      ...matchingMembers,
      needs: ['files', 'agents'],
      getPath: () => 'a',
    })
    const listingTool = createFixtureTool('Agent', {
      ...matchingMembers,
      resources: () => ({ writes: [{ path: '/etc/passwd' }], unknown: true }),
    })
    for (const tool of [outsideTool, insideTool, listingTool]) {
      expect(await behaviorOf(tool, {}, { rules: { allow: ['Agent(x y)'] } })).toBe('ask')
    }
  })

  test('causes a question in a deny rule and allows nothing in an allow rule if the matcher fails', async () => {
    const brokenTool = createFixtureTool('Agent', {
      preparePermissionMatcher: () => {
        throw new Error('bug')
      },
    })
    const failingMatcherTool = createFixtureTool('Agent', {
      preparePermissionMatcher: () => () => {
        throw new Error('bug')
      },
    })
    for (const tool of [brokenTool, failingMatcherTool]) {
      expect(await behaviorOf(tool, {}, { rules: { allow: ['Agent'], deny: ['Agent(x)'] } })).toBe('ask')
      expect(await behaviorOf(tool, {}, { rules: { allow: ['Agent(x)'] } })).toBe('ask')
    }
  })
})

describe('malformed rules', () => {
  test('restrict the whole tool, and allow nothing', async () => {
    expect(await behaviorOf(NoteTool, {}, { rules: { deny: ['Note('], allow: ['Note'] } })).toBe('deny')
    expect(await behaviorOf(NoteTool, {}, { rules: { ask: ['Note()'], allow: ['Note'] } })).toBe('ask')
    expect(await behaviorOf(NoteTool, {}, { rules: { deny: ['Note (x)'], allow: ['Note'] } })).toBe('deny')
    expect(await behaviorOf(ReadTool, insideInput, { rules: { deny: [' Read\t(.env)'] } })).toBe('deny')
    expect(await behaviorOf(NoteTool, {}, { rules: { allow: ['Note(', 'Note()', ''] } })).toBe('ask')
  })

  test('a restriction whose content the tool cannot match counts for the whole tool', async () => {
    const mcpTool = createFixtureTool('mcp__s__t', { isMcp: true, mcpInfo: { serverName: 's', toolName: 't' } })
    const fileTool = createFixtureTool('Files', { needs: ['files'] })
    for (const [tool, rule] of [
      [NoteTool, 'Note(x)'],
      [NoteTool, 'Note(domain:a.b)'],
      [fileTool, 'Files(x)'],
      [mcpTool, 'mcp__s__t(x)'],
      [mcpTool, 'mcp__s(x)'],
    ] as const) {
      const allow = [rule.replace(/\(.*/, '')]
      expect(await behaviorOf(tool, {}, { rules: { deny: [rule], allow } }), rule).toBe('deny')
      expect(await behaviorOf(tool, {}, { rules: { ask: [rule], allow } }), rule).toBe('ask')
      expect(await behaviorOf(tool, {}, { rules: { allow: [rule] } }), rule).toBe('ask')
    }
  })

  test('a restriction for a tool that states no path in this call asks', async () => {
    const deployTool = createFixtureTool('Deploy', { resources: () => ({ writes: [{ thing: 'servers' }] }) })
    expect(await behaviorOf(deployTool, {}, { rules: { deny: ['Deploy(production)'], allow: ['Deploy'] } })).toBe('ask')
  })
})

test('rules that are added to a mutable context apply to the next decision', async () => {
  const rules: string[] = []
  const permissions = { ...createPermissionContext(), alwaysDenyRules: { session: rules } }
  const behaviorBefore = await behaviorOf(NoteTool, {}, { permissions })
  rules.push('Note')

  expect([behaviorBefore, await behaviorOf(NoteTool, {}, { permissions })]).toEqual(['ask', 'deny'])
})

test('a call that cannot be judged at all is never allowed', async () => {
  const analyse: FakeShell['analyse'] = (line, cwd) => ({
    ...analyseUnknownCommand(line, cwd),
    commands: [null as never],
  })
  const shell = { analyse }
  const tool = createFixtureTool('Bash', { needs: ['shell'], command: readStatedCommand })
  const decide = (options: object) => behaviorOf(tool, { command: 'x' }, { shell, ...options })

  expect(await decide({ mode: 'bypassPermissions', rules: { allow: ['Bash'] } })).toBe('ask')
  expect(await decide({ canAsk: false })).toBe('deny')
  expect(await decide({ mode: 'dontAsk' })).toBe('deny')
  expect(await decide({ rules: { deny: ['Bash'] } })).toBe('deny')
  expect(await decide({ rules: { deny: ['Read'] } })).toBe('deny')
  expect(await decide({ rules: { deny: ['Edit'] } })).toBe('deny')
  expect(await decide({ rules: { deny: ['Bash(rm:*)'] } })).toBe('ask')
  const hookDecision = await decideOn(
    tool,
    { command: 'x' },
    { shell, hook: { behavior: 'deny', reason: 'not today' } },
  )
  expect([hookDecision.behavior, hookDecision.reason]).toEqual(['deny', { type: 'hook', text: 'not today' }])
  const monitorTool = createFixtureTool('Monitor', { needs: ['shell'], command: readStatedCommand })
  expect(await behaviorOf(monitorTool, { command: 'x' }, { shell, rules: { deny: ['Bash'] } })).toBe('deny')
})
