import { computeContentHash } from '../../shared/content-hash.js'
import { isRecord } from '../../shared/is-record.js'

type CanonicalPart = string | { readonly value: unknown }

/** Hashes a JSON value. The order of object keys does not affect the hash. */
export function hashValue(value: unknown): string {
  return computeContentHash(Buffer.from(toCanonicalText(value)))
}

/** Returns the canonical text of a value. Iterative, because the schema of a server may be nested too deeply for recursion. */
function toCanonicalText(value: unknown): string {
  const parts: string[] = []
  const stack: CanonicalPart[] = [{ value }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') parts.push(next)
    else for (const part of splitValue(next.value).reverse()) stack.push(part)
  }
  return parts.join('')
}

function splitValue(value: unknown): CanonicalPart[] {
  if (Array.isArray(value)) return ['[', ...value.flatMap((item) => [{ value: item }, ',']), ']']
  if (!isRecord(value)) return [JSON.stringify(value) ?? 'null']
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  return ['{', ...keys.sort().flatMap((key) => [`${JSON.stringify(key)}:`, { value: value[key] }, ',']), '}']
}
