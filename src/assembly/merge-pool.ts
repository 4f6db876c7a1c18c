import { isMcpTool, type ToolIdentity } from '../contract/tool/identity.js'

/**
 * Built-ins by name, then the others by name, one of each name.
 * Built-ins stay a contiguous prefix: the provider caches up to the last of them, and a server that comes or goes moves none.
 * `reserved` are built-ins that nobody denied: no server may take their names, even while they are switched off.
 */
export function mergePool<T extends ToolIdentity>({
  builtIns,
  outside,
  reserved,
}: {
  builtIns: readonly T[]
  outside: readonly T[]
  reserved: readonly T[]
}): readonly T[] {
  const reservedNames = new Set(reserved.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]))
  const pool = new Map<string, T>()
  addSorted(pool, builtIns)
  addSorted(
    pool,
    outside.filter((tool) => !isMcpTool(tool) || !reservedNames.has(tool.name)),
  )
  return Object.freeze([...pool.values()])
}

/** By code unit, as strings sort by themselves: the same on every machine, and without a call for each comparison. */
function addSorted<T extends ToolIdentity>(pool: Map<string, T>, tools: readonly T[]): void {
  const byName = new Map<string, T>()
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool)
  for (const name of [...byName.keys()].sort()) {
    const tool = byName.get(name)
    if (tool !== undefined && !pool.has(name)) pool.set(name, tool)
  }
}
