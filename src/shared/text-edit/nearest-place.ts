import { foldLookAlikes } from './ladder/fold-look-alikes.js'

/** Lines of a file, from 1, both included. */
export interface LineSpan {
  readonly first: number
  readonly last: number
}

/** More lines than this are not compared word by word. */
const MAX_COMPARED_LINES = 50_000
const MIN_LIKENESS = 0.5

/** The lines that look most like a text which is not there; undefined where nothing is near. */
export function nearestPlace(fileLines: readonly string[], wanted: readonly string[]): LineSpan | undefined {
  const plainWanted = wanted.map(plain)
  const start = sharedStart(fileLines, plainWanted) ?? likeliestStart(fileLines, plainWanted)
  if (start === undefined) return undefined
  const first = Math.max(0, start)
  return { first: first + 1, last: Math.min(fileLines.length, Math.max(first + 1, start + wanted.length)) }
}

/** Each line that both have votes for where the text would begin. */
function sharedStart(fileLines: readonly string[], wanted: readonly string[]): number | undefined {
  const indexes = new Map<string, number[]>()
  for (const [index, line] of wanted.entries()) {
    if (/\w/.test(line)) indexes.set(line, [...(indexes.get(line) ?? []), index].slice(0, 20))
  }
  const votes = new Map<number, number>()
  for (const [at, line] of fileLines.entries()) {
    for (const index of indexes.get(plain(line)) ?? []) votes.set(at - index, (votes.get(at - index) ?? 0) + 1)
  }
  let best: number | undefined
  for (const [start, count] of votes) {
    if (best === undefined || count > (votes.get(best) ?? 0)) best = start
  }
  return best
}

/** Where no line is the same: the line that has most words in common with the longest one wanted. */
function likeliestStart(fileLines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((best, line, index) => (line.length > (wanted[best] ?? '').length ? index : best), 0)
  const words = wordsOf(wanted[longest] ?? '')
  let best: { readonly at: number; readonly likeness: number } | undefined
  for (const [at, line] of fileLines.slice(0, MAX_COMPARED_LINES).entries()) {
    const likeness = likenessOf(words, wordsOf(line))
    if (likeness >= MIN_LIKENESS && likeness > (best?.likeness ?? 0)) best = { at, likeness }
  }
  return best === undefined ? undefined : best.at - longest
}

function plain(line: string): string {
  const folded = /[^\0-\x7f]/.test(line) ? foldLookAlikes(line).text : line
  return folded.replace(/\s+/g, ' ').trim()
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(
    line
      .slice(0, 1_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  )
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return (2 * shared) / (a.size + b.size)
}
