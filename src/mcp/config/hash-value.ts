import { contentHash } from '../../shared/content-hash.js'
import { isRecord } from '../../shared/is-record.js'

type Piece = string | { readonly value: unknown }

/** Hashes a JSON value. The order of object keys does not affect the hash. */
export function hashValue(value: unknown): string {
  return contentHash(Buffer.from(toCanonicalText(value)))
}

/** Iterative, because the schema of a server may be nested too deeply for recursion. */
function toCanonicalText(value: unknown): string {
  const parts: string[] = []
  const stack: Piece[] = [{ value }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') parts.push(next)
    else for (const piece of piecesOf(next.value).reverse()) stack.push(piece)
  }
  return parts.join('')
}

function piecesOf(value: unknown): Piece[] {
  if (Array.isArray(value)) return ['[', ...value.flatMap((item) => [{ value: item }, ',']), ']']
  if (!isRecord(value)) return [JSON.stringify(value) ?? 'null']
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  return ['{', ...keys.sort().flatMap((key) => [`${JSON.stringify(key)}:`, { value: value[key] }, ',']), '}']
}
