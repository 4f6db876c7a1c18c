/** A copy of plain data all the way down; anything that is not plain is shared. */
export function copyPlain<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyPlain) as T
  if (!isPlain(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const part = copyPlain(value[key])
    // An assignment would make no field of this one.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: part, ...FIELD })
    else copy[key] = part
  }
  return copy as T
}

const FIELD = { enumerable: true, writable: true, configurable: true } as const

/** Makes plain data unchangeable all the way down. Only for what nobody else holds as his own. */
export function freezePlain<T>(value: T): T {
  if (Array.isArray(value)) for (const part of value) freezePlain(part)
  else if (isPlain(value)) for (const key of Object.keys(value)) freezePlain(value[key])
  else return value
  return Object.freeze(value)
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
