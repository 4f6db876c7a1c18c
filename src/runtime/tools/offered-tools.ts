import type { PortName } from '../../contract/ports/index.js'
import type { ForkOptions } from '../../contract/runtime.js'
import { allowNamesOf, type KnownMcpTool, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'

/** Leaves of a pool what an agent may have. The same pool gives the same array. */
export type OfferTools = (pool: Tools) => Tools

const EVERY_TOOL = '*'

/**
 * What the lists of a kind of agent leave of a pool; undefined where they leave all. A name that may mean another tool,
 * too, adds nothing, and one with content adds nothing but takes away the whole tool: in doubt there are fewer.
 */
export function offeredTools({
  tools,
  disallowedTools = [],
  withoutRoles = [],
}: Pick<ForkOptions, 'tools' | 'disallowedTools' | 'withoutRoles'>): OfferTools | undefined {
  const isAll = tools === undefined || tools.includes(EVERY_TOOL)
  if (isAll && disallowedTools.length === 0 && withoutRoles.length === 0) return undefined
  const wanted = isAll ? undefined : new Set(tools.map((name) => name.trim()))
  const unwanted = new Set(disallowedTools.map((rule) => rule.replace(/\(.*$/s, '').trim()))
  return remembered((pool) => {
    const neighbours = pool.flatMap(({ mcpInfo }) => mcpInfo ?? [])
    return pool.filter(
      (tool) =>
        isWanted(tool, wanted, neighbours) &&
        !isUnwanted(tool, unwanted) &&
        !withoutRoles.some((role) => tool[role] === true),
    )
  })
}

/** Leaves out tools that need what the host does not have. */
export function suppliedTools(missing: PortName): OfferTools {
  return remembered((pool) => pool.filter(({ needs }) => needs?.includes(missing) !== true))
}

/** First what the parent leaves, then what the agent itself may have. */
export function offeredInTurn(above: OfferTools | undefined, own: OfferTools | undefined): OfferTools | undefined {
  if (above === undefined || own === undefined) return above ?? own
  return (pool) => own(above(pool))
}

function isWanted(tool: Tool, wanted: ReadonlySet<string> | undefined, neighbours: readonly KnownMcpTool[]): boolean {
  return wanted === undefined || allowNamesOf(tool, neighbours).some((name) => wanted.has(name))
}

function isUnwanted(tool: Tool, unwanted: ReadonlySet<string>): boolean {
  return unwanted.has(EVERY_TOOL) || ruleNamesOf(tool).some((name) => unwanted.has(name))
}

/** Pools are immutable, and what follows from one is kept with it. */
function remembered(make: OfferTools): OfferTools {
  const made = new WeakMap<Tools, Tools>()
  return (pool) => {
    let offered = made.get(pool)
    if (offered === undefined) {
      offered = Object.freeze(make(pool))
      made.set(pool, offered)
    }
    return offered
  }
}
