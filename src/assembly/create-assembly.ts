import { feature } from '../contract/build-flags.js'
import { ENVIRONMENT_FLAGS, type Environment, RUNTIME_FLAGS } from '../contract/flags.js'
import type { RulesBySource, ToolPermissionContext } from '../contract/permission/context.js'
import { isMcpTool, type ToolIdentity, type ToolLoading, type ToolRoles } from '../contract/tool/identity.js'
import type { Tool } from '../contract/tool/tool.js'
import { hasDefault, isToolEnabled } from '../contract/tool/traits.js'
import { filterToolsByDenyRules } from './filter-tools-by-deny-rules.js'
import { gateTools, isCoordinator, offerTools } from './offer-tools.js'
import { checkDistinct } from './take-names.js'

/** The members of a tool that assembly reads. */
export type AssemblyTool = ToolIdentity & ToolLoading & ToolRoles & Pick<Tool, 'isEnabled'>

type DenyContext = Pick<ToolPermissionContext, 'alwaysDenyRules'>

/** Decides which tools exist, for one list of built-in tools and one environment. */
export interface Assembly<T extends AssemblyTool> {
  /** Returns all built-in tools that pass the build and environment gates. */
  getAllBaseTools(): readonly T[]
  /** Returns the built-in tools that a model may currently be offered. */
  getTools(context: DenyContext): readonly T[]
  filterToolsByDenyRules(tools: readonly T[], context: DenyContext): readonly T[]
  /** Returns the whole pool in the order for requests. Unchanged inputs return the same array, if the rules are deeply frozen. */
  assembleToolPool(context: DenyContext, mcpTools: readonly T[]): readonly T[]
  /** Returns the built-in tools followed by the MCP tools, for counting tokens. */
  getMergedTools(context: DenyContext, mcpTools: readonly T[]): readonly T[]
}

/** Creates an assembly. Throws a `ToolDefinitionError` if two tools share a name or alias. */
export function createAssembly<T extends AssemblyTool>({
  baseTools,
  env,
  isNested = false,
  isWorker = false,
  isInstalled = () => false,
}: {
  baseTools: readonly T[]
  env: Environment
  /**
   * Whether the assembly is for the tools that code in the REPL can call: the mode hides none of them, and the REPL itself is
   * left out.
   */
  isNested?: boolean
  /** For sub-agents: a mode in which the main agent only delegates does not apply to them. */
  isWorker?: boolean
  /**
   * Whether a program can be started on this machine. Called once for each program. If omitted, no program counts as
   * installed.
   */
  isInstalled?: (program: string) => boolean
}): Assembly<T> {
  checkDistinct(baseTools)
  const hasPrograms = createProgramCheck(isInstalled)
  const fixedFlags = isNested ? { ...env, HAFT_REPL_MODE: false } : { ...env }
  const possibleTools = isNested ? baseTools.filter(({ modes }) => modes?.repl !== 'runs') : baseTools
  const fixedBaseTools = Object.freeze([
    ...gateTools(possibleTools, ENVIRONMENT_FLAGS, (flag) => fixedFlags[flag as keyof Environment]),
  ])
  const switchableBaseTools = switchableToolsOf(fixedBaseTools)
  const builtInsByRules = new WeakMap<RulesBySource, { flags: number; enabled: string; tools: readonly T[] }>()
  const externalTools = new WeakMap<readonly T[], ExternalTools<T>>()

  function getTools(context: DenyContext): readonly T[] {
    const rules = context.alwaysDenyRules
    const flags = flagStateOf(env)
    const enabled = enabledStateOf(switchableBaseTools)
    const cachedBuiltIns = builtInsByRules.get(rules)
    if (cachedBuiltIns?.flags === flags && cachedBuiltIns.enabled === enabled) return cachedBuiltIns.tools
    const offeredTools = offerTools(fixedBaseTools, { ...fixedFlags, ...readRuntimeFlags(env) }, { isWorker })
    const tools = Object.freeze([
      ...filterToolsByDenyRules(offeredTools, context).filter((tool) => isToolEnabled(tool) && hasPrograms(tool)),
    ])
    // Rules that are still mutable are not cached: a stale entry could show a denied tool.
    if (isImmutable(rules)) builtInsByRules.set(rules, { flags, enabled, tools })
    return tools
  }

  function assembleToolPool(context: DenyContext, mcpTools: readonly T[]): readonly T[] {
    const builtInTools = getTools(context)
    const list = getExternalTools(externalTools, mcpTools)
    const state = enabledStateOf(list.switchableTools)
    const cachedPool = list.pools.get(builtInTools)
    if (cachedPool?.state === state) return cachedPool.pool
    const offeredMcpTools =
      feature('COORDINATOR_MODE') && isCoordinator(env) && !isWorker
        ? mcpTools.filter((tool) => !isMcpTool(tool))
        : mcpTools
    const permittedTools = filterToolsByDenyRules(offeredMcpTools, context)
    const pool = mergePool({
      builtIns: builtInTools,
      externalTools: list.switchableTools.length === 0 ? permittedTools : permittedTools.filter(isToolEnabled),
      reservedTools: filterToolsByDenyRules(fixedBaseTools, context),
    })
    list.pools.set(builtInTools, { state, pool })
    return pool
  }

  return {
    getAllBaseTools: () => fixedBaseTools,
    getTools,
    filterToolsByDenyRules,
    assembleToolPool,
    getMergedTools: (context, mcpTools) => [...getTools(context), ...mcpTools],
  }
}

/** Creates a check that all required programs of a tool are installed. Searches for each program only once. */
function createProgramCheck(isInstalled: (program: string) => boolean): (tool: AssemblyTool) => boolean {
  const resultByProgram = new Map<string, boolean>()
  const isProgramInstalled = (program: string) => {
    const result = resultByProgram.get(program) ?? isInstalled(program)
    resultByProgram.set(program, result)
    return result
  }
  return ({ requiredPrograms = [] }) => requiredPrograms.every(isProgramInstalled)
}

/** Cache for a list of tools that are not built in, valid while the list holds the same tools. */
interface ExternalTools<T> {
  readonly tools: readonly T[]
  readonly switchableTools: readonly T[]
  readonly pools: WeakMap<readonly T[], { state: string; pool: readonly T[] }>
}

function getExternalTools<T extends AssemblyTool>(
  externalTools: WeakMap<readonly T[], ExternalTools<T>>,
  tools: readonly T[],
): ExternalTools<T> {
  const cachedTools = externalTools.get(tools)
  if (cachedTools !== undefined && (Object.isFrozen(tools) || isSameList(cachedTools.tools, tools))) return cachedTools
  const list = {
    tools: Object.isFrozen(tools) ? tools : [...tools],
    switchableTools: switchableToolsOf(tools),
    pools: new WeakMap(),
  }
  externalTools.set(tools, list)
  return list
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

/** Returns the tools with their own `isEnabled`. Only these can change; checking the others would slow down every request. */
function switchableToolsOf<T extends AssemblyTool>(tools: readonly T[]): readonly T[] {
  return tools.filter((tool) => !hasDefault(tool, 'isEnabled'))
}

/** Encodes which tools are enabled: a colon, then `1` or `0` for each tool. */
function enabledStateOf(tools: readonly AssemblyTool[]): string {
  let state = ':'
  for (const tool of tools) state += isToolEnabled(tool) ? '1' : '0'
  return state
}

const RUNTIME_FLAG_NAMES = Object.keys(RUNTIME_FLAGS) as (keyof Environment)[]

/** Encodes the flags as one bit each. A number, because building a string for every request for the pool is slower. */
function flagStateOf(env: Environment): number {
  let state = 0
  for (const flag of RUNTIME_FLAG_NAMES) state = state * 2 + (env[flag] ? 1 : 0)
  return state
}

function readRuntimeFlags(env: Environment): Partial<Environment> {
  return Object.fromEntries(RUNTIME_FLAG_NAMES.map((flag) => [flag, env[flag]]))
}

function isImmutable(rules: RulesBySource): boolean {
  return Object.isFrozen(rules) && Object.values(rules).every((list) => Object.isFrozen(list))
}

/**
 * Returns the built-in tools sorted by name, then the others sorted by name, without duplicates. The built-in tools stay a
 * contiguous prefix, which the provider caches: a server that connects or disconnects does not invalidate that cache.
 * `reservedTools` are the built-in tools that are not denied: no server may take their names, even while they are switched
 * off.
 */
function mergePool<T extends ToolIdentity>({
  builtIns,
  externalTools,
  reservedTools,
}: {
  builtIns: readonly T[]
  externalTools: readonly T[]
  reservedTools: readonly T[]
}): readonly T[] {
  const reservedNames = new Set(reservedTools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]))
  const pool = new Map<string, T>()
  addSorted(pool, builtIns)
  addSorted(
    pool,
    externalTools.filter((tool) => !isMcpTool(tool) || !reservedNames.has(tool.name)),
  )
  return Object.freeze([...pool.values()])
}

/** Adds tools sorted by code unit, which does not depend on the locale, and skips names that the pool already has. */
function addSorted<T extends ToolIdentity>(pool: Map<string, T>, tools: readonly T[]): void {
  const toolsByName = new Map<string, T>()
  for (const tool of tools) if (!toolsByName.has(tool.name)) toolsByName.set(tool.name, tool)
  for (const name of [...toolsByName.keys()].sort()) {
    const tool = toolsByName.get(name)
    if (tool !== undefined && !pool.has(name)) pool.set(name, tool)
  }
}
