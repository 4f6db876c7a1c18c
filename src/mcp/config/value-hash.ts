import { contentHash } from '../../shared/content-hash.js'
import { isRecord } from '../../shared/is-record.js'

type Piece = string | { readonly value: unknown }

/** A short name for a value of JSON: equal for values that say the same, whatever the order of their keys. */
export function valueHash(value: unknown): string {
  return contentHash(Buffer.from(canonicalText(value)))
}

/** Works through a list instead of calling itself: a server's schema may be nested without end. */
function canonicalText(value: unknown): string {
  const parts: string[] = []
  const work: Piece[] = [{ value }]
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next === 'string') parts.push(next)
    else for (const piece of piecesOf(next.value).reverse()) work.push(piece)
  }
  return parts.join('')
}

function piecesOf(value: unknown): Piece[] {
  if (Array.isArray(value)) return ['[', ...value.flatMap((item) => [{ value: item }, ',']), ']']
  if (!isRecord(value)) return [JSON.stringify(value) ?? 'null']
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  return ['{', ...keys.sort().flatMap((key) => [`${JSON.stringify(key)}:`, { value: value[key] }, ',']), '}']
}
