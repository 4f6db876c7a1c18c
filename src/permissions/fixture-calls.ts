import type { CommandAnalysis, CommandLine, SimpleCommand } from '../contract/command.js'
import { createPermissionContext, type ToolPermissionContext } from '../contract/permission/context.js'
import type { PortName } from '../contract/ports/index.js'
import { buildTool } from '../contract/tool/build-tool.js'
import { commandOf } from '../contract/tool/command-of.js'
import type { Tool, ToolContext } from '../contract/tool/tool.js'
import { analyseUnknownCommand } from '../shell/unknown-command.js'
import { toKnownWord } from '../shell/words/shell-word.js'
import { decidePermission } from './decide/decide-permission.js'
import type { PermissionOutcome } from './decide/decision.js'
import type { DecisionPorts, DecisionRequest } from './decide/decision-request.js'
import type { PathFacts } from './paths/judge-path.js'
import type { PathContext } from './paths/normalise-path.js'

type Input = Record<string, unknown>

/** Creates a tool for tests that does nothing unless `members` override it. */
export function createFixtureTool(
  name: string,
  members: Partial<Tool> & { readonly needs?: readonly PortName[] } = {},
): Tool {
  const definition = {
    name,
    description: `Fake of ${name}`,
    inputJSONSchema: { type: 'object' as const },
    call: async () => ({ data: null }),
    ...members,
  }
  return (buildTool as (members: object) => unknown)(definition) as Tool
}

const pathOf = (input: Input) => String(input.file_path)

export const ReadTool = createFixtureTool('Read', {
  needs: ['files'],
  isReadOnly: () => true,
  getPath: pathOf,
  resources: (input: Input) => ({ reads: [{ path: pathOf(input) }] }),
})
export const WriteTool = createFixtureTool('Write', {
  needs: ['files'],
  getPath: pathOf,
  resources: (input: Input) => ({ writes: [{ path: pathOf(input) }] }),
  toAutoClassifierInput: (input: Input) => `write ${pathOf(input)}`,
})
export const EditTool = createFixtureTool('Edit', {
  needs: ['files'],
  getPath: pathOf,
  resources: (input: Input) => ({ reads: [{ path: pathOf(input) }], writes: [{ path: pathOf(input) }] }),
})
export const PatchTool = createFixtureTool('ApplyPatch', {
  needs: ['files'],
  resources: (input: Input) => ({ writes: (input.files as string[]).map((file) => ({ path: file })) }),
})
export const GrepTool = createFixtureTool('Grep', {
  needs: ['search'],
  isReadOnly: () => true,
  getPath: (input: Input) => String(input.path ?? '.'),
})
export const BashTool = createFixtureTool('Bash', {
  needs: ['shell'],
  command: readStatedCommand,
  isReadOnly: (input: Input) => !/rm|npm|touch/.test(String(input.command)),
  toAutoClassifierInput: (input: Input) => input.command,
})
export const FetchTool = createFixtureTool('WebFetch', { needs: ['http'], isReadOnly: () => true })
export const NoteTool = createFixtureTool('Note')

/** Creates a fake file system that contains only links and folders. */
export function createFakePaths({
  links = {},
  folders = [],
  isCaseInsensitive = false,
  lookups = [],
}: {
  links?: Readonly<Record<string, string>>
  folders?: readonly string[]
  isCaseInsensitive?: boolean
  /** Collects the paths that are looked up. */
  lookups?: string[]
} = {}): PathFacts {
  const resolve = (path: string, depth = 0): string => {
    const link = Object.keys(links).find((from) => path === from || path.startsWith(`${from}/`))
    if (link === undefined || depth > 20) return path
    return resolve(`${links[link]}${path.slice(link.length)}`, depth + 1)
  }
  return {
    look(path) {
      lookups.push(path)
      const realPath = resolve(path)
      return { realPath, isFolder: folders.includes(realPath), isCaseInsensitive }
    },
    links(folder, { prefix, suffix, isDeep }) {
      const start = `${folder.replace(/\/$/, '')}/${prefix}`
      return Object.keys(links).filter(
        (link) =>
          link.startsWith(start) && link.endsWith(suffix) && (isDeep || !link.slice(start.length).includes('/')),
      )
    },
  }
}

/** Returns the command in the input of a tool that runs commands. */
export function readStatedCommand(input: Input): CommandLine | undefined {
  return typeof input?.command === 'string' ? { text: input.command, language: 'bash' } : undefined
}

/** Replaces the real command analysis in tests. */
export interface FakeShell {
  analyse(line: CommandLine, cwd: string): CommandAnalysis
}

/** Creates an analysis with fixed facts for each known command. Other commands count as not understood. */
export function createFakeShell(
  commandsByText: Readonly<Record<string, readonly Partial<SimpleCommand>[]>>,
): FakeShell {
  return {
    analyse(line, cwd) {
      const parts = commandsByText[line.text]
      return parts === undefined ? analyseUnknownCommand(line, cwd) : createFakeAnalysis(line, cwd, parts)
    },
  }
}

function createFakeAnalysis(line: CommandLine, cwd: string, parts: readonly Partial<SimpleCommand>[]): CommandAnalysis {
  const words = line.text.split(' ').map(toKnownWord)
  const defaults: SimpleCommand = {
    words: line.text.split(' '),
    argv: words,
    asWritten: [{ words }],
    isReadOnly: false,
    reads: [],
    writes: [],
    redirects: [],
    areEffectsKnown: true,
    network: false,
  }
  const commands = parts.map((part) => ({ ...defaults, ...part }))
  const isReadOnly = commands.every((command) => command.isReadOnly)
  return { ...analyseUnknownCommand(line, cwd), commands, isUnresolved: false, isUnparsed: false, isReadOnly }
}

export const PATH_CONTEXT: PathContext = { cwd: '/project', homeDir: '/home/dev' }

export interface FixtureDecision
  extends Partial<Omit<DecisionRequest, 'permissions' | 'tool' | 'input'>>,
    Partial<DecisionPorts> {
  readonly shell?: FakeShell
  readonly rules?: {
    readonly allow?: readonly string[]
    readonly deny?: readonly string[]
    readonly ask?: readonly string[]
  }
  readonly mode?: ToolPermissionContext['mode']
  readonly permissions?: ToolPermissionContext
}

/** Decides about a call, with defaults for everything that the test omits. */
export async function decideOn(tool: Tool, input: unknown, options: FixtureDecision = {}): Promise<PermissionOutcome> {
  const { rules = {}, mode = 'default', permissions, paths, shell, ...others } = options
  const { cwd } = options.pathContext ?? PATH_CONTEXT
  const line = commandOf(tool, input)
  return decidePermission(
    {
      tool,
      input,
      command: line && shell?.analyse(line, cwd),
      permissions:
        permissions ??
        createPermissionContext({
          mode,
          alwaysAllowRules: { session: rules.allow ?? [] },
          alwaysDenyRules: { session: rules.deny ?? [] },
          alwaysAskRules: { session: rules.ask ?? [] },
        }),
      toolContext: { cwd: '/project', signal: new AbortController().signal } as ToolContext,
      pathContext: PATH_CONTEXT,
      canAsk: true,
      ...others,
    },
    { canConfine: () => true, ...others, paths: paths ?? createFakePaths() },
  )
}

export async function behaviorOf(tool: Tool, input: unknown, options: FixtureDecision = {}): Promise<string> {
  return (await decideOn(tool, input, options)).behavior
}
