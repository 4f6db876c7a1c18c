import { feature } from '../contract/feature.js'
import { type Environment, RUNTIME_FLAGS } from '../contract/flags.js'
import type { ToolIdentity } from '../contract/tool-identity.js'
import { COORDINATOR_TOOLS, DELEGATION_TOOLS } from './coordinator-tools.js'
import { gateTools } from './gate-tools.js'
import { REPL_ONLY_TOOLS, REPL_TOOL, SIMPLE_TOOLS, SPECIAL_TOOLS } from './tool-sets.js'

/** The built-ins that the flags and the mode of the moment let through. */
export function offerTools<T extends ToolIdentity>(base: readonly T[], env: Environment): readonly T[] {
  const gated = gateTools(base, RUNTIME_FLAGS, (flag) => env[flag as keyof Environment])
  return gated.filter(env.HAFT_SIMPLE ? simpleMode(gated, env) : fullMode(gated, env))
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

export function isCoordinator(env: Environment): boolean {
  return env.HAFT_COORDINATOR_MODE
}
