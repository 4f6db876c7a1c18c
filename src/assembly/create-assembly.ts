import { hasDefault } from '../contract/build-tool.js'
import { feature } from '../contract/feature.js'
import { ENVIRONMENT_FLAGS, type Environment, RUNTIME_FLAGS } from '../contract/flags.js'
import type { RulesBySource, ToolPermissionContext } from '../contract/permission-context.js'
import type { Tool } from '../contract/tool.js'
import type { ToolIdentity, ToolLoading } from '../contract/tool-identity.js'
import { isToolEnabled } from '../contract/tool-traits.js'
import { COORDINATOR_TOOLS, DELEGATION_TOOLS } from './coordinator-tools.js'
import { filterToolsByDenyRules } from './filter-tools-by-deny-rules.js'
import { gateTools } from './gate-tools.js'
import { mergePool } from './merge-pool.js'
import { checkDistinct } from './take-names.js'
import { REPL_ONLY_TOOLS, REPL_TOOL, SIMPLE_TOOLS, SPECIAL_TOOLS } from './tool-sets.js'

/** What assembly reads of a tool: a whole `Tool` fits, and so does a line of the manifest. */
export type AssemblyTool = ToolIdentity & ToolLoading & Pick<Tool, 'isEnabled'>

type DenyContext = Pick<ToolPermissionContext, 'alwaysDenyRules'>

/** The questions about which tools exist now, for one list of built-ins and one environment. */
export interface Assembly<T extends AssemblyTool> {
  /** Every built-in tool that passed the build and the environment gate. */
  getAllBaseTools(): readonly T[]
  /** The built-ins that a model may be offered now. */
  getTools(context: DenyContext): readonly T[]
  filterToolsByDenyRules(tools: readonly T[], context: DenyContext): readonly T[]
  /** The whole pool in the order it is sent. The same inputs give the same array. */
  assembleToolPool(context: DenyContext, mcpTools: readonly T[]): readonly T[]
  /** Built-ins and MCP tools one after the other, for counting tokens. */
  getMergedTools(context: DenyContext, mcpTools: readonly T[]): readonly T[]
}

/** Binds the questions to a list of built-ins, which assembly itself does not know, and to the flags in force. */
export function createAssembly<T extends AssemblyTool>({
  baseTools,
  env,
}: {
  baseTools: readonly T[]
  env: Environment
}): Assembly<T> {
  checkDistinct(baseTools)
  const base = gateTools(baseTools, ENVIRONMENT_FLAGS, (flag) => env[flag as keyof Environment])
  const baseSwitches = switchesOf(base)
  const builtInsByRules = new WeakMap<RulesBySource, { state: string; tools: readonly T[] }>()
  const switchesByList = new WeakMap<readonly T[], readonly T[]>()
  const pools = new WeakMap<readonly T[], WeakMap<readonly T[], { state: string; pool: readonly T[] }>>()

  function getTools(context: DenyContext): readonly T[] {
    const rules = context.alwaysDenyRules
    const state = flagState(env) + enabledState(baseSwitches)
    const known = builtInsByRules.get(rules)
    if (known?.state === state) return known.tools
    const tools = offerable(base, env, context)
    // Rules that can still change could make a kept answer wrong, and a denied tool visible.
    if (isImmutable(rules)) builtInsByRules.set(rules, { state, tools })
    return tools
  }

  function assembleToolPool(context: DenyContext, mcpTools: readonly T[]): readonly T[] {
    const builtIns = getTools(context)
    const switches = remember(switchesByList, mcpTools, () => switchesOf(mcpTools))
    const byMcpTools = remember(pools, builtIns, () => new WeakMap())
    const state = `${mcpTools.length}${enabledState(switches)}`
    const known = byMcpTools.get(mcpTools)
    if (known?.state === state) return known.pool
    const outside =
      feature('COORDINATOR_MODE') && isCoordinator(env) ? mcpTools.filter((tool) => !isFromServer(tool)) : mcpTools
    const pool = mergePool({
      builtIns,
      outside: filterToolsByDenyRules(outside, context).filter(isToolEnabled),
      reserved: filterToolsByDenyRules(base, context),
    })
    byMcpTools.set(mcpTools, { state, pool })
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

/** The built-ins that the flags, the deny rules and the tools themselves let through. */
function offerable<T extends AssemblyTool>(base: readonly T[], env: Environment, context: DenyContext): readonly T[] {
  const gated = gateTools(base, RUNTIME_FLAGS, (flag) => env[flag as keyof Environment])
  const isWanted = env.HAFT_SIMPLE ? simpleMode(gated, env) : fullMode(gated, env)
  return filterToolsByDenyRules(gated.filter(isWanted), context).filter(isToolEnabled)
}

function simpleMode(tools: readonly ToolIdentity[], env: Environment): (tool: ToolIdentity) => boolean {
  const wanted = new Set(hasRepl(tools, env) ? [REPL_TOOL] : SIMPLE_TOOLS)
  if (feature('COORDINATOR_MODE') && isCoordinator(env)) for (const name of DELEGATION_TOOLS) wanted.add(name)
  return ({ name }) => wanted.has(name)
}

function fullMode(tools: readonly ToolIdentity[], env: Environment): (tool: ToolIdentity) => boolean {
  const repl = hasRepl(tools, env)
  return ({ name }) => {
    if (SPECIAL_TOOLS.has(name)) return false
    if (feature('COORDINATOR_MODE') && isCoordinator(env)) return COORDINATOR_TOOLS.has(name)
    return !(repl && REPL_ONLY_TOOLS.has(name))
  }
}

/** A REPL mode without its tool would hide the primitive tools and offer nothing in their place. */
function hasRepl(tools: readonly ToolIdentity[], env: Environment): boolean {
  return env.HAFT_REPL_MODE && tools.some(({ name }) => name === REPL_TOOL)
}

function isCoordinator(env: Environment): boolean {
  return env.HAFT_COORDINATOR_MODE
}

function isFromServer(tool: ToolIdentity): boolean {
  return tool.isMcp === true || tool.mcpInfo !== undefined
}

/** Only tools with an `isEnabled` of their own can come and go: asking the others would cost every request. */
function switchesOf<T extends AssemblyTool>(tools: readonly T[]): readonly T[] {
  return tools.filter((tool) => !hasDefault(tool, 'isEnabled'))
}

function enabledState(tools: readonly AssemblyTool[]): string {
  let state = ':'
  for (const tool of tools) state += isToolEnabled(tool) ? '1' : '0'
  return state
}

const RUNTIME_FLAG_NAMES = Object.keys(RUNTIME_FLAGS) as (keyof Environment)[]

function flagState(env: Environment): string {
  let state = ''
  for (const flag of RUNTIME_FLAG_NAMES) state += env[flag] ? '1' : '0'
  return state
}

function isImmutable(rules: RulesBySource): boolean {
  return Object.isFrozen(rules) && Object.values(rules).every((list) => Object.isFrozen(list))
}

function remember<K extends object, V>(known: WeakMap<K, V>, key: K, make: () => V): V {
  let value = known.get(key)
  if (value === undefined) {
    value = make()
    known.set(key, value)
  }
  return value
}
