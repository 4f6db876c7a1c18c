import { ownName, prefixedName } from '../tools/tool-names.js'

/** A tool that wants a name. */
export interface Unnamed {
  readonly serverName: string
  readonly toolName: string
  /** False: it goes by its own name where nobody else has it. */
  readonly prefix: boolean
}

/** The names that tools are shown under, in their order. All are valid and no two are the same; undefined where that cannot be had. */
export function nameTools(tools: readonly Unnamed[], reserved: ReadonlySet<string>): readonly (string | undefined)[] {
  const owners = new Map<string, number>()
  for (const { toolName } of tools) owners.set(toolName, (owners.get(toolName) ?? 0) + 1)
  const taken = new Set<string>()
  return tools.map(({ serverName, toolName, prefix }) => {
    const own = prefix || owners.get(toolName) !== 1 || reserved.has(toolName) ? undefined : ownName(toolName)
    // What looks like the tool of a server could be meant to pass for another's.
    const name = own === undefined || own.startsWith('mcp__') ? prefixedName(serverName, toolName) : own
    if (taken.has(name) || reserved.has(name)) return undefined
    taken.add(name)
    return name
  })
}
