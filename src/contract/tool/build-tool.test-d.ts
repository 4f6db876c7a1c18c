import { describe, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { type ToolResultBlock, textResult } from '../messages.js'
import type { PermissionAllow, PermissionResult } from '../permission/result.js'
import type { FilesPort } from '../ports/files.js'
import { lazySchema } from '../schema.js'
import { text } from '../view-builders.js'
import type { TextView, View } from '../views.js'
import { buildTool } from './build-tool.js'
import type { Tool, ToolContext, Tools } from './tool.js'
import type { BuiltTool, ToolDef } from './tool-def.js'

const Minimal = buildTool({
  name: 'Greet',
  description: 'Greets a person',
  inputSchema: z.object({ who: z.string() }),
  async call({ who }) {
    return { data: `Hello, ${who}` }
  },
})

const input = lazySchema(() => z.strictObject({ path: z.string(), depth: z.number().optional() }))
type Args = { path: string; depth?: number | undefined }

const FullTool = buildTool({
  name: 'Everything',
  aliases: ['All'],
  foreignNames: { Everything: () => undefined },
  searchHint: 'shows every member of the contract',
  isMcp: true,
  isLsp: false,
  mcpInfo: { serverName: 'server', toolName: 'everything' },
  needs: ['files', 'clock'],
  maxResultSizeChars: 1_000,
  previewChars: 500,
  isOftenNeeded: true,
  editFormat: 'strings',
  description: (args, { tools }) => `${args.path} of ${tools.length}`,
  prompt: async ({ toolPermissionContext }) => toolPermissionContext.mode,
  inputSchema: input,
  inputJSONSchema: { type: 'object' },
  outputSchema: lazySchema(() => z.object({ lines: z.array(z.string()) })),
  strict: true,
  findsTools: true,
  messagesTeammates: false,
  startsAgents: true,
  loadsSkills: true,
  readsTasks: true,
  readsMcpResources: true,
  submitsPlan: true,
  mainAgentOnly: true,
  keepsResults: true,
  userChannel: 'text',
  modes: { simple: true },
  requiredPrograms: ['pwsh'],
  shouldDefer: true,
  alwaysLoad: false,
  isEnabled: () => process.platform !== 'aix',
  isReadOnly: (args) => args.depth === 0,
  isConcurrencySafe: () => true,
  isDestructive: (args) => args.path === '/',
  isOpenWorld: () => false,
  command: (args) => ({ text: args.path, language: 'powershell' }),
  runsOnlyItsCommand: true,
  connectsOnlyTo: () => undefined,
  makesOnlyNestedCalls: true,
  interruptBehavior: () => 'cancel',
  requiresUserInteraction: () => false,
  isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }),
  isTransparentWrapper: () => false,
  validateInput: async (args, { files }) =>
    (await files.stat(args.path)) ? { result: true } : { result: false, message: 'not there', errorCode: 1 },
  checkPermissions: (args, { cwd }) =>
    args.path.startsWith(cwd) ? { behavior: 'allow' } : { behavior: 'ask', message: 'outside' },
  getPath: (args) => args.path,
  omitsRestrictedFiles: false,
  preparePermissionMatcher: (args) => (content) => content === args.path,
  getWebTarget: ({ path }) => ({ url: `https://example.com/${path}` }),
  resources: (args) => ({ reads: [{ path: args.path }], writes: [], unknown: false, network: false }),
  timeoutMs: () => 1_000,
  backfillObservableInput: (observedInput) => {
    observedInput.file_path = observedInput.path
  },
  inputsEquivalent: (a, b) => a.path === b.path,
  userFacingName: (args) => args?.path ?? 'everything',
  userFacingNameBackgroundColor: () => 'warning' as const,
  getToolUseSummary: (args) => args?.path ?? null,
  getActivityDescription: (args) => `Reading ${args?.path}`,
  toAutoClassifierInput: (args) => args.path,
  async call({ path }, { files, clock, signal }, canUseTool, parentMessage, onProgress) {
    expectTypeOf(files).toEqualTypeOf<FilesPort>()
    expectTypeOf(canUseTool).returns.resolves.toHaveProperty('behavior')
    expectTypeOf(parentMessage.type).toEqualTypeOf<'assistant'>()
    onProgress?.({ at: clock.now() })
    await files.read(path, { signal })
    return { data: { lines: [path] }, newMessages: [], contextModifier: (context) => context, mcpMeta: { _meta: {} } }
  },
  mapToolResultToToolResultBlockParam: ({ lines }, toolUseId) => textResult(toolUseId, lines.join('\n')),
  renderToolUseMessage: ({ path }) => path ?? '',
  renderToolResultMessage: ({ lines }) => lines.join(),
  renderToolUseProgressMessage: (progress) => `${progress.length}`,
  renderToolUseQueuedMessage: () => 'queued',
  renderToolUseRejectedMessage: ({ path }) => path,
  renderToolUseErrorMessage: (result) => result,
  renderToolUseTag: () => 'tag',
  renderGroupedToolUse: (uses) => `${uses.length}`,
  isResultTruncated: ({ lines }) => lines.length > 10,
  extractSearchText: ({ lines }) => lines.join(),
})

test('a tool built by buildTool is a Tool, with any needs', () => {
  expectTypeOf(Minimal).toExtend<Tool>()
  expectTypeOf(FullTool).toExtend<Tool>()
  expectTypeOf([Minimal, FullTool]).toExtend<Tools>()
})

test('a definition may contain every member of a tool', () => {
  expectTypeOf<Exclude<keyof Tool, keyof typeof FullTool>>().toEqualTypeOf<never>()
})

describe('a member of the definition keeps its own type', () => {
  test('literals are preserved', () => {
    expectTypeOf(Minimal.name).toEqualTypeOf<'Greet'>()
    expectTypeOf(FullTool.maxResultSizeChars).toEqualTypeOf<1_000>()
    expectTypeOf(FullTool.needs).toEqualTypeOf<readonly ['files', 'clock']>()
    expectTypeOf(FullTool.shouldDefer).toEqualTypeOf<true>()
  })

  test('arity is preserved', () => {
    expectTypeOf<Parameters<typeof FullTool.isReadOnly>>().toEqualTypeOf<[args: Args]>()
    expectTypeOf<Parameters<typeof FullTool.isConcurrencySafe>>().toEqualTypeOf<[]>()
    expectTypeOf<Parameters<typeof Minimal.call>>().toEqualTypeOf<[{ who: string }]>()
  })

  test('the output type of call is preserved', () => {
    expectTypeOf(Minimal.call).returns.resolves.toEqualTypeOf<{ data: string }>()
  })

  test('an optional member stays optional unless it has a default', () => {
    type Definition = { name: string; searchHint?: string; isReadOnly?: () => true }
    expectTypeOf<BuiltTool<Definition>['searchHint']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<BuiltTool<Definition>['isReadOnly']>().toEqualTypeOf<(() => true) | ((input?: unknown) => false)>()
    expectTypeOf<{ searchHint?: string }>().toEqualTypeOf<
      Pick<BuiltTool<Definition>, 'searchHint'> extends { searchHint?: string } ? { searchHint?: string } : never
    >()
  })

  test('a string becomes a function that returns it', () => {
    expectTypeOf(Minimal.description).toEqualTypeOf<() => 'Greets a person'>()
  })
})

describe('an omitted member has the type of its default', () => {
  test('isEnabled returns true', () => expectTypeOf(Minimal.isEnabled).returns.toEqualTypeOf<true>())
  test('isReadOnly returns false', () => expectTypeOf(Minimal.isReadOnly).returns.toEqualTypeOf<false>())
  test('isConcurrencySafe returns false', () => expectTypeOf(Minimal.isConcurrencySafe).returns.toEqualTypeOf<false>())
  test('isDestructive returns false', () => expectTypeOf(Minimal.isDestructive).returns.toEqualTypeOf<false>())
  test('toAutoClassifierInput returns an empty string', () =>
    expectTypeOf(Minimal.toAutoClassifierInput).returns.toEqualTypeOf<''>())
  test('userFacingName returns a string', () => expectTypeOf(Minimal.userFacingName).returns.toEqualTypeOf<string>())
  test('maxResultSizeChars is 50,000', () => expectTypeOf(Minimal.maxResultSizeChars).toEqualTypeOf<50_000>())
  test('prompt returns a string or a promise of a string', () =>
    expectTypeOf(Minimal.prompt).returns.toEqualTypeOf<string | Promise<string>>())
  test('renderToolUseMessage returns a view', () =>
    expectTypeOf(Minimal.renderToolUseMessage).returns.toEqualTypeOf<View>())
  test('mapToolResultToToolResultBlockParam returns a tool result block', () =>
    expectTypeOf(Minimal.mapToolResultToToolResultBlockParam).returns.toEqualTypeOf<ToolResultBlock>())
  test('checkPermissions allows the call with the same input', () => {
    expectTypeOf(Minimal.checkPermissions({ who: 'you' })).toEqualTypeOf<PermissionAllow<{ who: string }>>()
  })
  test('members with a default are never optional', () => {
    type Defaulted =
      | 'isEnabled'
      | 'isReadOnly'
      | 'isConcurrencySafe'
      | 'isDestructive'
      | 'checkPermissions'
      | 'userFacingName'
      | 'prompt'
    expectTypeOf<undefined extends (typeof Minimal)[Defaulted] ? true : false>().toEqualTypeOf<false>()
  })
})

test('a definition can be checked with satisfies', () => {
  const schema = z.object({ n: z.number() })
  const definition = {
    name: 'Double',
    description: 'Doubles a number',
    inputSchema: schema,
    async call({ n }) {
      return { data: n * 2 }
    },
  } satisfies ToolDef<typeof schema, number>
  expectTypeOf(buildTool(definition).call).returns.resolves.toEqualTypeOf<{ data: number }>()
})

test('a name that is composed at run time passes the type check', () => {
  const tool = (server: string, index: number) =>
    buildTool({
      name: `mcp__${server}__tool${index}`,
      description: 'd',
      inputSchema: z.object({}),
      call: async () => ({ data: 1 }),
    })
  expectTypeOf(tool).returns.toExtend<Tool>()
})

test('a parameter of a tool may have any name, even that of a member of the tool', () => {
  const tool = buildTool({
    name: 'Cut',
    description: 'd',
    inputSchema: z.object({ length: z.number(), name: z.string(), call: z.string() }),
    call: async ({ length }) => ({ data: length }),
  })
  expectTypeOf(tool).toExtend<Tool>()
})

test('views are text or view data, and nothing else', () => {
  const tool = buildTool({
    name: 'Drawn',
    description: 'd',
    inputSchema: z.object({ a: z.string() }),
    call: async ({ a }) => ({ data: a }),
    renderToolUseMessage: ({ a }) => text(a ?? '', 'path'),
    renderToolResultMessage: (result) => result,
  })
  expectTypeOf(tool.renderToolUseMessage).returns.toEqualTypeOf<TextView>()
  expectTypeOf(tool).toExtend<Tool>()
  buildTool({
    name: 'Drawn',
    description: 'd',
    inputSchema: z.object({ a: z.string() }),
    call: async ({ a }) => ({ data: a }),
    // @ts-expect-error an element of a user interface library is not a view
    renderToolUseMessage: ({ a }) => ({ tag: a ?? '' }),
  })
})

test('a definition may have inputJSONSchema without inputSchema', () => {
  const tool = buildTool({
    name: 'Remote',
    description: 'Comes from elsewhere',
    inputJSONSchema: { type: 'object' },
    checkPermissions: (): PermissionResult => ({ behavior: 'passthrough' }),
    async call(args) {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>()
      return { data: null }
    },
  })
  expectTypeOf(tool).toExtend<Tool>()
})

describe('the type check rejects', () => {
  const baseDefinition = { description: 'Does it', inputSchema: z.object({ a: z.string() }) } as const
  const call = async () => ({ data: 1 })

  test('a port that is not in needs', () => {
    buildTool({
      ...baseDefinition,
      name: 'Greedy',
      needs: ['clock'],
      // @ts-expect-error needs does not list files
      call: async (_, { files }) => ({ data: files }),
    })
  })
  test('a port that only the type annotation of the context names', () => {
    buildTool({
      ...baseDefinition,
      name: 'Sly',
      // @ts-expect-error there are no needs
      call: async (_, context: ToolContext<'files'>) => ({ data: context.files }),
    })
  })
  test('a port that does not exist', () => {
    // @ts-expect-error no port has this name
    buildTool({ ...baseDefinition, name: 'Lost', needs: ['disk'], call })
  })
  test('a schema that does not describe an object', () => {
    // @ts-expect-error a string is not an object
    buildTool({ name: 'Text', description: 'd', inputSchema: z.string(), call })
    // @ts-expect-error an array is not accepted
    buildTool({ name: 'List', description: 'd', inputSchema: z.array(z.string()), call })
    // @ts-expect-error a date is not accepted
    buildTool({ name: 'Date', description: 'd', inputSchema: z.date(), call })
    // @ts-expect-error JSON Schema of a string is not accepted
    buildTool({ name: 'Json', description: 'd', inputJSONSchema: { type: 'string' }, call })
    // @ts-expect-error a lazy schema of a string is not accepted
    buildTool({ name: 'Lazy', description: 'd', inputSchema: lazySchema(() => z.number()), call })
  })
  test('a missing name, call, schema or description', () => {
    // @ts-expect-error no name
    buildTool({ ...baseDefinition, call })
    // @ts-expect-error no call
    buildTool({ ...baseDefinition, name: 'A' })
    // @ts-expect-error no schema
    buildTool({ name: 'A', description: 'd', call })
    // @ts-expect-error neither description nor prompt
    buildTool({ name: 'A', inputSchema: baseDefinition.inputSchema, call })
  })
  test('a name that providers do not accept', () => {
    // @ts-expect-error a space
    buildTool({ ...baseDefinition, name: 'two words', call })
    // @ts-expect-error empty
    buildTool({ ...baseDefinition, name: '', call })
    // @ts-expect-error 65 characters
    buildTool({ ...baseDefinition, name: 'a1234567890123456789012345678901234567890123456789012345678901234', call })
  })
  test('a misspelt member', () => {
    // @ts-expect-error isReadOnly has a capital O
    buildTool({ ...baseDefinition, name: 'A', isReadonly: () => true, call })
  })
  test('a result that the output schema does not describe', () => {
    const outputSchema = z.object({ n: z.number(), m: z.number() })
    // @ts-expect-error m is missing
    buildTool({ ...baseDefinition, name: 'A', outputSchema, call: async () => ({ data: { n: 1 } }) })
    // @ts-expect-error unknown data is not accepted
    buildTool({ ...baseDefinition, name: 'A', outputSchema, call: async () => ({ data: JSON.parse('1') as unknown }) })
  })
  test('a member of the wrong type', () => {
    // @ts-expect-error a predicate must be a function
    buildTool({ ...baseDefinition, name: 'A', isReadOnly: true, call })
    // @ts-expect-error call must return a result
    buildTool({ ...baseDefinition, name: 'A', call: async () => 'done' })
  })
})
