import type { Piece } from './read-word.js'

/** The maximum number of words from one brace expansion. Beyond it, the result is unknown. */
const MAX_WORDS = 64
/** The content of `{1..5}` or `{1..9..2}`. Leading zeros, which would pad the results, are outside of the agreed subset. */
const NUMBER_RANGE = /^(0|-?[1-9]\d{0,5})\.\.(0|-?[1-9]\d{0,5})(?:\.\.(-?[1-9]\d{0,3}))?$/
const LETTER_RANGE = /^(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))$/

type Pieces = readonly Piece[]

/**
 * Expands the braces of a word into several words, as bash does before all other expansions. Returns undefined for malformed
 * braces, for which bash has many rules.
 */
export function expandBraces(pieces: Pieces): readonly Pieces[] | undefined {
  const openingIndex = pieces.findIndex((piece) => piece.kind === 'brace' && piece.value === '{')
  if (openingIndex === -1 || !mayExpand(pieces, openingIndex)) return [pieces.map(toText)]
  const state: State = { pieces, at: 0 }
  const words = expandSequence(state, false)
  return words === undefined || state.at < pieces.length ? undefined : words.filter((word) => word.length > 0)
}

/** Whether a comma or two dots follow the first brace. Otherwise all braces are literal. */
function mayExpand(pieces: Pieces, openingIndex: number): boolean {
  return pieces
    .slice(openingIndex)
    .some((piece) => (piece.kind === 'brace' && piece.value === ',') || (piece.kind === 'text' && hasDots(piece)))
}

function hasDots(piece: Extract<Piece, { kind: 'text' }>): boolean {
  return !piece.isQuoted && piece.value.includes('..')
}

function toText(piece: Piece): Piece {
  return piece.kind === 'brace' ? { kind: 'text', value: piece.value, isQuoted: false } : piece
}

interface State {
  readonly pieces: Pieces
  at: number
}

/** Expands up to the end of the word, or inside braces up to the next comma or closing brace. */
function expandSequence(state: State, isInside: boolean): readonly Pieces[] | undefined {
  let words: readonly Pieces[] | undefined = [[]]
  while (words !== undefined && state.at < state.pieces.length) {
    const piece = state.pieces[state.at]
    const brace = piece?.kind === 'brace' ? piece.value : ''
    if (isInside && (brace === '}' || brace === ',')) return words
    words = combine(words, expandPiece(state))
  }
  return isInside ? undefined : words
}

/**
 * Expands the next piece or group. Returns undefined for a closing brace without an opening one, which is outside of the
 * agreed subset.
 */
function expandPiece(state: State): readonly Pieces[] | undefined {
  const piece = state.pieces[state.at]
  if (piece === undefined || (piece.kind === 'brace' && piece.value === '}')) return undefined
  if (piece.kind === 'brace' && piece.value === '{') return expandGroup(state)
  state.at += 1
  return [[toText(piece)]]
}

function combine(beginnings: readonly Pieces[], endings: readonly Pieces[] | undefined): readonly Pieces[] | undefined {
  if (endings === undefined || beginnings.length * endings.length > MAX_WORDS) return undefined
  return beginnings.flatMap((start) => endings.map((ending) => [...start, ...ending]))
}

/** Expands `{a,b}` or `{1..3}`, starting at its opening brace. */
function expandGroup(state: State): readonly Pieces[] | undefined {
  const series = readSeries(state) ?? readLiteral(state)
  if (series !== undefined) return series
  const words: Pieces[] = []
  let elements = 0
  for (;;) {
    state.at += 1
    const element = expandSequence(state, true)
    if (element === undefined || words.length + element.length > MAX_WORDS) return undefined
    words.push(...element)
    elements += 1
    const separator = state.pieces[state.at]
    if (separator?.kind !== 'brace') return undefined
    if (separator.value === '}') break
  }
  state.at += 1
  return elements > 1 ? words : undefined
}

function readSeries(state: State): readonly Pieces[] | undefined {
  const [, text, closingPiece] = state.pieces.slice(state.at, state.at + 3)
  if (text?.kind !== 'text' || text.isQuoted || closingPiece?.kind !== 'brace' || closingPiece.value !== '}')
    return undefined
  const values = valuesOfSeries(text.value)
  if (values === undefined) return undefined
  state.at += 3
  return values.map((value) => [{ kind: 'text', value, isQuoted: false }])
}

/** Reads braces without a comma, two dots or further braces. They are literal. */
function readLiteral(state: State): readonly Pieces[] | undefined {
  const { pieces, at } = state
  const length = pieces.slice(at + 1).findIndex((piece) => piece.kind === 'brace')
  const closingPiece = pieces[at + 1 + length]
  if (length === -1 || closingPiece?.kind !== 'brace' || closingPiece.value !== '}') return undefined
  const content = pieces.slice(at, at + length + 2)
  if (content.some((piece) => piece.kind === 'text' && hasDots(piece))) return undefined
  state.at += content.length
  return [content.map(toText)]
}

function valuesOfSeries(text: string): readonly string[] | undefined {
  const letterRange = LETTER_RANGE.exec(text)
  if (letterRange !== null) {
    const [, lowerStart, lowerEnd, upperStart, upperEnd] = letterRange
    const [start = '', end = ''] = [lowerStart ?? upperStart, lowerEnd ?? upperEnd]
    return listNumbers(start.charCodeAt(0), end.charCodeAt(0), 1)?.map((code) => String.fromCharCode(code))
  }
  const numberRange = NUMBER_RANGE.exec(text)
  if (numberRange === null) return undefined
  return listNumbers(Number(numberRange[1]), Number(numberRange[2]), Math.abs(Number(numberRange[3] ?? 1)))?.map(String)
}

function listNumbers(start: number, end: number, step: number): readonly number[] | undefined {
  const length = Math.floor(Math.abs(end - start) / step) + 1
  if (length > MAX_WORDS) return undefined
  const direction = end < start ? -step : step
  return Array.from({ length }, (_, index) => start + index * direction)
}
