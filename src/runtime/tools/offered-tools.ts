import type { PortName } from '../../contract/ports/index.js'
import type { ForkOptions } from '../../contract/runtime.js'
import { allowNamesOf, type KnownMcpTool, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'

/** Filters a pool to the tools that an agent may use. Returns the same array for the same pool. */
export type OfferTools = (pool: Tools) => Tools

const ALL_TOOLS_NAME = '*'

/**
 * The filter for the tool lists of an agent definition; undefined if they allow every tool. In doubt, a tool is left out:
 * an ambiguous name allows only the tool of exactly that name. A name with content allows nothing, but disallows the
 * whole tool.
 */
export function createToolOffer({
  tools,
  disallowedTools = [],
  withoutRoles = [],
}: Pick<ForkOptions, 'tools' | 'disallowedTools' | 'withoutRoles'>): OfferTools | undefined {
  const allowsAll = tools === undefined || tools.includes(ALL_TOOLS_NAME)
  if (allowsAll && disallowedTools.length === 0 && withoutRoles.length === 0) return undefined
  const allowedNames = allowsAll ? undefined : new Set(tools.map((name) => name.trim()))
  const disallowedNames = new Set(disallowedTools.map((rule) => rule.replace(/\(.*$/s, '').trim()))
  return cacheByPool((pool) => {
    const mcpTools = pool.flatMap(({ mcpInfo }) => mcpInfo ?? [])
    return pool.filter(
      (tool) =>
        isAllowed(tool, allowedNames, mcpTools) &&
        !isDisallowed(tool, disallowedNames) &&
        !withoutRoles.some((role) => tool[role] === true),
    )
  })
}

/** Creates a filter that omits the tools that need this port. */
export function omitToolsNeeding(port: PortName): OfferTools {
  return cacheByPool((pool) => pool.filter(({ needs }) => needs?.includes(port) !== true))
}

/** Applies the filter of the parent, then that of the agent. */
export function combineOffers(
  parentOffer: OfferTools | undefined,
  ownOffer: OfferTools | undefined,
): OfferTools | undefined {
  if (parentOffer === undefined || ownOffer === undefined) return parentOffer ?? ownOffer
  return (pool) => ownOffer(parentOffer(pool))
}

function isAllowed(
  tool: Tool,
  allowedNames: ReadonlySet<string> | undefined,
  mcpTools: readonly KnownMcpTool[],
): boolean {
  return allowedNames === undefined || allowNamesOf(tool, mcpTools).some((name) => allowedNames.has(name))
}

function isDisallowed(tool: Tool, disallowedNames: ReadonlySet<string>): boolean {
  return disallowedNames.has(ALL_TOOLS_NAME) || ruleNamesOf(tool).some((name) => disallowedNames.has(name))
}

/** Caches by pool, because pools are immutable. */
function cacheByPool(filter: OfferTools): OfferTools {
  const cache = new WeakMap<Tools, Tools>()
  return (pool) => {
    let offeredTools = cache.get(pool)
    if (offeredTools === undefined) {
      offeredTools = Object.freeze(filter(pool))
      cache.set(pool, offeredTools)
    }
    return offeredTools
  }
}
