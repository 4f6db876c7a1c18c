import type { Input } from '../call.js'

/**
 * The input that somebody who saw the observed copy wants instead. What they left as it was shown stays as it was sent,
 * so that derived fields never reach the schema or the call; the same object where nothing is changed.
 */
export function changedInput(input: Input, observed: Input, updated: unknown): unknown {
  if (updated === undefined || updated === observed || updated === input) return input
  if (typeof updated !== 'object' || updated === null || Array.isArray(updated)) return updated
  const wanted: Input = {}
  for (const [key, value] of Object.entries(updated)) {
    if (Object.hasOwn(observed, key) && isSame(value, observed[key])) {
      if (Object.hasOwn(input, key)) define(wanted, key, input[key])
    } else define(wanted, key, value)
  }
  return isSame(wanted, input) ? input : wanted
}

/** Unlike an assignment, makes a field of `__proto__`, too. */
function define(target: Input, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Equal as JSON is, whatever the order of fields; anything that is not plain data is the same only as itself. */
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
