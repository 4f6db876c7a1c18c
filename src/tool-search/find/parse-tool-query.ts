export type ToolQuery =
  | { readonly type: 'select'; readonly names: readonly string[] }
  /** Ranks by `text` the tools whose names contain all `requiredWords`. */
  | { readonly type: 'words'; readonly text: string; readonly requiredWords: readonly string[] }

/** Parses the three forms of a query: `select:Read,Edit`, `+slack send`, and plain words. */
export function parseToolQuery(input: string): ToolQuery {
  const query = input.trim()
  const selectedNames = /^select:(.*)$/is.exec(query)?.[1]
  if (selectedNames !== undefined) return { type: 'select', names: splitNames(selectedNames) }
  const words = query.split(/\s+/).filter((word) => word !== '')
  const requiredWords = words.flatMap((word) => (isRequired(word) ? [word.slice(1).toLowerCase()] : []))
  const otherWords = words.filter((word) => !isRequired(word)).join(' ')
  return { type: 'words', text: unquote(otherWords), requiredWords: [...new Set(requiredWords)] }
}

function isRequired(word: string): boolean {
  return word.length > 1 && word.startsWith('+')
}

function splitNames(list: string): readonly string[] {
  const names = list.split(/[,\n]/).map((name) => unquote(name.trim()))
  return [...new Set(names.filter((name) => name !== ''))]
}

/** Removes quotes, which models sometimes put around names. */
function unquote(text: string): string {
  return /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? text
}
