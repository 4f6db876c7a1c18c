import type { GroupedToolUse } from '../../contract/tool/views.js'
import { block, collapsible, fileLink, inline, text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { formatCounted } from '../../shared/counted.js'
import type { GrepInput, GrepOutput } from './schema.js'

/** Renders a summary in one line; the matches below it can be expanded. */
export function renderMatches(output: GrepOutput): View {
  const { entries, mode, more } = output
  const noun = mode === 'content' ? 'line' : 'file'
  const summary = `Found ${formatCounted(entries, noun)}${more === 0 ? '' : ', and there are more'}`
  if (entries === 0) return 'Found nothing'
  const findMatches = createMatchFinder(output)
  return collapsible(summary, block(...output.text.split('\n').map((line) => renderLine(line, mode, findMatches))))
}

/** Renders several searches in one line. */
export function renderSearches(uses: readonly GroupedToolUse<GrepInput, GrepOutput, unknown>[]): View {
  const isRunning = uses.some(({ state }) => state === 'running' || state === 'queued')
  const patterns = uses.map(({ input }) => text(typeof input.pattern === 'string' ? input.pattern : '', 'match'))
  const count = formatCounted(uses.length, 'pattern')
  return collapsible(
    text(isRunning ? `Searching for ${count}` : `Searched for ${count}`, { bold: true }),
    block(...patterns),
  )
}

type FindMatches = (line: string) => readonly { readonly start: number; readonly end: number }[]

/** Renders a line of the result: `path:12:text` is a match with its line; `path-12-text` is a line around a match. */
function renderLine(line: string, mode: GrepOutput['mode'], findMatches: FindMatches): View {
  if (mode === 'files') return fileLink(line)
  if (mode === 'count') return line
  const match = /^(.+?):(\d+):(.*)$/s.exec(line)
  if (match === null) return text(line, 'muted')
  const [, path = '', number = '', content = ''] = match
  return inline(fileLink(path, Number(number)), ':', ...markMatches(content, findMatches(content)))
}

function markMatches(content: string, matches: ReturnType<FindMatches>): readonly View[] {
  const parts: View[] = []
  let end = 0
  for (const match of matches) {
    parts.push(content.slice(end, match.start), text(content.slice(match.start, match.end), 'match'))
    end = match.end
  }
  return [...parts, content.slice(end)]
}

/** Matches are not marked in longer lines. */
const MAX_MARKED_CHARS = 300
const MAX_MARKS = 20

/**
 * Finds the matches again, to mark them. Ripgrep takes linear time for every pattern, but a regular expression of JavaScript
 * may not, so only patterns without repeated groups and with few repetitions are marked.
 */
function createMatchFinder({ query: { pattern, ignoresCase } }: GrepOutput): FindMatches {
  const isCheap = !/\)[*+?{]/.test(pattern) && (pattern.match(/[*+{]/g) ?? []).length <= 2 && pattern.length < 200
  const expression = isCheap ? compilePattern(pattern, ignoresCase ? 'giu' : 'gu') : undefined
  return (line) => {
    if (expression === undefined || line.length > MAX_MARKED_CHARS) return []
    return [...line.matchAll(expression)]
      .filter(([matchedText]) => matchedText !== '')
      .slice(0, MAX_MARKS)
      .map(({ index, 0: matchedText }) => ({ start: index, end: index + matchedText.length }))
  }
}

/** Compiles a pattern. The syntax of ripgrep differs in details: a pattern that is not valid here is not marked. */
function compilePattern(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}
