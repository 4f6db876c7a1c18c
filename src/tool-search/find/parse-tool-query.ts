export type ToolQuery =
  | { readonly type: 'select'; readonly names: readonly string[] }
  /** Ranks by `text` the tools whose names contain all `required` words. */
  | { readonly type: 'words'; readonly text: string; readonly required: readonly string[] }

/** Parses the three forms of a query: `select:Read,Edit`, `+slack send`, and plain words. */
export function parseToolQuery(input: string): ToolQuery {
  const query = input.trim()
  const selected = /^select:(.*)$/is.exec(query)?.[1]
  if (selected !== undefined) return { type: 'select', names: namesIn(selected) }
  const words = query.split(/\s+/).filter((word) => word !== '')
  const required = words.flatMap((word) => (isRequired(word) ? [word.slice(1).toLowerCase()] : []))
  const otherWords = words.filter((word) => !isRequired(word)).join(' ')
  return { type: 'words', text: unquote(otherWords), required: [...new Set(required)] }
}

function isRequired(word: string): boolean {
  return word.length > 1 && word.startsWith('+')
}

function namesIn(list: string): readonly string[] {
  const names = list.split(/[,\n]/).map((name) => unquote(name.trim()))
  return [...new Set(names.filter((name) => name !== ''))]
}

/** Removes quotes, which models sometimes put around names. */
function unquote(text: string): string {
  return /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? text
}
