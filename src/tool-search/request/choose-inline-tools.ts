import type { ToolDefinition } from '../../contract/messages.js'
import { isMcpTool, type ToolIdentity, type ToolLoading } from '../../contract/tool/identity.js'
import { estimateDefinitionTokens } from './estimate-tokens.js'

/**
 * The most that built-in tools may cost which are sent although they could be deferred. With the portable carrier, loading a
 * tool later changes the list of tools, so that the provider reads the whole conversation again.
 */
export const MAX_INLINE_TOKENS = 1_500

/**
 * Returns the deferrable tools that the portable carrier sends from the start: all built-in ones if everything that could be
 * deferred is small, otherwise those that are needed often.
 */
export function chooseInlineTools(
  pool: readonly (ToolIdentity & ToolLoading)[],
  definitions: readonly ToolDefinition[],
  isDeferred: (name: string) => boolean,
): ReadonlySet<string> {
  const tokens = new Map(
    definitions.flatMap((each) => (isDeferred(each.name) ? [[each.name, estimateDefinitionTokens(each)]] : [])),
  )
  const builtIns = pool.filter((tool) => tokens.has(tool.name) && !isMcpTool(tool))
  if (sum(tokens.values()) <= MAX_INLINE_TOKENS) return new Set(builtIns.map(({ name }) => name))
  const frequentNames = builtIns.flatMap(({ name, isOftenNeeded }) => (isOftenNeeded === true ? [name] : []))
  const frequentTokens = sum(frequentNames.map((name) => tokens.get(name) ?? 0))
  return new Set(frequentTokens <= MAX_INLINE_TOKENS ? frequentNames : [])
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}
