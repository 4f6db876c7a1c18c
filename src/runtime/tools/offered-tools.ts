import type { PortName } from '../../contract/ports/index.js'
import type { ForkOptions } from '../../contract/runtime.js'
import { allowNamesOf, type KnownMcpTool, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'

/** Filters a pool to the tools that an agent may use. Returns the same array for the same pool. */
export type OfferTools = (pool: Tools) => Tools

const EVERY_TOOL = '*'

/**
 * The filter for the tool lists of an agent definition; undefined if they allow every tool. In doubt, a tool is left out:
 * an ambiguous name allows nothing. A name with content allows nothing either, but disallows the whole tool.
 */
export function offeredTools({
  tools,
  disallowedTools = [],
  withoutRoles = [],
}: Pick<ForkOptions, 'tools' | 'disallowedTools' | 'withoutRoles'>): OfferTools | undefined {
  const isAll = tools === undefined || tools.includes(EVERY_TOOL)
  if (isAll && disallowedTools.length === 0 && withoutRoles.length === 0) return undefined
  const allowed = isAll ? undefined : new Set(tools.map((name) => name.trim()))
  const disallowed = new Set(disallowedTools.map((rule) => rule.replace(/\(.*$/s, '').trim()))
  return cachedByPool((pool) => {
    const mcpTools = pool.flatMap(({ mcpInfo }) => mcpInfo ?? [])
    return pool.filter(
      (tool) =>
        isAllowed(tool, allowed, mcpTools) &&
        !isDisallowed(tool, disallowed) &&
        !withoutRoles.some((role) => tool[role] === true),
    )
  })
}

/** Omits the tools that need a port which the host does not provide. */
export function toolsWithoutPort(missing: PortName): OfferTools {
  return cachedByPool((pool) => pool.filter(({ needs }) => needs?.includes(missing) !== true))
}

/** Applies the filter of the parent, then that of the agent. */
export function combineOffers(above: OfferTools | undefined, own: OfferTools | undefined): OfferTools | undefined {
  if (above === undefined || own === undefined) return above ?? own
  return (pool) => own(above(pool))
}

function isAllowed(tool: Tool, allowed: ReadonlySet<string> | undefined, mcpTools: readonly KnownMcpTool[]): boolean {
  return allowed === undefined || allowNamesOf(tool, mcpTools).some((name) => allowed.has(name))
}

function isDisallowed(tool: Tool, disallowed: ReadonlySet<string>): boolean {
  return disallowed.has(EVERY_TOOL) || ruleNamesOf(tool).some((name) => disallowed.has(name))
}

/** Caches by pool, because pools are immutable. */
function cachedByPool(filter: OfferTools): OfferTools {
  const cache = new WeakMap<Tools, Tools>()
  return (pool) => {
    let offered = cache.get(pool)
    if (offered === undefined) {
      offered = Object.freeze(filter(pool))
      cache.set(pool, offered)
    }
    return offered
  }
}
