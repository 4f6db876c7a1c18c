import {
  type ArithmeticExpression,
  forEachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { findArithmeticProblem, findParameterProblem } from './evaluation-problems.js'
import { expandBraces } from './expand-braces.js'
import { createExpansionFinder } from './expansions-of.js'
import {
  type Expansion,
  type Piece,
  type ReaderInput,
  readHereDocument,
  readWord,
  type WordReading,
} from './read-word.js'
import type { Scope } from './scope.js'
import type { ShellWord } from './shell-word.js'
import { printsPlainWord } from './substitution-output.js'

/** Receives the effects that the expansion of a word has besides producing text. */
export interface ExpansionListener {
  /** Called for the script of a command or process substitution, which runs during the expansion. */
  readonly onScript: (script: ParsedScript | undefined) => void
  /** Called for an expansion that may have effects. `mayRunText`: bash evaluates text in which a substitution may run any command. */
  readonly onProblem: (problem: string, mayRunText?: boolean) => void
}

interface WordDraft {
  /** All possible texts so far; undefined if a part is unknown. */
  texts: readonly string[] | undefined
  text: string
  knownLength: number
  /** Whether an unknown part was added. Later parts then no longer extend the known prefix. */
  hasUnknownPart: boolean
  spread: ShellWord['spread']
  cannotBeOption: boolean
  isPipe: boolean
  hasPattern: boolean
  /** If set, the word expands to one of these paths or to a path below one of them. */
  searchRoots: readonly ShellWord[] | undefined
  globs: readonly ShellWord[] | undefined
  readonly scope: Scope
  readonly listener: ExpansionListener
}

/** Words without quotes, expansions, patterns and braces, which expand to themselves. */
const PLAIN_WORD = /^[A-Za-z0-9_./:@%+=,-]+$/

/**
 * Expands an argument as far as possible before the command runs. The result is several words if the argument contains braces.
 */
export function expandWords(word: Word, scope: Scope, listener: ExpansionListener): readonly ShellWord[] {
  const { text } = word
  if (PLAIN_WORD.test(text)) {
    const plainWord: ShellWord = { text, knownLength: text.length, spread: 'one', isQuoted: false }
    return [plainWord]
  }
  const reading = readSource(word)
  if (reading === undefined) return [expandUnread(word, listener)]
  const alternatives = expandBraces(reading.pieces)
  if (alternatives !== undefined) return alternatives.map((pieces) => expandPieces(pieces, 'argument', scope, listener))
  return [spreadBraces(expandPieces(reading.pieces, 'argument', scope, listener), reading.pieces)]
}

/** Expands a word that must stay one word, such as the target of a redirection. */
export function expandWord(word: Word, scope: Scope, listener: ExpansionListener): ShellWord {
  const words = expandWords(word, scope, listener)
  const [onlyWord] = words
  if (words.length === 1 && onlyWord !== undefined) return onlyWord
  return { text: word.text, knownLength: 0, spread: 'any' }
}

/** Expands the value of an assignment, which is not subject to brace expansion, splitting or globbing. */
export function expandValue(word: Word, scope: Scope, listener: ExpansionListener): ShellWord {
  if (word.text === '') return { text: '', knownLength: 0, spread: 'one' }
  const reading = readSource(word)
  if (reading === undefined) return expandUnread(word, listener)
  const expandedWord = expandPieces(reading.pieces, 'value', scope, listener)
  // Bash expands a `~` at the start or after a colon.
  const hasTilde = reading.pieces.some((piece) => piece.kind === 'text' && !piece.isQuoted && piece.value.includes('~'))
  return hasTilde ? { text: word.text, knownLength: 0, spread: 'one' } : expandedWord
}

/** Expands the body of a here-document whose delimiter is not quoted. */
export function expandHereDocument(
  body: { readonly text: string; readonly pos: number; readonly parts?: Word['parts'] },
  scope: Scope,
  listener: ExpansionListener,
): ShellWord {
  const { text, pos, parts } = body
  const word: Word = { type: 'Word', value: '', text, pos, end: pos + text.length, parts }
  const reading = readHereDocument(createInput(word), 0)
  return reading === undefined ? expandUnread(word, listener) : expandPieces(reading.pieces, 'value', scope, listener)
}

/** Scripts in substitutions are not compared again, because `isAgreed` has compared the whole script. */
function createInput({ text, pos, parts }: Word): ReaderInput {
  return {
    source: text,
    offset: pos,
    limit: text.length,
    expansionAt: createExpansionFinder(parts),
    isScriptAgreed: () => true,
  }
}

function readSource(word: Word): WordReading | undefined {
  const reading = readWord(createInput(word), 0)
  return reading?.end === word.text.length ? reading : undefined
}

/**
 * Returns a word that can expand to anything, because bash may read it differently. The substitutions that the parser found in
 * it are still reported.
 */
function expandUnread(word: Word, listener: ExpansionListener): ShellWord {
  listener.onProblem('has a word that bash may read differently')
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') listener.onScript(node.script)
    else forEachChild(node, visit)
  }
  for (const part of word.parts ?? []) visit(part)
  return { text: word.text, knownLength: 0, spread: 'any' }
}

const NO_TEXT: readonly string[] = ['']

/** An argument may be split and globbed; a value is always one word. */
type Use = 'argument' | 'value'

function expandPieces(pieces: readonly Piece[], use: Use, scope: Scope, listener: ExpansionListener): ShellWord {
  const draft: WordDraft = {
    texts: NO_TEXT,
    text: '',
    knownLength: 0,
    hasUnknownPart: false,
    spread: 'one',
    cannotBeOption: false,
    isPipe: false,
    hasPattern: false,
    searchRoots: undefined,
    globs: undefined,
    scope,
    listener,
  }
  const hasPattern = use === 'argument' && isPattern(pieces)
  for (const piece of pieces) addPiece(draft, piece, { use, hasPattern })
  if (use === 'argument' && hasLaterTilde(pieces)) {
    addUnknownText(draft, '', true)
    draft.knownLength = Math.min(draft.knownLength, draft.text.indexOf('~'))
  }
  if (use === 'argument' && hasOpenTilde(pieces)) {
    addUnknownText(draft, '', true)
    draft.knownLength = 0
  }
  if (use === 'value') draft.spread = 'one'
  else draft.hasPattern ||= hasPattern
  return toShellWord(draft, pieces)
}

function toShellWord(draft: WordDraft, pieces: readonly Piece[]): ShellWord {
  const { spread, texts } = draft
  const onlyText = texts?.length === 1 ? texts[0] : undefined
  const firstPiece = pieces[0]
  const isPlain = isPlainSubstitution(pieces)
  const cannotBeOption = draft.cannotBeOption || startsWithoutDash(draft) || (isPlain && spread === 'one')
  return {
    text: onlyText ?? draft.text,
    knownLength: onlyText?.length ?? draft.knownLength,
    spread,
    isQuoted: firstPiece?.kind === 'text' ? firstPiece.isQuoted : firstPiece?.kind !== 'glob',
    alternatives: onlyText === undefined && spread === 'one' ? texts : undefined,
    cannotBeOption: cannotBeOption ? true : undefined,
    isPlain: isPlain && spread !== 'one' ? true : undefined,
    searchRoots: draft.searchRoots,
    globs: draft.globs,
    isPipe: draft.isPipe && pieces.length === 1 ? true : undefined,
    hasPattern: draft.hasPattern ? true : undefined,
  }
}

/** Whether unquoted characters make the word a glob pattern. A `[` without a `]` is literal. */
function isPattern(pieces: readonly Piece[]): boolean {
  return pieces.some(
    (piece, index) =>
      piece.kind === 'glob' &&
      (piece.value === '*' ||
        piece.value === '?' ||
        (piece.value === '[' &&
          pieces.slice(index).some((laterPiece) => laterPiece.kind === 'glob' && laterPiece.value === ']'))),
  )
}

/**
 * Whether the word starts with a `~` whose user name may not end at a slash. Quotes or expansions that follow make the `~`
 * literal or extend the name.
 */
function hasOpenTilde([first, second]: readonly Piece[]): boolean {
  return (
    first?.kind === 'text' &&
    !first.isQuoted &&
    first.value.startsWith('~') &&
    !first.value.includes('/') &&
    second !== undefined
  )
}

/** Whether bash expands a later `~`, as it does after `=` and `:` in a word that looks like an assignment. */
function hasLaterTilde(pieces: readonly Piece[]): boolean {
  return (
    pieces.some(
      (piece, index) =>
        piece.kind === 'text' && !piece.isQuoted && (index > 0 ? piece.value : piece.value.slice(1)).includes('~'),
    ) && pieces.some((piece) => piece.kind === 'text' && !piece.isQuoted && /[=:]/.test(piece.value))
  )
}

/** Returns the word for braces outside of the agreed subset: any number of words that share the text before the braces. */
function spreadBraces(word: ShellWord, pieces: readonly Piece[]): ShellWord {
  const openingIndex = pieces.findIndex((piece) => piece.kind === 'brace')
  const piecesBefore = pieces.slice(0, openingIndex)
  const isLiteral = piecesBefore.every((piece) => piece.kind === 'text')
  const length = isLiteral
    ? piecesBefore.reduce((sum, piece) => sum + (piece.kind === 'text' ? piece.value.length : 0), 0)
    : 0
  const { text, isQuoted = false, spread, hasPattern } = word
  return {
    text,
    isQuoted,
    hasPattern,
    knownLength: Math.min(length, word.knownLength),
    spread: spread === 'any' ? 'any' : 'prefixed',
  }
}

/** Whether the word is a substitution that prints a plain word, followed at most by text that does not start with a dash. */
function isPlainSubstitution(pieces: readonly Piece[]): boolean {
  if (!pieces.some((piece) => piece.kind === 'expansion')) return false
  const [first, second, ...others] = pieces.filter((piece) => piece.kind !== 'text' || piece.value !== '')
  if (others.length > 0 || (second !== undefined && !(second.kind === 'text' && /^[.~^:]/.test(second.value))))
    return false
  return first?.kind === 'expansion' && first.part.type === 'CommandExpansion' && printsPlainWord(first.part.script)
}

function startsWithoutDash({ texts }: WordDraft): boolean {
  return texts?.every((text) => text !== '' && !text.startsWith('-')) === true
}

function addKnownText(draft: WordDraft, value: string): void {
  if (value !== '') draft.globs = undefined
  if (value !== '' && !/^\/(?!.*\.\.)/s.test(value)) draft.searchRoots = undefined
  draft.texts = draft.texts?.map((text) => text + value)
  draft.text += value
  if (!draft.hasUnknownPart) draft.knownLength = draft.text.length
}

function addUnknownText(draft: WordDraft, text: string, isQuoted: boolean): void {
  draft.globs = undefined
  draft.searchRoots = undefined
  draft.texts = undefined
  draft.hasUnknownPart = true
  draft.text += text
  if (!isQuoted) draft.spread = 'any'
}

function addPiece(
  draft: WordDraft,
  piece: Piece,
  { use, hasPattern }: { readonly use: Use; readonly hasPattern: boolean },
): void {
  switch (piece.kind) {
    case 'text':
      addKnownText(draft, piece.value)
      return
    case 'brace':
      addKnownText(draft, piece.value)
      return
    case 'glob':
      if (!hasPattern) addKnownText(draft, piece.value)
      else addPattern(draft, piece.value)
      return
    case 'unknown':
      addUnknownText(draft, '$"', true)
      return
    case 'expansion':
      addExpansion(draft, piece.part, piece.isQuoted || use === 'value')
  }
}

function addPattern(draft: WordDraft, value: string): void {
  addUnknownText(draft, value, true)
  if (draft.spread === 'one') draft.spread = 'prefixed'
}

function addExpansion(draft: WordDraft, expansion: Expansion, isQuoted: boolean): void {
  switch (expansion.type) {
    case 'SimpleExpansion':
      addVariable(draft, expansion.text.slice(1), expansion.text, isQuoted)
      return
    case 'ParameterExpansion':
      addParameter(draft, expansion, isQuoted)
      return
    case 'CommandExpansion':
      addSubstitution(draft, expansion.script, expansion.text, isQuoted)
      return
    case 'ArithmeticExpansion':
      addArithmetic(draft, expansion.expression, expansion.text)
      return
    case 'ProcessSubstitution':
      draft.listener.onScript(expansion.script)
      if (draft.text === '') draft.cannotBeOption = true
      draft.isPipe = true
      addUnknownText(draft, expansion.text, true)
  }
}

function addParameter(draft: WordDraft, expansion: ParameterExpansionPart, isQuoted: boolean): void {
  const { scope, listener } = draft
  const problem = findParameterProblem(expansion, scope)
  if (problem !== undefined) listener.onProblem(problem.problem, problem.mayRunText)
  // The operand of an operation contains no substitution, because the reader rejects substitutions there.
  if (expansion.prefix === undefined && expansion.index === undefined && expansion.operation === undefined) {
    addVariable(draft, expansion.parameter, expansion.text, isQuoted)
    return
  }
  if (expansion.prefix === '#' && expansion.operation === undefined) {
    addNumber(draft, expansion.text)
    return
  }
  const isList = expansion.index?.value === '@' || expansion.parameter === '@' || expansion.prefix === '!'
  addUnknownText(draft, expansion.text, isQuoted && !isList)
}

/** Parameters that hold numbers, which are neither split nor options. */
const NUMERIC_PARAMETERS = new Set('? # $ UID EUID PPID RANDOM SECONDS LINENO BASHPID EPOCHSECONDS'.split(' '))

function addVariable(draft: WordDraft, name: string, text: string, isQuoted: boolean): void {
  const values = valuesOf(name, draft.scope)
  if (values !== undefined && addValues(draft, values, text, isQuoted)) return
  if (!isQuoted && values?.some((value) => /[*?[]/.test(value)) === true) draft.hasPattern = true
  const fileName =
    isQuoted && draft.text === '' && !draft.hasUnknownPart ? draft.scope.variables.fileNames.get(name) : undefined
  if (fileName !== undefined) {
    addUnknownText(draft, text, true)
    draft.searchRoots = fileName.searchRoots
    draft.globs = fileName.globs
    draft.cannotBeOption = fileName.cannotBeOption === true
    return
  }
  const isNumber = NUMERIC_PARAMETERS.has(name) && !draft.scope.variables.isSet(name)
  if (isNumber && draft.text === '') draft.cannotBeOption = true
  addUnknownText(draft, text, isNumber || (isQuoted && name !== '@'))
}

/** Adds the possible values of a variable. Returns false if a value could be split or there are too many. */
function addValues(draft: WordDraft, values: readonly string[], text: string, isQuoted: boolean): boolean {
  const cannotBeSplit = isQuoted || values.every((value) => /^[A-Za-z0-9_./:@%+,=-]+$/.test(value))
  const texts = draft.texts?.flatMap((start) => values.map((value) => start + value))
  if (!cannotBeSplit || texts === undefined || texts.length > MAX_TEXTS) return false
  draft.texts = texts
  draft.text += values.length === 1 ? values[0] : text
  if (values.length > 1) draft.hasUnknownPart = true
  else if (!draft.hasUnknownPart) draft.knownLength = draft.text.length
  return true
}

const MAX_TEXTS = 64

function addNumber(draft: WordDraft, text: string): void {
  if (draft.text === '') draft.cannotBeOption = true
  addUnknownText(draft, text, true)
}

function valuesOf(name: string, { variables, home, folders }: Scope): readonly string[] | undefined {
  const values = variables.values.get(name)
  if (values !== undefined) return values
  if (variables.isSet(name)) return undefined
  if (name === 'HOME' && home !== undefined) return [home.use()]
  return name === 'PWD' && folders?.length === 1 ? folders : undefined
}

function addSubstitution(draft: WordDraft, script: ParsedScript | undefined, text: string, isQuoted: boolean): void {
  draft.listener.onScript(script)
  const { folders } = draft.scope
  const folder = folders?.length === 1 ? folders[0] : undefined
  const isPlain = folder !== undefined && (isQuoted || /^[A-Za-z0-9_./:@%+,=-]+$/.test(folder))
  if (isPlain && script !== undefined && printsWorkingFolder(script)) addKnownText(draft, folder)
  else addUnknownText(draft, text, isQuoted)
}

function printsWorkingFolder({ commands }: ParsedScript): boolean {
  const command = commands[0]?.command
  if (commands.length !== 1 || command?.type !== 'Command') return false
  return command.name?.value === 'pwd' && command.prefix.length + command.suffix.length === 0
}

function addArithmetic(draft: WordDraft, expression: ArithmeticExpression | undefined, text: string): void {
  const { scope, listener } = draft
  const problem = findArithmeticProblem(expression, scope, listener)
  if (problem !== undefined) listener.onProblem(problem.problem, problem.mayRunText)
  addUnknownText(draft, text, true)
}
