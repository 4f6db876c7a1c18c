/** Freezes plain objects and arrays recursively. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}

/** A deep copy of data, frozen. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  const copy: Record<string, unknown> = { ...(value as Readonly<Record<string, unknown>>) }
  for (const key of Object.keys(copy)) copy[key] = frozenCopy(copy[key])
  return Object.freeze(copy) as T
}
