import { type CellsSpan, scanNotebook } from '../../edits/notebook/scan-notebook.js'
import type { Steps } from '../../shared/steps.js'

/** A notebook, both parsed and as text. */
export interface OpenNotebook {
  readonly text: string
  readonly style: JsonStyle
  readonly data: Readonly<Record<string, unknown>>
  readonly cells: readonly unknown[]
  /** The span of the cell list in the text. */
  readonly cellsSpan: CellsSpan
}

/** The nesting depth of a cell, which is in a list inside the top-level object. */
export const CELL_DEPTH = 2

export function* openNotebook(text: string): Steps<OpenNotebook> {
  const notebook = yield* scanOrExplain(text)
  if (notebook === undefined)
    throw new NotebookEditError('The file has no list of cells, so it is not a notebook of format 4. Use Edit instead.')
  return { text, style: yield* detectStyle(text), ...notebook }
}

function* scanOrExplain(text: string): ReturnType<typeof scanNotebook> {
  try {
    return yield* scanNotebook(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new NotebookEditError(
      'The file is not valid JSON, or nests its values too deeply, so it is not a notebook. Fix it with Edit first.',
      {
        cause,
      },
    )
  }
}

/** An edit that is not possible. The message says what the model should do instead. */
export class NotebookEditError extends Error {
  override readonly name = 'NotebookEditError'
}

/** The formatting of a JSON file, which is also used for new values. */
interface JsonStyle {
  /** The indentation of one level; empty if everything is on one line. */
  readonly indent: string
  readonly lineEnd: '\n' | '\r\n'
  /** Whether the file escapes all non-ASCII characters. */
  readonly isAscii: boolean
}

function* detectStyle(text: string): Steps<JsonStyle> {
  return {
    indent: /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? '',
    lineEnd: (yield* matchesInPieces(/\r\n/, text)) ? '\r\n' : '\n',
    isAscii: (yield* matchesInPieces(/\\u[0-9a-f]{4}/i, text)) && !(yield* matchesInPieces(/[^\0-\x7f]/, text)),
  }
}

const PIECE_CHARS = 256_000
/** No pattern of `detectStyle` matches more characters. */
const MAX_MATCH_CHARS = 6

/** Searches a text of many megabytes in steps. Pieces overlap, so that a match at their border is found. */
function* matchesInPieces(pattern: RegExp, text: string): Steps<boolean> {
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    if (pattern.test(text.slice(at, at + PIECE_CHARS + MAX_MATCH_CHARS - 1))) return true
    yield
  }
  return false
}

/** Serialises a value with this formatting, for a place at this nesting depth. */
export function writeJson(value: unknown, depth: number, { indent, lineEnd, isAscii }: JsonStyle): string {
  const text = JSON.stringify(value, null, indent)
  const escapedText = isAscii ? text.replace(/[^\0-\x7f]/g, escapeUnit) : text
  return indent === '' ? escapedText : escapedText.replaceAll('\n', lineEnd + indent.repeat(depth))
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
