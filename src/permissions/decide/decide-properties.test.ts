import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createPermissionContext,
  PERMISSION_MODES,
  RULE_SOURCES,
  type RulesBySource,
  type ToolPermissionContext,
} from '../../contract/permission/context.js'
import type { Tool } from '../../contract/tool/tool.js'
import { omitsRestricted } from '../../runtime/permissions/hide-restricted.js'
import { toKnownWord } from '../../shell/words/shell-word.js'
import { FILE_CALLS, findFileTool } from '../../testing/files/file-calls.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import {
  BashTool,
  createFakePaths,
  createFakeShell,
  createFixtureTool,
  decideOn,
  EditTool,
  FetchTool,
  GrepTool,
  NoteTool,
  PatchTool,
  ReadTool,
  WriteTool,
} from '../fixture-calls.js'

const argvOf = (text: string) => text.split(' ').map(toKnownWord)
const GIT_WITH_UNKNOWN_WORD = [toKnownWord('git'), { text: '$X', knownLength: 0, spread: 'any' as const }]
const shell = createFakeShell({
  'npm test': [{}],
  'npm test > out.log': [
    { argv: argvOf('npm test'), asWritten: [{ words: argvOf('npm test') }], redirects: ['out.log'] },
  ],
  'cat .env': [{ isReadOnly: true, reads: ['.env'] }],
  'sudo rm x': [{ argv: argvOf('rm x') }],
  'git $X': [{ argv: GIT_WITH_UNKNOWN_WORD, asWritten: [{ words: GIT_WITH_UNKNOWN_WORD }] }],
})
const paths = createFakePaths({
  links: { '/project/out': '/etc', '/project/alias': '/project/secrets' },
  folders: ['/project', '/project/src', '/project/secrets', '/etc'],
})
const AskingTool = createFixtureTool('Asks', { checkPermissions: () => ({ behavior: 'ask', message: 'sure?' }) })
const RefusingTool = createFixtureTool('Refuses', { checkPermissions: () => ({ behavior: 'deny', message: 'no' }) })
const AllowingTool = createFixtureTool('Allows', { checkPermissions: () => ({ behavior: 'allow' }) })

const anyPath = fc.constantFrom(
  'src/a.ts',
  '.env',
  'secrets/key',
  'alias/key',
  'out/x',
  '/etc/passwd',
  '~/.zshrc',
  '.git/config',
  '//srv/x',
  '../up',
)
const fixtureCall: fc.Arbitrary<readonly [Tool, object]> = fc.oneof(
  fc.tuple(
    fc.constantFrom(ReadTool, WriteTool, EditTool),
    anyPath.map((file_path): object => ({ file_path })),
  ),
  fc.tuple(
    fc.constant(GrepTool),
    anyPath.map((path): object => ({ path })),
  ),
  fc.tuple(
    fc.constant(PatchTool),
    fc.array(anyPath, { minLength: 1, maxLength: 2 }).map((files): object => ({ files })),
  ),
  fc.tuple(fc.constantFrom(NoteTool, AskingTool, RefusingTool, AllowingTool), fc.constant<object>({})),
  fc.tuple(
    fc.constant(FetchTool),
    fc.constantFrom('https://a.b/', 'https://x.a.b/', '::').map((url): object => ({ url })),
  ),
  fc.tuple(
    fc.constant(BashTool),
    fc
      .constantFrom('npm test', 'npm test > out.log', 'cat .env', 'sudo rm x', 'git $X', 'unknown | rm')
      .map((command): object => ({ command })),
  ),
)
const realCall: fc.Arbitrary<readonly [Tool, object]> = fc
  .tuple(fc.constantFrom(...FILE_CALLS), anyPath)
  .map(([{ tool, input }, path]) => [findFileTool(tool), input(path, 'old', 'new')])
const CALL_KINDS = [
  { kind: 'the fixture tools', call: fixtureCall },
  { kind: 'the real file tools', call: realCall },
]

const rule = fc.constantFrom(
  ...['Read', 'Write', 'Edit', 'Grep', 'Note', 'Bash', 'Asks', 'Refuses', 'Allows', 'ApplyPatch', 'WebFetch'],
  ...['Read(src/**)', 'Read(.env)', 'Read(secrets)', 'Read(//etc/**)', 'Read(~/**)', 'Read(**)', 'Read(//**)'],
  ...[
    'Edit(src/**)',
    'Edit(.env)',
    'Edit(alias/**)',
    'Edit(//etc/**)',
    'Edit(**)',
    'Edit(//**)',
    'Write(src/**)',
    'Edit(!x)',
  ],
  ...[
    'Bash(*)',
    'Bash(npm test)',
    'Bash(npm:*)',
    'Bash(rm:*)',
    'Bash(sudo:*)',
    'Bash(git push:*)',
    'Bash(git:*)',
    'Bash(* x)',
  ],
  ...['WebFetch(domain:a.b)', 'WebFetch(domain:*.a.b)', 'Broken(', 'Nothing(x)'],
)
const rules: fc.Arbitrary<RulesBySource> = fc.dictionary(
  fc.constantFrom(...RULE_SOURCES),
  fc.array(rule, { maxLength: 3 }),
  {
    maxKeys: 3,
  },
)
const context: fc.Arbitrary<ToolPermissionContext> = fc
  .record({
    mode: fc.constantFrom(...PERMISSION_MODES),
    alwaysAllowRules: rules,
    alwaysDenyRules: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, rules),
    alwaysAskRules: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, rules),
  })
  .map(createPermissionContext)
const hook = fc.option(fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const), { nil: undefined })
const source = fc.constantFrom(...RULE_SOURCES)

const BEHAVIOR_STRICTNESS = { allow: 0, ask: 1, deny: 2 }

async function decide(
  [tool, input]: readonly [Tool, object],
  permissions: ToolPermissionContext,
  hookDecision: 'allow' | 'ask' | 'deny' | undefined,
  canAsk = true,
) {
  const outcome = await decideOn(tool, input, {
    ...{ permissions, paths, shell, canAsk, skipsDeniedFiles: omitsRestricted },
    ...(hookDecision !== undefined && { hook: { behavior: hookDecision } }),
  })
  return { ...outcome, strictness: BEHAVIOR_STRICTNESS[outcome.behavior] }
}

function withRule(
  permissions: ToolPermissionContext,
  list: 'alwaysAllowRules' | 'alwaysDenyRules' | 'alwaysAskRules',
  ruleSource: (typeof RULE_SOURCES)[number],
  text: string,
): ToolPermissionContext {
  const rulesBefore = permissions[list]
  return createPermissionContext({
    ...permissions,
    [list]: { ...rulesBefore, [ruleSource]: [...(rulesBefore[ruleSource] ?? []), text] },
  })
}

describe.each(CALL_KINDS)('for any call of $kind, rules, mode and hook', ({ call }) => {
  test('a deny rule without content denies the call', async () => {
    await fc.assert(
      fc.asyncProperty(call, context, hook, source, async (toolCall, permissions, hookBehavior, ruleSource) => {
        const denyContext = withRule(permissions, 'alwaysDenyRules', ruleSource, toolCall[0].name)
        expect((await decide(toolCall, denyContext, hookBehavior)).behavior).toBe('deny')
      }),
      createPropertyOptions(),
    )
  })

  test('an additional deny or ask rule never makes the answer less strict', async () => {
    const list = fc.constantFrom('alwaysDenyRules' as const, 'alwaysAskRules' as const)
    await fc.assert(
      fc.asyncProperty(
        call,
        context,
        hook,
        source,
        list,
        rule,
        async (toolCall, permissions, hookBehavior, ruleSource, ruleList, text) => {
          const outcomeBefore = await decide(toolCall, permissions, hookBehavior)
          const outcomeAfter = await decide(toolCall, withRule(permissions, ruleList, ruleSource, text), hookBehavior)
          expect(outcomeAfter.strictness).toBeGreaterThanOrEqual(outcomeBefore.strictness)
        },
      ),
      createPropertyOptions(1000),
    )
  })

  test('an additional allow rule never overrides a rule, a hook, the tool, a safety check or plan mode', async () => {
    await fc.assert(
      fc.asyncProperty(
        call,
        context,
        hook,
        source,
        rule,
        async (toolCall, permissions, hookBehavior, ruleSource, text) => {
          const outcomeBefore = await decide(toolCall, permissions, hookBehavior)
          const outcomeAfter = await decide(
            toolCall,
            withRule(permissions, 'alwaysAllowRules', ruleSource, text),
            hookBehavior,
          )
          const isRestricted =
            ['rule', 'hook', 'tool', 'safety', 'input'].includes(outcomeBefore.reason.type) ||
            (permissions.mode === 'plan' && outcomeBefore.behavior === 'deny')
          if (isRestricted && outcomeBefore.behavior !== 'allow')
            expect(outcomeAfter.behavior).toBe(outcomeBefore.behavior)
          else expect(outcomeAfter.strictness).toBeLessThanOrEqual(outcomeBefore.strictness)
        },
      ),
      createPropertyOptions(1000),
    )
  })

  test('a hook that allows never overrides a rule, the tool, a safety check or a refused input', async () => {
    await fc.assert(
      fc.asyncProperty(call, context, async (toolCall, permissions) => {
        const outcomeBefore = await decide(toolCall, permissions, undefined)
        const outcomeAfter = await decide(toolCall, permissions, 'allow')
        const isRestricted = ['rule', 'tool', 'safety', 'input'].includes(outcomeBefore.reason.type)
        if (isRestricted) expect(outcomeAfter.behavior).toBe(outcomeBefore.behavior)
        expect(outcomeAfter.strictness).toBeLessThanOrEqual(outcomeBefore.strictness)
      }),
      createPropertyOptions(500),
    )
  })

  test('a hook that denies always leads to a denial, and one that asks never to permission', async () => {
    await fc.assert(
      fc.asyncProperty(call, context, async (toolCall, permissions) => {
        expect((await decide(toolCall, permissions, 'deny')).behavior).toBe('deny')
        expect((await decide(toolCall, permissions, 'ask')).behavior).not.toBe('allow')
      }),
      createPropertyOptions(),
    )
  })

  test('without a user to ask, the answer is the same with denials instead of questions', async () => {
    await fc.assert(
      fc.asyncProperty(call, context, hook, async (toolCall, permissions, hookBehavior) => {
        const decisionWithUser = await decide(toolCall, permissions, hookBehavior)
        const decisionWithoutUser = await decide(toolCall, permissions, hookBehavior, false)
        expect(decisionWithoutUser.behavior).toBe(
          decisionWithUser.behavior === 'ask' ? 'deny' : decisionWithUser.behavior,
        )
        expect(decisionWithoutUser.needsUser ?? false).toBe(decisionWithUser.behavior === 'ask')
      }),
      createPropertyOptions(),
    )
  })

  test('the trace ends with the answer and contains no earlier answer that is stricter', async () => {
    await fc.assert(
      fc.asyncProperty(call, context, hook, async (toolCall, permissions, hookBehavior) => {
        const { behavior, trace, strictness } = await decide(toolCall, permissions, hookBehavior)
        expect(trace.at(-1)?.outcome).toBe(behavior)
        for (const { outcome } of trace)
          if (outcome !== 'pass') expect(BEHAVIOR_STRICTNESS[outcome]).toBeLessThanOrEqual(strictness)
      }),
      createPropertyOptions(),
    )
  })
})

describe('any spelling of a path', () => {
  type PathCall = readonly [Tool, (path: string) => object]
  const fixtureCallOf = (tool: Tool): PathCall => [tool, (file_path) => ({ file_path })]
  const listRealCalls = (effect: 'reads' | 'writes') =>
    FILE_CALLS.filter(({ does }) => does === effect).map(
      ({ tool, input }): PathCall => [findFileTool(tool), (path) => input(path, 'old', 'new')],
    )
  const reader = fc.constantFrom(fixtureCallOf(ReadTool), ...listRealCalls('reads'))
  const writer = fc.constantFrom(fixtureCallOf(WriteTool), ...listRealCalls('writes'))
  /** Generates spellings of a path with redundant `.` steps, doubled slashes, and folders that are entered and left again. */
  const createSpellings = (path: string) =>
    fc.array(fc.constantFrom('', '.', 'x/..', 'src/../src/..', 'alias/..'), { maxLength: 4 }).chain((extra) =>
      fc.nat(path.split('/').length - 1).map((at) => {
        const names = path.split('/')
        return [...names.slice(0, at), ...extra, ...names.slice(at)].join('/')
      }),
    )
  const relativeSpelling = fc
    .constantFrom('.env', 'secrets/key', 'alias/key')
    .chain(createSpellings)
    .map((relativePath) => `./${relativePath}`)
  const absoluteSpelling = fc
    .constantFrom('/project/.env', '/project/secrets/key', '/project/alias/key')
    .chain((path) => createSpellings(path.slice(1)).map((relativePath) => `/${relativePath}`))

  test('leads to the same denial, or to a question if the path must not be looked up', async () => {
    await fc.assert(
      fc.asyncProperty(reader, fc.oneof(relativeSpelling, absoluteSpelling), async ([tool, inputFor], file_path) => {
        const options = { paths, rules: { deny: ['Read(.env)', 'Read(secrets/**)'], allow: [tool.name] } }
        const { behavior } = await decideOn(tool, inputFor(file_path), options)
        const mayAsk = /^[\\/]{2}/.test(file_path) && file_path.includes('alias')
        expect(mayAsk ? ['ask', 'deny'] : ['deny']).toContain(behavior)
      }),
      createPropertyOptions(500),
    )
  })

  test('that leads outside the working directories is never allowed by acceptEdits', async () => {
    const step = fc.constantFrom('..', 'out', 'src', '.', '', 'alias', '~', 'project')
    await fc.assert(
      fc.asyncProperty(writer, fc.array(step, { minLength: 1, maxLength: 7 }), async ([tool, inputFor], steps) => {
        const path = `${steps.join('/')}/f`
        const { behavior } = await decideOn(tool, inputFor(path), { paths, mode: 'acceptEdits' })
        const realPath = followLinks(path)
        if (behavior === 'allow') expect(realPath.startsWith('/project/')).toBe(true)
      }),
      createPropertyOptions(500),
    )
  })

  const LINK_TARGETS: Readonly<Record<string, string>> = {
    '/project/out': '/etc',
    '/project/alias': '/project/secrets',
  }

  /** Resolves a path step by step through the links, as the operating system does. */
  function followLinks(path: string): string {
    let currentPath = path.startsWith('/') ? '' : '/project'
    for (const name of path.split('/').filter((segment) => segment !== '' && segment !== '.')) {
      const nextPath = name === '..' ? currentPath.slice(0, currentPath.lastIndexOf('/')) : `${currentPath}/${name}`
      currentPath = LINK_TARGETS[nextPath] ?? nextPath
    }
    return currentPath
  }
})

test('a thousand decisions under one permission context parse the rules once', async () => {
  let readCount = 0
  const list = new Proxy(Object.freeze(['Read(src/**)', 'Bash(rm:*)']), {
    get(target, key, receiver) {
      if (key === Symbol.iterator) readCount++
      return Reflect.get(target, key, receiver)
    },
  })
  const permissions = Object.freeze({ ...createPermissionContext(), alwaysDenyRules: Object.freeze({ session: list }) })

  for (let count = 0; count < 1000; count++) await decideOn(NoteTool, {}, { permissions })

  expect(readCount).toBe(1)
})
