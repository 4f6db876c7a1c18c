import type { Steps } from '../shared/steps.js'

/**
 * Returns the first line of the new text that is a placeholder for omitted code, such as `// ... existing code ...`. Accepted
 * are lines and comments that the old text also has, and all lines of an edit that only adds lines.
 */
export function* findOmission(oldText: string, newText: string): Steps<string | undefined> {
  const candidates = yield* filterLines(newText, isOmission)
  // Most texts have no placeholder line, so the old text is examined only if there is one.
  if (candidates.length === 0) return undefined
  const isKnownComment = createKnownCommentCheck(yield* filterLines(oldText, isOmission))
  // Checks every line before it looks for the first suspect, because `isKnownComment` counts how often it accepts a comment.
  const suspectLines = candidates.filter((line) => !isKnownComment(line))
  if (suspectLines.length === 0) return undefined
  const oldLines = new Set(yield* filterLines(oldText, (line) => line !== ''))
  const suspectLine = suspectLines.find((line) => !oldLines.has(line))
  if (suspectLine === undefined) return undefined
  yield* filterLines(newText, (line) => {
    oldLines.delete(line)
    return false
  })
  return oldLines.size > 0 ? suspectLine : undefined
}

const LINES_PER_STEP = 512

/** Trims the lines of a text and returns those that `isAccepted` accepts. */
function* filterLines(text: string, isAccepted: (line: string) => boolean): Steps<readonly string[]> {
  const acceptedLines: string[] = []
  const lineEnd = /\r\n?|\n/g
  let lineCount = 0
  for (let start = 0; start <= text.length; ) {
    lineEnd.lastIndex = start
    const end = lineEnd.exec(text)
    const line = text.slice(start, end?.index).trim()
    if (isAccepted(line)) acceptedLines.push(line)
    start = end === null ? text.length + 1 : lineEnd.lastIndex
    if (++lineCount % LINES_PER_STEP === 0) yield
  }
  return acceptedLines
}

/** Creates a check for successive lines from the placeholders of the old text. It accepts a comment as often as the old text has it. */
function createKnownCommentCheck(oldLines: readonly string[]): (line: string) => boolean {
  const remainingCounts = new Map<string, number>()
  for (const line of oldLines)
    remainingCounts.set(extractComment(line), (remainingCounts.get(extractComment(line)) ?? 0) + 1)
  return (line) => {
    const count = remainingCounts.get(extractComment(line)) ?? 0
    remainingCounts.set(extractComment(line), count - 1)
    return count > 0
  }
}

function extractComment(line: string): string {
  return findComment(line) ?? findTrailingComment(line) ?? line
}

const ELLIPSIS = String.raw`(?:\.{3,}|…)`
const ONLY_ELLIPSIS = new RegExp(`^(?:${ELLIPSIS}\\s*)+$`)
const TEXT_BETWEEN_ELLIPSES = new RegExp(`^${ELLIPSIS}\\s*\\S.*?${ELLIPSIS}$`)
const LEADING_OR_TRAILING_ELLIPSIS = new RegExp(`^${ELLIPSIS}|${ELLIPSIS}$`)
/** Outside a comment `...rest` is code: a placeholder has white space between dots and words. */
const SPACED_ELLIPSIS = new RegExp(`^${ELLIPSIS}\\s+\\S|\\S\\s+${ELLIPSIS}$`)

const MAX_WORDS = 12

function isOmission(line: string): boolean {
  if (line.length > 200 || !/\.{3}|…|rest|remain|unchanged|omitted|existing|elided|snip/i.test(line)) return false
  const comment = findComment(line)
  if (comment !== undefined) return isPlaceholderComment(comment)
  const trailingComment = findTrailingComment(line)
  if (trailingComment !== undefined)
    return LEADING_OR_TRAILING_ELLIPSIS.test(trailingComment) && mentionsOmission(trailingComment)
  return SPACED_ELLIPSIS.test(line) && mentionsOmission(line)
}

function isPlaceholderComment(comment: string): boolean {
  if (ONLY_ELLIPSIS.test(comment)) return true
  if (TEXT_BETWEEN_ELLIPSES.test(comment) && wordsOf(comment).length <= MAX_WORDS) return true
  return LEADING_OR_TRAILING_ELLIPSIS.test(comment) ? mentionsOmission(comment) : isOmissionPhrase(comment)
}

/** Comments of many languages, with their text as the first group. A line in brackets counts as a comment too. */
const COMMENT_PATTERNS: readonly RegExp[] = [
  /^\{\s*\/\*+(.*?)\*+\/\s*\}$/,
  /\/\*+(.*?)\*+\/[\s})\];,]*$/,
  /^\/\*+(.*)$/,
  /(?:^|\s)\/{2,}[!/]?(.*)$/,
  // A no-op statement with a comment, such as `pass  # ...`.
  /^(?:pass|\.\.\.|return(?: None| nil)?|continue|nil|:|true)\s*[,;]?\s+#+(.*)$/,
  /^<!--(.*?)(?:-->)?$/,
  /^<%--(.*?)(?:--%>)?$/,
  /^\{\{!(?:--)?(.*?)(?:--)?\}\}$/,
  /^\{#(.*?)#\}$/,
  /^\(\*(.*?)(?:\*\))?$/,
  /^\{-(.*?)(?:-\})?$/,
  /^#\|(.*?)(?:\|#)?$/,
  /^<#(.*?)(?:#>)?$/,
  /^--\[\[(.*?)(?:\]\])?$/,
  /^(?:"""|''')(.*?)(?:"""|''')?$/,
  /^\*+\s(.*?)(?:\*\/)?$/,
  /^(?:#+|--+|;+|%+|!+|'+|"|REM\b|::|\.\.\s)(.*)$/i,
  /^\[(.*)\]$/,
  /^\((.*)\)$/,
  /^<([^>]*)>$/,
]

function findComment(line: string): string | undefined {
  for (const pattern of COMMENT_PATTERNS) {
    const comment = pattern.exec(line)?.[1]
    if (comment !== undefined) return stripBrackets(comment.trim())
  }
  return undefined
}

/** Returns the text of a `#` comment after code. A `#` in a string or a colour does not start a comment. */
function findTrailingComment(line: string): string | undefined {
  const comment = /\s#+\s+([^"'`#]*)$/.exec(line)?.[1]
  return comment === undefined ? undefined : stripBrackets(comment.trim())
}

function stripBrackets(text: string): string {
  return (/^[([<](.*)[)\]>]$/.exec(text)?.[1] ?? text).trim()
}

const FILLER_WORDS = splitToSet(
  'a all and are as be been below brevity but can code content contents continue continues else everything exactly file files for from go goes here if in is it its just keep keeps kept leave left lines line logic my need no not of on or other out part parts same see should stay stays still that the then there these this those to unmodified untouched was were will with without your above',
)
const CODE_WORDS = splitToSet(
  'attribute attributes block blocks body case cases chapter chapters class classes component components config configuration constant constants css definition definitions document element elements entries entry export exports field fields function functions handler handlers html import imports implementation implementations item items js method methods module object page paragraph paragraphs program property properties props route routes rows rule rules script section sections setting settings state states statements stuff style styles table template test tests text type types value values variable variables view',
)
const OMISSION_WORDS = splitToSet(
  'before earlier elided existing omitted original originally previous previously remain remainder remaining remains rest skip skipped snip snipped truncated unaltered unchanged unmodified untouched same',
)

function mentionsOmission(text: string): boolean {
  const words = wordsOf(text)
  return words.some((word) => OMISSION_WORDS.has(word)) && words.length <= MAX_WORDS && words.every(isPlainWord)
}

/** Whether a comment without dots is a placeholder. Recognises only phrases that are unlikely to describe code. */
function isOmissionPhrase(text: string): boolean {
  if (!mentionsOmission(text) || /[=;{}]/.test(text)) return false
  const phrase = wordsOf(text).join(' ')
  return (
    /\b(?:rest|remainder) of\b/.test(phrase) ||
    /\b(?:rest|remainder|remaining|existing|previous|original|other|code|file|everything)\b.*\b(?:unchanged|unmodified|untouched|unaltered|omitted|elided|snipped|truncated|same|as before|as is|remains?|stays?|goes here|here)\b/.test(
      phrase,
    ) ||
    /\b(?:omitted|elided|snipped|truncated|left out) for brevity\b/.test(phrase) ||
    /^(?:the |your |all )?(?:existing|remaining|rest|previous|original) (?:code|implementation|content|contents|logic)$/.test(
      phrase,
    ) ||
    /^(?:code |lines |file )?(?:is |are )?(?:unchanged|omitted)(?: code| lines)?$/.test(phrase) ||
    /^keep (?:the |all )?(?:existing|rest|remaining)\b/.test(phrase)
  )
}

function isPlainWord(word: string): boolean {
  return FILLER_WORDS.has(word) || CODE_WORDS.has(word) || OMISSION_WORDS.has(word) || /^\d+$/.test(word)
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
}

function splitToSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}
