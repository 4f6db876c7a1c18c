import type { ParsedScript, WordPart } from 'unbash'
import { readAnsiC } from './read-ansi-c.js'

/**
 * A piece of a word, read from its source text. The reader accepts only a small subset of the syntax of bash, because parsers
 * and bash disagree about unusual syntax.
 */
export type Piece =
  | { readonly kind: 'text'; readonly value: string; readonly isQuoted: boolean }
  /** An unquoted `{`, `}` or `,`, which may belong to a brace expansion. */
  | { readonly kind: 'brace'; readonly value: string }
  /** An unquoted `*`, `?`, `[` or `]`. */
  | { readonly kind: 'glob'; readonly value: string }
  | { readonly kind: 'expansion'; readonly part: Expansion; readonly isQuoted: boolean }
  /** Quoted text whose value depends on the locale. */
  | { readonly kind: 'unknown' }

export type Expansion = Extract<
  WordPart,
  {
    type: 'SimpleExpansion' | 'ParameterExpansion' | 'CommandExpansion' | 'ArithmeticExpansion' | 'ProcessSubstitution'
  }
>

export interface WordReading {
  /** The index after the last character of the word. */
  readonly end: number
  readonly pieces: readonly Piece[]
}

export interface ReaderInput {
  readonly source: string
  /** The position of `source` in the text that was parsed. */
  readonly offset: number
  /** The index at which reading stops at the latest. */
  readonly limit: number
  /** Returns the expansion that the parser found at a position. */
  readonly expansionAt: (position: number) => Expansion | undefined
  /** Whether bash certainly reads the script of a substitution, between the two indexes, as the parser does. */
  readonly isScriptAgreed: (script: ParsedScript | undefined, from: number, to: number) => boolean
}

interface Reader extends ReaderInput {
  at: number
  readonly pieces: Piece[]
}

/** The position of the reader: outside quotes, in double quotes, or in the body of a here-document. */
type QuotingContext = 'bare' | 'double' | 'here'

/** Reads a word up to the next unquoted blank or operator. Returns undefined if bash may read it differently. */
export function readWord(input: ReaderInput, start: number): WordReading | undefined {
  const reader = createReader(input, start)
  const { source, limit } = input
  if (isProcessSubstitution(source, start)) {
    if (!readSubstitution(reader, 'ProcessSubstitution', start + 2, ')', false)) return undefined
  }
  while (reader.at < limit) {
    const char = source[reader.at] ?? ''
    if (isMetacharacter(char)) break
    // In the agreed subset, a process substitution must be a whole word.
    if (reader.pieces[0]?.kind === 'expansion' && reader.pieces[0].part.type === 'ProcessSubstitution') return undefined
    if (!readBare(reader, char)) return undefined
  }
  // Bash joins a process substitution to the word that it directly follows.
  if (isProcessSubstitution(source, reader.at) && reader.at < limit) return undefined
  return reader.at === start ? undefined : { end: reader.at, pieces: reader.pieces }
}

/** Reads the body of a here-document whose delimiter is not quoted. Returns undefined if bash may read it differently. */
export function readHereDocument(input: ReaderInput, start: number): WordReading | undefined {
  const reader = createReader(input, start)
  while (reader.at < input.limit) if (!readQuoted(reader, 'here')) return undefined
  return { end: reader.at, pieces: reader.pieces }
}

function createReader({ source, offset, limit, expansionAt, isScriptAgreed }: ReaderInput, at: number): Reader {
  const pieces: Piece[] = []
  return { source, offset, limit, expansionAt, isScriptAgreed, at, pieces }
}

export function isMetacharacter(char: string): boolean {
  return char !== '' && ' \t\n|&;()<>'.includes(char)
}

export function isProcessSubstitution(source: string, index: number): boolean {
  return source.startsWith('<(', index) || source.startsWith('>(', index)
}

/** Characters without a meaning outside quotes. Control characters are rejected. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this rejects
const PLAIN_TEXT = /[^\\'"`$|&;()<> \t\n*?[\]{},\x00-\x1f\x7f]+/y
/** Bash uses the characters 1 and 127 as internal marks, so they are rejected, as is NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this rejects
const SINGLE_QUOTED = /'([^'\x00\x01\x7f]*)'/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this rejects
const PLAIN_DOUBLE_QUOTED_TEXT = /[^\\"`$\x00\x01\x7f]+/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this rejects
const PLAIN_HERE_DOCUMENT_TEXT = /[^\\`$\x00\x01\x7f]+/y

function readBare(reader: Reader, char: string): boolean {
  const { source } = reader
  switch (char) {
    case '\\':
      return readEscape(reader)
    case "'": {
      const match = takeMatch(SINGLE_QUOTED, reader)
      return match !== undefined && addText(reader, match[1] ?? '', true)
    }
    case '"':
      reader.at += 1
      return readDoubleQuoted(reader)
    case '`':
      return readBackticks(reader, false)
    case '$':
      return readDollar(reader, 'bare')
    case '*':
    case '?':
    case '[':
    case ']':
      reader.at += 1
      reader.pieces.push({ kind: 'glob', value: char })
      return true
    case '{':
    case '}':
    case ',':
      reader.at += 1
      reader.pieces.push({ kind: 'brace', value: char })
      return true
    default: {
      const match = takeMatch(PLAIN_TEXT, reader)
      return match !== undefined && reader.at <= source.length && addText(reader, match[0], false)
    }
  }
}

function readEscape(reader: Reader): boolean {
  const nextCharacter = reader.source[reader.at + 1]
  if (nextCharacter === undefined || reader.at + 1 >= reader.limit || isControl(nextCharacter)) return false
  // A surrogate pair is one character.
  const length = /[\ud800-\udbff]/.test(nextCharacter) ? 2 : 1
  const value = reader.source.slice(reader.at + 1, reader.at + 1 + length)
  reader.at += 1 + length
  return nextCharacter === '\n' || addText(reader, value, true)
}

function isControl(char: string): boolean {
  return char !== '\n' && char !== '\t' && (char < ' ' || char === '\x7f')
}

/** Reads up to the closing double quote. The opening quote has already been read. */
function readDoubleQuoted(reader: Reader): boolean {
  addText(reader, '', true)
  while (reader.at < reader.limit) {
    if (reader.source[reader.at] === '"') {
      reader.at += 1
      return true
    }
    if (!readQuoted(reader, 'double')) return false
  }
  return false
}

function readQuoted(reader: Reader, context: 'double' | 'here'): boolean {
  const { source } = reader
  switch (source[reader.at]) {
    case '\\':
      return readQuotedEscape(reader, context)
    case '`':
      return readBackticks(reader, true)
    case '$':
      return readDollar(reader, context)
    default:
      return context === 'here' ? readPlainLines(reader) : addMatch(reader, PLAIN_DOUBLE_QUOTED_TEXT)
  }
}

function addMatch(reader: Reader, pattern: RegExp): boolean {
  const match = takeMatch(pattern, reader)
  return match !== undefined && addText(reader, match[0], true)
}

/** Reads plain text of a here-document, which ends at the limit, not at a certain character. */
function readPlainLines(reader: Reader): boolean {
  PLAIN_HERE_DOCUMENT_TEXT.lastIndex = reader.at
  const text = PLAIN_HERE_DOCUMENT_TEXT.exec(reader.source)?.[0]
  if (text === undefined) return false
  const end = Math.min(reader.at + text.length, reader.limit)
  addText(reader, reader.source.slice(reader.at, end), true)
  reader.at = end
  return true
}

/** Reads a backslash in double quotes or a here-document, where it escapes only a few characters. */
function readQuotedEscape(reader: Reader, context: 'double' | 'here'): boolean {
  const nextCharacter = reader.source[reader.at + 1]
  if (nextCharacter === undefined || reader.at + 1 >= reader.limit || isControl(nextCharacter)) return false
  if (nextCharacter === '\n') {
    reader.at += 2
    // In a here-document, joining lines could produce the delimiter.
    return context === 'double'
  }
  const isEscape =
    nextCharacter === '$' ||
    nextCharacter === '`' ||
    nextCharacter === '\\' ||
    (nextCharacter === '"' && context === 'double')
  reader.at += isEscape ? 2 : 1
  return addText(reader, isEscape ? nextCharacter : '\\', true)
}

/** Without a backslash, the script of a backtick substitution is exactly the source text. */
const BACKTICKS = /`[^`\\]*`/y
const SIMPLE_PARAMETER = /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/y
/** `${…}` whose operand contains no quotes and no expansions other than `$name`. */
const PARAMETER =
  /\$\{(?:[#!][A-Za-z_][A-Za-z0-9_]*(?:\[[@*]\])?|[0-9]+|[@*#?$!-]|[A-Za-z_][A-Za-z0-9_]*(?:\[(?:[@*]|\d+|\$?[A-Za-z_]\w*)\])?(?:(?::?[-+=?]|##?|%%?|\/[/#%]?|\^\^?|,,?|:|@)(?:[^\\'"`${}\n<>]|\$[A-Za-z_][A-Za-z0-9_]*|\\[/.*?[\] :-])*)?)\}/y

function readDollar(reader: Reader, context: QuotingContext): boolean {
  const { source, at, limit } = reader
  const nextCharacter = at + 1 < limit ? source[at + 1] : undefined
  const isQuoted = context !== 'bare'
  if (nextCharacter === '(') return readParentheses(reader, isQuoted)
  if (nextCharacter === '{') return readParameter(reader, PARAMETER, isQuoted)
  if (nextCharacter === '[' || nextCharacter === '\\') return false
  if (context === 'bare' && nextCharacter === "'") return readAnsiCPiece(reader)
  if (context === 'bare' && nextCharacter === '"') {
    reader.at += 2
    reader.pieces.push({ kind: 'unknown' })
    return readDoubleQuoted(reader)
  }
  if (context === 'here' && (nextCharacter === "'" || nextCharacter === '"')) return false
  if (nextCharacter !== undefined && /[A-Za-z0-9_@*#?$!-]/.test(nextCharacter))
    return readParameter(reader, SIMPLE_PARAMETER, isQuoted)
  reader.at += 1
  return addText(reader, '$', isQuoted)
}

function readParameter(reader: Reader, pattern: RegExp, isQuoted: boolean): boolean {
  const expansion = reader.expansionAt(reader.at + reader.offset)
  const match = takeMatch(pattern, reader)
  if (match === undefined || expansion?.end !== reader.at + reader.offset) return false
  if (expansion.type !== 'SimpleExpansion' && expansion.type !== 'ParameterExpansion') return false
  reader.pieces.push({ kind: 'expansion', part: expansion, isQuoted })
  return true
}

/** Numbers, names and operators, without quotes, subscripts and substitutions. */
const ARITHMETIC_PATTERN =
  /^(?:[A-Za-z0-9_\s+*/%<>=!&|^~?:,()-]|\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$[?#0-9])*$/

/** Whether the text of `((…))` is in the agreed subset, so that its end is certain. */
export function isAgreedArithmetic(text: string): boolean {
  return ARITHMETIC_PATTERN.test(text) && !/[<>]\(/.test(text) && isBalanced(text)
}

const REGULAR_EXPRESSION = /^(?:[A-Za-z0-9_^.*+?()|[\]{}/:,@%=~-]|\$(?=[)|]|$)|\\[.()[\]*+?\\])+$/

/** Whether the word after `=~` is a regular expression without expansions and quotes. It may contain parentheses and `|`. */
export function isRegularExpression(text: string): boolean {
  return REGULAR_EXPRESSION.test(text) && isBalanced(text.replace(/\\./g, ''))
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const char of text) {
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

function readParentheses(reader: Reader, isQuoted: boolean): boolean {
  const { source, at } = reader
  if (source[at + 2] !== '(') return readSubstitution(reader, 'CommandExpansion', at + 2, ')', isQuoted)
  const expansion = reader.expansionAt(at + reader.offset)
  if (expansion?.type !== 'ArithmeticExpansion') return false
  const end = expansion.end - reader.offset
  if (end > reader.limit || !source.startsWith('))', end - 2)) return false
  if (!isAgreedArithmetic(source.slice(at + 3, end - 2))) return false
  reader.at = end
  reader.pieces.push({ kind: 'expansion', part: expansion, isQuoted })
  return true
}

function readBackticks(reader: Reader, isQuoted: boolean): boolean {
  const { at } = reader
  const match = takeMatch(BACKTICKS, reader)
  if (match === undefined) return false
  const end = reader.at
  reader.at = at
  return readSubstitution(reader, 'CommandExpansion', at + 1, '`', isQuoted) && reader.at === end
}

/** Reads a substitution up to the end that the parser found. The script in it must be agreed as well. */
function readSubstitution(
  reader: Reader,
  type: 'CommandExpansion' | 'ProcessSubstitution',
  scriptStart: number,
  close: string,
  isQuoted: boolean,
): boolean {
  const { source, at, limit } = reader
  const expansion = reader.expansionAt(at + reader.offset)
  if (expansion?.type !== type) return false
  const end = expansion.end - reader.offset
  // Bash removes a substitution without commands altogether, as in `<( )`.
  if (type === 'ProcessSubstitution' && !expansion.script?.commands.length) return false
  if (end > limit || end <= scriptStart || source[end - 1] !== close) return false
  if (!reader.isScriptAgreed(expansion.script, scriptStart, end - 1)) return false
  reader.at = end
  reader.pieces.push({ kind: 'expansion', part: expansion, isQuoted })
  return true
}

function readAnsiCPiece(reader: Reader): boolean {
  const result = readAnsiC(reader.source, reader.at, reader.limit)
  if (result === undefined) return false
  reader.at = result.end
  return addText(reader, result.value, true)
}

function addText(reader: Reader, value: string, isQuoted: boolean): boolean {
  const lastPiece = reader.pieces.at(-1)
  // Unquoted text before and after joined lines is one piece.
  const isSame = lastPiece?.kind === 'text' && lastPiece.isQuoted === isQuoted
  if (isSame) reader.pieces.pop()
  reader.pieces.push({ kind: 'text', value: isSame ? lastPiece.value + value : value, isQuoted })
  return true
}

function takeMatch(pattern: RegExp, reader: Reader): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at
  const match = pattern.exec(reader.source)
  if (match === null || pattern.lastIndex > reader.limit) return undefined
  reader.at += match[0].length
  return match
}
