import type { ToolIdentity } from '../contract/tool-identity.js'
import { compareCodeUnits } from '../shared/compare-code-units.js'

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
  const pool = [...builtIns].sort(byName)
  const taken = new Set(pool.map(({ name }) => name))
  for (const tool of [...outside].sort(byName)) {
    if (taken.has(tool.name)) continue
    if (tool.mcpInfo !== undefined && reservedNames.has(tool.name)) continue
    taken.add(tool.name)
    pool.push(tool)
  }
  return Object.freeze(pool)
}

function byName(a: ToolIdentity, b: ToolIdentity): number {
  return compareCodeUnits(a.name, b.name)
}
