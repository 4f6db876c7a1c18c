/** Freezes plain objects and arrays recursively. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}

/** Returns a deep copy of plain data in which all objects are frozen. */
export function createFrozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(createFrozenCopy)) as T
  const copy: Record<string, unknown> = { ...(value as Readonly<Record<string, unknown>>) }
  for (const key of Object.keys(copy)) copy[key] = createFrozenCopy(copy[key])
  return Object.freeze(copy) as T
}
