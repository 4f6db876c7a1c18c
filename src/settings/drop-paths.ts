import { isRecord } from '../shared/is-record.js'

/** A copy of a value without the parts at these paths. */
export function dropPaths(value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return {}
  const byStep = new Map<string, (readonly PropertyKey[])[]>()
  for (const [step, ...rest] of paths) {
    const key = String(step)
    const known = byStep.get(key)
    if (known === undefined) byStep.set(key, [rest])
    else known.push(rest)
  }
  if (Array.isArray(value)) return keep(value.map((item, index) => [String(index), item])).map(([, item]) => item)
  return isRecord(value) ? Object.fromEntries(keep(Object.entries(value))) : value

  function keep(parts: readonly (readonly [string, unknown])[]): (readonly [string, unknown])[] {
    return parts.flatMap(([key, part]) => {
      const inner = byStep.get(key)
      if (inner === undefined) return [[key, part] as const]
      return inner.some((path) => path.length === 0) ? [] : [[key, dropPaths(part, inner)] as const]
    })
  }
}
