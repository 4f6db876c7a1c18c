/** When definitions are deferred: always, only where they are many, or never. */
export type ToolSearchMode =
  | { readonly type: 'tst' }
  /** Only if they take more than this part of the context window. */
  | { readonly type: 'tst-auto'; readonly percent: number }
  | { readonly type: 'standard' }

export const DEFAULT_TOOL_SEARCH_MODE: ToolSearchMode = { type: 'tst' }

/** What is meant where `auto` comes without a number. */
const AUTO_PERCENT = 10

/** What `HAFT_TOOL_SEARCH` says; undefined where it means nothing and counts as unset. A number beyond 0 to 100 is the nearest of them. */
export function parseToolSearchMode(written: string): ToolSearchMode | undefined {
  const word = written.trim().toLowerCase()
  if (word === 'true') return DEFAULT_TOOL_SEARCH_MODE
  if (word === 'false') return { type: 'standard' }
  const auto = /^auto(?::([+-]?\d+))?$/.exec(word)
  if (auto === null) return undefined
  const percent = Math.min(100, Math.max(0, Number(auto[1] ?? AUTO_PERCENT)))
  if (percent === 0) return DEFAULT_TOOL_SEARCH_MODE
  return percent === 100 ? { type: 'standard' } : { type: 'tst-auto', percent }
}
