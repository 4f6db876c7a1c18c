import { feature } from '../contract/build-flags.js'
import { type Environment, RUNTIME_FLAGS } from '../contract/flags.js'
import type { ToolIdentity, ToolRoles } from '../contract/tool/identity.js'
import { gateTools } from './gate-tools.js'

type Offered = ToolIdentity & Pick<ToolRoles, 'modes'>

/** The built-in tools that the run-time flags and the current mode allow. */
export function offerTools<T extends Offered>(base: readonly T[], env: Environment): readonly T[] {
  const gated = gateTools(base, RUNTIME_FLAGS, (flag) => env[flag as keyof Environment])
  const hasRepl = env.HAFT_REPL_MODE && gated.some(({ modes }) => modes?.repl === 'runs')
  return gated.filter(({ modes = {} }) => {
    const delegates = feature('COORDINATOR_MODE') && isCoordinator(env) && modes.delegating === true
    if (env.HAFT_SIMPLE) return delegates || (hasRepl ? modes.repl === 'runs' : modes.simple === true)
    if (modes.onDemand === true) return false
    if (feature('COORDINATOR_MODE') && isCoordinator(env)) return delegates || modes.coordinating === true
    // Without a REPL tool in the pool, REPL mode would hide the primitive tools and offer nothing in their place.
    return !(hasRepl && modes.repl === 'hidden')
  })
}

export function isCoordinator(env: Environment): boolean {
  return env.HAFT_COORDINATOR_MODE
}
