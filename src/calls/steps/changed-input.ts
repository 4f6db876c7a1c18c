import type { Input } from '../call.js'

/**
 * Merges the changes of a hook or user, who saw the observable copy of the input, into the original input. Unchanged fields
 * keep their original value, so that derived fields never reach the schema or the call. Returns the same object if nothing changed.
 */
export function changedInput(input: Input, observed: Input, updated: unknown): unknown {
  if (updated === undefined || updated === observed || updated === input) return input
  if (typeof updated !== 'object' || updated === null || Array.isArray(updated)) return updated
  const merged: Input = {}
  for (const [key, value] of Object.entries(updated)) {
    if (Object.hasOwn(observed, key) && isSame(value, observed[key])) {
      if (Object.hasOwn(input, key)) define(merged, key, input[key])
    } else define(merged, key, value)
  }
  return isSame(merged, input) ? input : merged
}

/** Unlike an assignment, also creates a property named `__proto__`. */
function define(target: Input, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Deep equality of plain data, in any order of fields. Other objects are compared by identity. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((part, index) => isSame(part, b[index]))
  }
  if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame((a as Input)[key], (b as Input)[key]))
  )
}
