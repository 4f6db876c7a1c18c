import type { Assignment, HereDoc, HereDocBody, ParsedScript, Word, WordPart } from 'unbash'
import { createExpansionFinder } from './expansions-of.js'
import { collectLeaves, type Leaves, RESERVED_WORDS } from './leaves.js'
import {
  isAgreedArithmetic,
  isMetacharacter,
  isProcessSubstitution,
  isRegularExpression,
  type ReaderInput,
  readHereDocument,
  readWord,
} from './read-word.js'

/**
 * Whether bash certainly splits the script into the same words, here-documents and nested scripts as the parser did. A second
 * reader, which accepts only a subset of the syntax, reads the source again. Anything outside of this agreed subset counts as
 * a disagreement.
 */
export function isAgreed(source: string, script: ParsedScript): boolean {
  return isRegionAgreed(source, script, 0, source.length, 0)
}

const MAX_DEPTH = 12

function isRegionAgreed(
  source: string,
  script: ParsedScript | undefined,
  from: number,
  to: number,
  depth: number,
): boolean {
  if (script === undefined || depth > MAX_DEPTH || script.source !== undefined) return false
  const leaves = collectLeaves(script)
  return leaves !== undefined && new RegionReader(source, leaves, from, to, depth).read()
}

const ASSIGNMENT_PREFIX = /^[A-Za-z_][A-Za-z0-9_]*(?:\[(?:\d+|\$?[A-Za-z_]\w*)\])?\+?=/
/** All operators. Longer ones come first, so that they are preferred. */
const OPERATOR = /;;&|;;|;&|;|&&|&>>|&>|&|\|\||\|&|\||<<<|<<-|<<|<&|<>|<|>>|>&|>\||>/y
const DELIMITER = /(?:[A-Za-z0-9_.-]+|'[A-Za-z0-9_. -]+'|"[A-Za-z0-9_. -]+"|\\[A-Za-z0-9_.-]+)(?=[\s;&|()<>]|$)/y
/** Most words consist only of characters without a special meaning, up to a blank or separator. They are taken as they are. */
const PLAIN_TOKEN = /[A-Za-z0-9_./:@%+=-]+/y
const PLAIN_WORD_ENDS = new Set([' ', '\t', '\n', ';', '|', '&', ')'])
/** Operators that may follow a command. */
const LIST_OPERATORS = new Set([';', '&', '&&', '||', '|', '|&'])
/** Tokens after which a list operator is a syntax error. */
const CANNOT_END_COMMAND = new Set([...LIST_OPERATORS, ...'\n ( { ! if then elif else while until do'.split(' ')])
/** Tokens that must be followed by a command, on the same line or a later one. */
const TOKENS_BEFORE_COMMAND = new Set('&& || | |& ( { ! if then elif else while until do'.split(' '))
const CLOSING_WORDS = new Set('fi done } esac then do else elif'.split(' '))
const TEST_OPERATOR = /^(?:-[A-Za-z]{1,2}|==?|!=|=~)$/
/** Reads the tokens of one script and compares them with the leaves that the parser found. */
class RegionReader {
  private at: number
  private depth = 0
  private seenLeafCount = 0
  private readonly pendingHereDocuments: HereDoc[] = []
  private expectsDelimiter = false
  /** The previous token: a newline at the start of the script and of each line, empty after a word that the parser lists. */
  private previousWord = '\n'
  private isInTest = false
  /** The index after the previous token if that token is a word. */
  private previousEnd = -1

  constructor(
    private readonly source: string,
    private readonly leaves: Leaves,
    from: number,
    private readonly to: number,
    private readonly nestingDepth: number,
  ) {
    this.at = from
  }

  read(): boolean {
    while (this.at < this.to) if (!this.readPlainToken() && !this.readToken()) return false
    const { words, hereDocuments, arithmetic, descriptors } = this.leaves
    const isComplete = this.depth === 0 && this.pendingHereDocuments.length === 0 && !this.expectsDelimiter
    return (
      isComplete && this.seenLeafCount === words.size + sizeOf(hereDocuments) + sizeOf(arithmetic) + sizeOf(descriptors)
    )
  }

  /** Reads blanks and a word that needs no reading, as most do. Returns false if another token follows. */
  private readPlainToken(): boolean {
    const { source, to, leaves } = this
    while (this.at < to && (source[this.at] === ' ' || source[this.at] === '\t')) this.at += 1
    if (this.at === to) return true
    if (this.expectsDelimiter || leaves.regularExpressions !== undefined) return false
    const leaf = leaves.words.get(this.at)
    const end = leaf?.type === 'Word' ? findPlainWordEnd(source, this.at, to) : undefined
    return leaf?.type === 'Word' && end !== undefined && this.finishPlainWord(end, leaf)
  }

  private readToken(): boolean {
    const { source } = this
    const char = source[this.at] ?? ''
    if (char === '\n') return this.readNewline()
    if (char === '\\' && source[this.at + 1] === '\n') {
      this.at += 2
      return true
    }
    if (char === '#') {
      const end = source.indexOf('\n', this.at)
      this.at = end === -1 ? this.to : Math.min(end, this.to)
      return true
    }
    if (char === '(') return this.readOpening()
    if (char === ')') return this.readClosing()
    if (isMetacharacter(char) && !isProcessSubstitution(source, this.at)) return this.readOperator()
    return this.expectsDelimiter ? this.readDelimiter() : this.readWordToken()
  }

  private readNewline(): boolean {
    this.at += 1
    this.previousWord = '\n'
    for (const hereDocument of this.pendingHereDocuments.splice(0)) if (!this.readBody(hereDocument)) return false
    return !this.expectsDelimiter
  }

  private readOperator(): boolean {
    OPERATOR.lastIndex = this.at
    const operator = OPERATOR.exec(this.source)?.[0]
    if (operator === undefined || this.expectsDelimiter) return false
    this.at += operator.length
    if (LIST_OPERATORS.has(operator) && CANNOT_END_COMMAND.has(this.previousWord)) return false
    if (operator.startsWith(';;') && TOKENS_BEFORE_COMMAND.has(this.previousWord)) return false
    this.previousWord = operator
    if (operator === '<<' || operator === '<<-') this.expectsDelimiter = true
    // Bash joins the two lines first, so this operator and the next would be one.
    return !/^(?:\\\n)+[;&|<>(]/.test(this.source.slice(this.at, this.at + 40))
  }

  private readOpening(): boolean {
    const { source, at, leaves } = this
    if (source[at + 1] === '(') return this.readArithmetic()
    this.at += 1
    this.previousWord = '('
    const nextToken = /^[ \t]*/.exec(source.slice(this.at, this.at + 100))?.[0].length ?? 0
    if (leaves.patternStarts?.has(this.at + nextToken) !== true) this.depth += 1
    return !this.expectsDelimiter
  }

  private readClosing(): boolean {
    this.at += 1
    if (TOKENS_BEFORE_COMMAND.has(this.previousWord)) return false
    const isPatternEnd = this.leaves.patternEnds?.has(this.previousEnd) === true
    this.previousEnd = -1
    this.previousWord = ')'
    if (isPatternEnd) return true
    this.depth -= 1
    return this.depth >= 0 && !this.expectsDelimiter
  }

  private readArithmetic(): boolean {
    const { source, at, leaves } = this
    const isLoop = this.previousWord === 'for'
    const end = isLoop ? findArithmeticEnd(source, at, this.to) : leaves.arithmetic?.get(at)
    if (end === undefined || end > this.to || !source.startsWith('))', end - 2)) return false
    const text = source.slice(at + 2, end - 2)
    if (!isAgreedArithmetic(isLoop ? text.replaceAll(';', ' ') : text)) return false
    if (!isLoop) this.seenLeafCount += 1
    this.at = end
    this.previousWord = '))'
    return true
  }

  private readDelimiter(): boolean {
    const { source, at } = this
    DELIMITER.lastIndex = at
    const length = DELIMITER.exec(source)?.[0].length
    const hereDocument = this.leaves.hereDocuments?.get(at)
    if (length === undefined || hereDocument?.delimiter?.end !== at + length) return false
    this.pendingHereDocuments.push(hereDocument)
    this.seenLeafCount += 1
    this.at += length
    this.expectsDelimiter = false
    this.previousWord = '<<'
    return true
  }

  private readBody({ operator, delimiter, body }: HereDoc): boolean {
    const writtenDelimiter = delimiter?.text ?? ''
    const isQuoted = /^['"\\]/.test(writtenDelimiter)
    const name = writtenDelimiter.replace(/^\\|^['"]|['"]$/g, '')
    const start = this.at
    if ((delimiter?.quoted === true) !== isQuoted || body.pos !== start) return false
    const end = this.findDelimiter(name, operator === '<<-')
    return body.end === end && (isQuoted || this.isBodyAgreed(body, operator === '<<-'))
  }

  /** Moves past the delimiter line and returns where that line starts; undefined if there is none. */
  private findDelimiter(name: string, areTabsRemoved: boolean): number | undefined {
    const { source, to } = this
    while (this.at < to) {
      const start = this.at
      const lineEnd = source.indexOf('\n', start)
      const end = lineEnd === -1 ? to : Math.min(lineEnd, to)
      const line = source.slice(start, end)
      this.at = Math.min(end + 1, to)
      if ((areTabsRemoved ? line.replace(/^\t+/, '') : line) === name) return start
    }
    return undefined
  }

  private isBodyAgreed(body: HereDocBody, areTabsRemoved: boolean): boolean {
    const input = this.createInput(body.parts, body.end)
    const reading = readHereDocument(input, body.pos)
    if (reading === undefined) return false
    const hasLongExpansion = reading.pieces.some(
      (piece) => piece.kind === 'expansion' && piece.part.text.includes('\n'),
    )
    return !(areTabsRemoved && hasLongExpansion)
  }

  private createInput(parts: readonly WordPart[] | undefined, limit: number): ReaderInput {
    return {
      source: this.source,
      offset: 0,
      limit,
      expansionAt: createExpansionFinder(parts),
      isScriptAgreed: (script, from, to) => isRegionAgreed(this.source, script, from, to, this.nestingDepth + 1),
    }
  }

  private readWordToken(): boolean {
    const { source, at, leaves } = this
    const leaf = leaves.words.get(at)
    if (leaf?.type === 'Assignment' && leaf.value.type === 'ArrayValue') return this.readArray(leaf)
    if (leaf !== undefined && leaves.regularExpressions?.has(at) === true) {
      const text = source.slice(at, leaf.end)
      if (isRegularExpression(text) && /\s/.test(source[leaf.end] ?? '')) return this.finishWord(leaf.end, leaf)
    }
    const plainEnd = findPlainWordEnd(source, at, this.to)
    if (plainEnd !== undefined) return this.finishWord(plainEnd, leaf)
    const reading = readWord(this.createInput(leaf === undefined ? undefined : partsOf(leaf), this.to), at)
    if (reading === undefined) return false
    const text = source.slice(at, reading.end)
    // The body of a here-document follows the next newline. In some versions of bash, that includes a newline inside a word.
    if (this.pendingHereDocuments.length > 0 && text.includes('\n')) return false
    return this.finishWord(reading.end, leaf)
  }

  /**
   * Does what `finishWord` does for a word that contains no backslash and is not next to a redirection. Returns false without
   * moving if the word is not agreed.
   */
  private finishPlainWord(end: number, leaf: Word): boolean {
    const { source, at } = this
    const isTimeOption = this.previousWord === 'time' && source[at] === '-'
    if (isTimeOption || leaf.end !== end || leaf.text.length !== end - at || !source.startsWith(leaf.text, at))
      return false
    this.at = end
    this.previousEnd = end
    this.previousWord = ''
    this.seenLeafCount += 1
    return true
  }

  private finishWord(end: number, leaf: Word | Assignment | undefined): boolean {
    const { source, at } = this
    const text = source.slice(at, end)
    const nextCharacter = source[end] ?? ''
    const { previousWord } = this
    const isTimeOption = previousWord === 'time' && text.startsWith('-')
    this.at = end
    this.previousEnd = end
    this.previousWord = leaf === undefined ? text : ''
    if (isTimeOption || isJoined(text, nextCharacter)) return false
    if (leaf === undefined) return this.isKeyword(at, text, nextCharacter, previousWord)
    this.seenLeafCount += 1
    if (leaf.type === 'Assignment' && !ASSIGNMENT_PREFIX.test(text)) return false
    return leaf.end === end && leaf.text === text && !isGluedRedirection(text, nextCharacter)
  }

  /** Whether a word that the parser does not list is the number of a redirection, a reserved word or an operator of a test. */
  private isKeyword(at: number, text: string, nextCharacter: string, previousWord: string): boolean {
    if (CLOSING_WORDS.has(text) && TOKENS_BEFORE_COMMAND.has(previousWord)) return false
    if (this.leaves.descriptors?.has(at) === true) {
      this.seenLeafCount += 1
      return /^\d{1,4}$/.test(text) && /[<>]/.test(nextCharacter)
    }
    if (text === '[[') this.isInTest = true
    if (text === ']]') this.isInTest = false
    return RESERVED_WORDS.has(text) || (this.isInTest && TEST_OPERATOR.test(text))
  }

  /** Reads `name=(…)`, whose words are separated by blanks and newlines. */
  private readArray(leaf: Assignment): boolean {
    const { source } = this
    const start = /^[A-Za-z_][A-Za-z0-9_]*\+?=\(/.exec(leaf.text)?.[0]
    if (start === undefined || leaf.value.type !== 'ArrayValue' || source[leaf.end - 1] !== ')') return false
    if (this.pendingHereDocuments.length > 0) return false
    this.seenLeafCount += 1
    let at = this.at + start.length
    for (const element of leaf.value.elements) {
      at = skipBlanks(source, at)
      if (element.type !== 'Word' || element.pos !== at) return false
      const reading = readWord(this.createInput(element.parts, leaf.end - 1), at)
      if (reading === undefined || reading.end !== element.end || element.text.startsWith('#')) return false
      at = reading.end
    }
    if (skipBlanks(source, at) !== leaf.end - 1) return false
    this.at = leaf.end
    this.previousEnd = leaf.end
    this.previousWord = ''
    return leaf.end >= this.to || isMetacharacter(source[leaf.end] ?? '')
  }
}

function sizeOf(leaves: { readonly size: number } | undefined): number {
  return leaves?.size ?? 0
}

/** Returns the index after a plain word; undefined if the word is not plain. */
function findPlainWordEnd(source: string, start: number, limit: number): number | undefined {
  PLAIN_TOKEN.lastIndex = start
  if (!PLAIN_TOKEN.test(source)) return undefined
  const end = PLAIN_TOKEN.lastIndex
  return end === limit || (end < limit && PLAIN_WORD_ENDS.has(source[end] ?? '')) ? end : undefined
}

/** Whether joining lines changes what the word is, as bash joins lines first: `2\\⏎>` is a redirection and `i\\⏎f` is `if`. */
function isJoined(text: string, nextCharacter: string): boolean {
  return text.includes('\\\n') && (/[<>]/.test(nextCharacter) || RESERVED_WORDS.has(text.replaceAll('\\\n', '')))
}

/** Whether the word belongs to the redirection that directly follows it, as a number or `{name}` does. */
function isGluedRedirection(text: string, nextCharacter: string | undefined): boolean {
  return (nextCharacter === '<' || nextCharacter === '>') && /^(?:\d+|\{\w+\})$/.test(text)
}

function partsOf(leaf: Word | Assignment): readonly WordPart[] | undefined {
  if (leaf.type === 'Word') return /[$`<>]/.test(leaf.text) ? leaf.parts : undefined
  const value = leaf.value.type === 'Word' ? (leaf.value.parts ?? []) : []
  return [...(leaf.index?.parts ?? []), ...value]
}

/** Returns the index after the `))` that closes the `((` at `start`. */
function findArithmeticEnd(source: string, start: number, limit: number): number | undefined {
  let depth = 0
  for (let at = start; at < limit; at += 1) {
    if (source[at] === '(') depth += 1
    if (source[at] === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  return undefined
}

function skipBlanks(source: string, start: number): number {
  let at = start
  while (at < source.length && /[ \t\n]/.test(source[at] ?? '')) at += 1
  return at
}
