const MAX_SHOWN = 300

/** A path for a question: whoever answers must see its ends, and nobody reads thousands of characters. */
export function shortPath(path: string): string {
  if (path.length <= MAX_SHOWN) return path
  const half = MAX_SHOWN / 2
  return `${path.slice(0, half)}…${path.slice(-half)} (${path.length} characters)`
}
