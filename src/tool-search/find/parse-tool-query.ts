/** What a search asks for. */
export type ToolQuery =
  | { readonly type: 'select'; readonly names: readonly string[] }
  /** Ranked by `text` among the tools that have every one of `required` in their name. */
  | { readonly type: 'words'; readonly text: string; readonly required: readonly string[] }

/** The three forms of a query: `select:Read,Edit`, `+slack send`, and plain words. */
export function parseToolQuery(written: string): ToolQuery {
  const query = written.trim()
  const selected = /^select:(.*)$/is.exec(query)?.[1]
  if (selected !== undefined) return { type: 'select', names: namesIn(selected) }
  const words = query.split(/\s+/).filter((word) => word !== '')
  const required = words.flatMap((word) => (isRequired(word) ? [word.slice(1).toLowerCase()] : []))
  const rest = words.filter((word) => !isRequired(word)).join(' ')
  return { type: 'words', text: unquoted(rest), required: [...new Set(required)] }
}

function isRequired(word: string): boolean {
  return word.length > 1 && word.startsWith('+')
}

function namesIn(list: string): readonly string[] {
  const names = list.split(/[,\n]/).map((name) => unquoted(name.trim()))
  return [...new Set(names.filter((name) => name !== ''))]
}

/** Models put names into quotes, which belong to no name. */
function unquoted(text: string): string {
  return /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? text
}
