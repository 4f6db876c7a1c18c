import type { Steps } from '../shared/steps.js'
import type { EditStrategy } from './edit-strategies.js'
import { fitMatch } from './fit-match.js'
import { findIndented } from './ladder/find-indented.js'
import { findLookAlikes } from './ladder/find-look-alikes.js'
import { findTrailingSpace } from './ladder/find-trailing-space.js'
import { findUnescaped } from './ladder/find-unescaped.js'
import { findVerbatim, findWithoutFinalNewline } from './ladder/find-verbatim.js'
import type { FindMatches, Haystack, Match } from './ladder/match.js'
import { foldLineEndings, splitLinesInSteps, type TextLine } from './text/lines.js'
import type { TextChange, TextRange } from './text/text-change.js'

export interface TextEdit {
  readonly oldString: string
  readonly newString: string
  readonly replaceAll?: boolean
  /** For each new line the index of the old line it equals; computed if left out. */
  readonly oldIndexes?: readonly (number | undefined)[]
}

/** The changes of an edit, or why it has no unique match. */
export type EditPlan =
  | { readonly kind: 'found'; readonly strategy: EditStrategy; readonly changes: readonly TextChange[] }
  | { readonly kind: 'missing' }
  /** The old text matches at each of these offsets. */
  | { readonly kind: 'ambiguous'; readonly strategy: EditStrategy; readonly offsets: readonly number[] }

const STRATEGIES: readonly { readonly strategy: EditStrategy; readonly find: FindMatches }[] = [
  { strategy: 'verbatim', find: findVerbatim },
  { strategy: 'line endings', find: findWithoutFinalNewline },
  { strategy: 'trailing white space', find: findTrailingSpace },
  { strategy: 'indentation', find: findIndented },
  { strategy: 'look-alikes', find: findLookAlikes },
  { strategy: 'escapes', find: findUnescaped },
]

/**
 * Searches for the old text with increasingly loose strategies. The first strategy with a match decides, and its match
 * must be unique. Only matches that `isEligible` accepts count.
 */
export function* planEdit(
  text: string,
  edit: TextEdit,
  isEligible: (range: TextRange) => boolean = () => true,
): Steps<EditPlan> {
  const haystack = haystackOf(text)
  const foldedEdit = {
    oldText: foldLineEndings(edit.oldString),
    newText: foldLineEndings(edit.newString),
    ...(edit.oldIndexes !== undefined && { oldIndexes: edit.oldIndexes }),
  }
  for (const { strategy, find } of STRATEGIES) {
    const foundMatches = yield* find(haystack, foldedEdit)
    yield
    const eligibleMatches = foundMatches.filter((match) => hasWholeCharacters(text, match) && isEligible(match))
    const matches = preferExactLineEndings(text, edit.oldString, eligibleMatches)
    if (matches.length === 0) continue
    const isVerbatim = strategy === 'verbatim'
    // replace_all applies only to exact matches.
    if (matches.length > 1 && !(isVerbatim && edit.replaceAll === true)) {
      return { kind: 'ambiguous', strategy, offsets: matches.map(({ start }) => start) }
    }
    return createPlan(
      haystack,
      removeOverlaps(matches),
      isVerbatim ? chooseExactStrategy(text, edit, matches) : strategy,
    )
  }
  return { kind: 'missing' }
}

function createPlan(haystack: Haystack, matches: readonly Match[], strategy: EditStrategy): EditPlan {
  const changes = matches.map((match) => fitMatch(haystack, match))
  const fittingChanges = changes.filter((change) => change !== undefined)
  return fittingChanges.length < changes.length
    ? { kind: 'missing' }
    : { kind: 'found', strategy, changes: fittingChanges }
}

/** Whether the range consists of whole characters. A match must not split a surrogate pair, or a letter from its accent. */
function hasWholeCharacters(text: string, { start, end }: TextRange): boolean {
  return !cutsCharacter(text, start) && !cutsCharacter(text, end)
}

function cutsCharacter(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset)
  if (!(code > 0x2ff) || offset === 0) return false
  if (code >= 0xdc00 && code <= 0xdfff) return /[\ud800-\udbff]/.test(text[offset - 1] ?? '')
  return /^\p{M}/u.test(text.slice(offset, offset + 2)) && !/[\r\n]/.test(text[offset - 1] ?? '')
}

/** Selects the only match with the same line endings, if the old text has carriage returns. Otherwise returns all matches. */
function preferExactLineEndings(text: string, oldString: string, matches: readonly Match[]): readonly Match[] {
  if (matches.length < 2 || !oldString.includes('\r')) return matches
  const exactMatches = matches.filter(({ start, end }) => text.slice(start, end) === oldString)
  return exactMatches.length === 1 ? exactMatches : matches
}

function chooseExactStrategy(text: string, { oldString }: TextEdit, matches: readonly Match[]): EditStrategy {
  return matches.every(({ start, end }) => text.slice(start, end) === oldString) ? 'verbatim' : 'line endings'
}

/** Removes matches that overlap an earlier match, because only one of them can be changed. */
function removeOverlaps(matches: readonly Match[]): readonly Match[] {
  let previousEnd = 0
  return matches.filter(({ start, end }) => {
    if (start < previousEnd) return false
    previousEnd = end
    return true
  })
}

function haystackOf(text: string): Haystack {
  let lines: readonly TextLine[] | undefined
  return {
    text,
    hasCarriageReturns: text.includes('\r'),
    *lines() {
      lines ??= yield* splitLinesInSteps(text)
      return lines
    },
  }
}
