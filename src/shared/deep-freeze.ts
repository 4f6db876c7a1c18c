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
  const entries = Object.entries(value).map(([key, member]) => [key, frozenCopy(member)])
  return Object.freeze(Object.fromEntries(entries)) as T
}
