/** Returns a deep copy of plain objects and arrays. Other objects are shared with the original. */
export function copyPlain<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyPlain) as T
  if (!isPlain(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const copiedValue = copyPlain(value[key])
    // An assignment would set the prototype instead of creating a property.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: copiedValue, ...DATA_PROPERTY })
    else copy[key] = copiedValue
  }
  return copy as T
}

const DATA_PROPERTY = { enumerable: true, writable: true, configurable: true } as const

/** Freezes plain objects and arrays deeply. Only for data that no other code needs to change. */
export function freezePlain<T>(value: T): T {
  if (Array.isArray(value)) for (const item of value) freezePlain(item)
  else if (isPlain(value)) for (const key of Object.keys(value)) freezePlain(value[key])
  else return value
  return Object.freeze(value)
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
