import { TOOL_NAME } from '../../contract/tool-identity.js'
import { prefixedNames, serverParts } from '../tools/tool-names.js'

/** The tools of one server, by the names it gives them, each once. */
export interface ServerTools {
  readonly serverName: string
  readonly toolNames: readonly string[]
  /** False: they go by their own names where nobody else has them. */
  readonly prefix: boolean
}

/**
 * The names that tools are shown under, a list for each server. All are valid and no two are the same.
 * Servers that have not come up yet count, so that no name changes when they do.
 */
export function nameTools(
  servers: readonly ServerTools[],
  reserved: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const parts = serverParts(servers.map(({ serverName }) => serverName))
  const owners = new Map<string, number>()
  for (const name of servers.flatMap(({ toolNames }) => toolNames)) owners.set(name, (owners.get(name) ?? 0) + 1)
  return servers.map(({ serverName, toolNames, prefix }) => {
    const prefixed = prefixedNames(parts.get(serverName) ?? serverName, toolNames)
    if (prefix) return prefixed
    // What looks like the tool of a server could be meant to pass for another's.
    const isOwn = (name: string): boolean =>
      owners.get(name) === 1 && TOOL_NAME.test(name) && !reserved.has(name) && !name.startsWith('mcp__')
    return toolNames.map((name, index) => (isOwn(name) ? name : (prefixed[index] ?? name)))
  })
}
