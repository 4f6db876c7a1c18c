import { type Flag, feature } from '../contract/build-flags.js'
import { type Environment, RUNTIME_FLAGS } from '../contract/flags.js'
import type { ToolIdentity, ToolRoles } from '../contract/tool/identity.js'

type OfferableTool = ToolIdentity & Pick<ToolRoles, 'modes'>

/** Returns the built-in tools that the run-time flags and the current mode allow. Workers do what others only delegate. */
export function offerTools<T extends OfferableTool>(
  baseTools: readonly T[],
  env: Environment,
  { isWorker }: { readonly isWorker: boolean },
): readonly T[] {
  const isPlanner = feature('COORDINATOR_MODE') && isCoordinator(env) && !isWorker
  const gatedTools = gateTools(baseTools, RUNTIME_FLAGS, (flag) => env[flag as keyof Environment])
  const hasRepl = env.HAFT_REPL_MODE && gatedTools.some(({ modes }) => modes?.repl === 'runs')
  return gatedTools.filter(({ modes = {} }) => {
    const isDelegating = isPlanner && modes.delegating === true
    if (env.HAFT_SIMPLE) return isDelegating || (hasRepl ? modes.repl === 'runs' : modes.simple === true)
    if (modes.onDemand === true) return false
    if (feature('COORDINATOR_MODE') && isPlanner) return isDelegating || modes.coordinating === true
    // Without a REPL tool in the pool, REPL mode would hide the primitive tools and offer nothing in their place.
    return !(hasRepl && modes.repl === 'hidden')
  })
}

export function isCoordinator(env: Environment): boolean {
  return env.HAFT_COORDINATOR_MODE
}

/** Filters tools by a table of flags. `isFlagOn` returns the state of a flag. */
export function gateTools<T extends ToolIdentity>(
  tools: readonly T[],
  flags: Readonly<Record<string, Flag>>,
  isFlagOn: (flag: string) => boolean,
): readonly T[] {
  const allFlags = Object.entries(flags)
  const activeFlags = allFlags.filter(([flag]) => isFlagOn(flag))
  const isPresent = (name: string) => tools.some((tool) => tool.name === name)
  return tools.filter(({ name }) => {
    const isGated = allFlags.some(([, { adds }]) => adds?.includes(name))
    const isAdded = activeFlags.some(([, { adds }]) => adds?.includes(name))
    const isRemoved = activeFlags.some(
      ([, { adds, removes, replaces }]) =>
        removes?.includes(name) || (replaces?.includes(name) && adds?.some(isPresent) === true),
    )
    return (isAdded || !isGated) && !isRemoved
  })
}
