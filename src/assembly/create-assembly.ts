import { feature } from '../contract/build-flags.js'
import { ENVIRONMENT_FLAGS, type Environment, RUNTIME_FLAGS } from '../contract/flags.js'
import type { RulesBySource, ToolPermissionContext } from '../contract/permission/context.js'
import { isMcpTool, type ToolIdentity, type ToolLoading, type ToolRoles } from '../contract/tool/identity.js'
import type { Tool } from '../contract/tool/tool.js'
import { hasDefault, isToolEnabled } from '../contract/tool/traits.js'
import { filterToolsByDenyRules } from './filter-tools-by-deny-rules.js'
import { gateTools, isCoordinator, offerTools } from './offer-tools.js'
import { checkDistinct } from './take-names.js'

/** The members of a tool that assembly reads. A `Tool` has them, and so does an entry of the manifest. */
export type AssemblyTool = ToolIdentity & ToolLoading & ToolRoles & Pick<Tool, 'isEnabled'>

type DenyContext = Pick<ToolPermissionContext, 'alwaysDenyRules'>

/** Which tools exist, for one list of built-in tools and one environment. */
export interface Assembly<T extends AssemblyTool> {
  /** All built-in tools that pass the build and environment gates. */
  getAllBaseTools(): readonly T[]
  /** The built-in tools that a model may currently be offered. */
  getTools(context: DenyContext): readonly T[]
  filterToolsByDenyRules(tools: readonly T[], context: DenyContext): readonly T[]
  /** The whole pool, in the order it is sent. The same inputs return the same array. */
  assembleToolPool(context: DenyContext, mcpTools: readonly T[]): readonly T[]
  /** Built-in tools followed by MCP tools, for counting tokens. */
  getMergedTools(context: DenyContext, mcpTools: readonly T[]): readonly T[]
}

/** Creates the assembly of a list of built-in tools under the given flags. */
export function createAssembly<T extends AssemblyTool>({
  baseTools,
  env,
  isInstalled = () => false,
}: {
  baseTools: readonly T[]
  env: Environment
  /**
   * Whether a program can be started on this machine. Called once for each program. If omitted, no program counts as
   * installed.
   */
  isInstalled?: (program: string) => boolean
}): Assembly<T> {
  checkDistinct(baseTools)
  const hasPrograms = programCheck(isInstalled)
  const fixed = { ...env }
  const base = Object.freeze([...gateTools(baseTools, ENVIRONMENT_FLAGS, (flag) => fixed[flag as keyof Environment])])
  const baseSwitches = switchesOf(base)
  const builtInsByRules = new WeakMap<RulesBySource, { flags: number; switches: string; tools: readonly T[] }>()
  const lists = new WeakMap<readonly T[], OutsideList<T>>()

  function getTools(context: DenyContext): readonly T[] {
    const rules = context.alwaysDenyRules
    const flags = flagState(env)
    const switches = enabledState(baseSwitches)
    const known = builtInsByRules.get(rules)
    if (known?.flags === flags && known.switches === switches) return known.tools
    const offered = offerTools(base, { ...fixed, ...runtimeFlags(env) })
    const tools = Object.freeze([
      ...filterToolsByDenyRules(offered, context).filter((tool) => isToolEnabled(tool) && hasPrograms(tool)),
    ])
    // Rules that are still mutable are not cached: a stale entry could show a denied tool.
    if (isImmutable(rules)) builtInsByRules.set(rules, { flags, switches, tools })
    return tools
  }

  function assembleToolPool(context: DenyContext, mcpTools: readonly T[]): readonly T[] {
    const builtIns = getTools(context)
    const list = outsideList(lists, mcpTools)
    const state = enabledState(list.switches)
    const known = list.pools.get(builtIns)
    if (known?.state === state) return known.pool
    const outside =
      feature('COORDINATOR_MODE') && isCoordinator(env) ? mcpTools.filter((tool) => !isMcpTool(tool)) : mcpTools
    const kept = filterToolsByDenyRules(outside, context)
    const pool = mergePool({
      builtIns,
      outside: list.switches.length === 0 ? kept : kept.filter(isToolEnabled),
      reserved: filterToolsByDenyRules(base, context),
    })
    list.pools.set(builtIns, { state, pool })
    return pool
  }

  return {
    getAllBaseTools: () => base,
    getTools,
    filterToolsByDenyRules,
    assembleToolPool,
    getMergedTools: (context, mcpTools) => [...getTools(context), ...mcpTools],
  }
}

/** Whether the programs that a tool requires are installed. */
function programCheck(isInstalled: (program: string) => boolean): (tool: AssemblyTool) => boolean {
  const known = new Map<string, boolean>()
  const isFound = (program: string) => {
    const found = known.get(program) ?? isInstalled(program)
    known.set(program, found)
    return found
  }
  return ({ requiredPrograms = [] }) => requiredPrograms.every(isFound)
}

/** Cache for a list of outside tools, valid while the list holds the same tools. */
interface OutsideList<T> {
  readonly tools: readonly T[]
  readonly switches: readonly T[]
  readonly pools: WeakMap<readonly T[], { state: string; pool: readonly T[] }>
}

function outsideList<T extends AssemblyTool>(
  lists: WeakMap<readonly T[], OutsideList<T>>,
  tools: readonly T[],
): OutsideList<T> {
  const known = lists.get(tools)
  if (known !== undefined && (Object.isFrozen(tools) || isSameList(known.tools, tools))) return known
  const list = { tools: Object.isFrozen(tools) ? tools : [...tools], switches: switchesOf(tools), pools: new WeakMap() }
  lists.set(tools, list)
  return list
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

/** Only tools with their own `isEnabled` can change; checking the others would slow down every request. */
function switchesOf<T extends AssemblyTool>(tools: readonly T[]): readonly T[] {
  return tools.filter((tool) => !hasDefault(tool, 'isEnabled'))
}

function enabledState(tools: readonly AssemblyTool[]): string {
  let state = ':'
  for (const tool of tools) state += isToolEnabled(tool) ? '1' : '0'
  return state
}

const RUNTIME_FLAG_NAMES = Object.keys(RUNTIME_FLAGS) as (keyof Environment)[]

/** One bit per flag. A number, because the pool is requested with every call and a string would be built each time. */
function flagState(env: Environment): number {
  let state = 0
  for (const flag of RUNTIME_FLAG_NAMES) state = state * 2 + (env[flag] ? 1 : 0)
  return state
}

function runtimeFlags(env: Environment): Partial<Environment> {
  return Object.fromEntries(RUNTIME_FLAG_NAMES.map((flag) => [flag, env[flag]]))
}

function isImmutable(rules: RulesBySource): boolean {
  return Object.isFrozen(rules) && Object.values(rules).every((list) => Object.isFrozen(list))
}

/**
 * Built-in tools sorted by name, then the others sorted by name, without duplicates. The built-in tools stay a
 * contiguous prefix, which the provider caches, so that a server that connects or disconnects does not invalidate it.
 * `reserved` are the built-in tools that are not denied: no server may take their names, even while they are switched
 * off.
 */
function mergePool<T extends ToolIdentity>({
  builtIns,
  outside,
  reserved,
}: {
  builtIns: readonly T[]
  outside: readonly T[]
  reserved: readonly T[]
}): readonly T[] {
  const reservedNames = new Set(reserved.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]))
  const pool = new Map<string, T>()
  addSorted(pool, builtIns)
  addSorted(
    pool,
    outside.filter((tool) => !isMcpTool(tool) || !reservedNames.has(tool.name)),
  )
  return Object.freeze([...pool.values()])
}

/** Sorted by code unit, which does not depend on the locale and needs no comparator. */
function addSorted<T extends ToolIdentity>(pool: Map<string, T>, tools: readonly T[]): void {
  const byName = new Map<string, T>()
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool)
  for (const name of [...byName.keys()].sort()) {
    const tool = byName.get(name)
    if (tool !== undefined && !pool.has(name)) pool.set(name, tool)
  }
}
