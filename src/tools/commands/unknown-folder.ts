const DEPTH = 40
const PARTS: readonly string[] = Array.from({ length: DEPTH }, (_, index) => `haft-folder-${index}`)

/** A placeholder for an unknown working directory, so deep that no realistic path climbs out of it. */
export const UNKNOWN_FOLDER = `/${PARTS.join('/')}`

/** Converts a path to one relative to the unknown folder; undefined if that is not possible. */
export function fromUnknownFolder(path: string): string | undefined {
  if (path.startsWith('~')) return undefined
  if (!path.startsWith('/')) return climbsTooFar(path) ? undefined : path
  const parts = path.split('/').slice(1)
  const shared = parts.findIndex((part, index) => part !== PARTS[index])
  const depth = shared === -1 ? parts.length : shared
  if (depth === 0) return path
  const isTree = path.endsWith('/')
  const below = parts.slice(depth).filter((part) => part !== '')
  const relative = [...Array.from({ length: DEPTH - depth }, () => '..'), ...below].join('/')
  return `${relative === '' ? '.' : relative}${isTree ? '/' : ''}`
}

function climbsTooFar(path: string): boolean {
  return path.split('/').filter((part) => part === '..').length >= DEPTH
}
