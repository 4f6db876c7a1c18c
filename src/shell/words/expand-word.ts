import type { ArithmeticExpression, ParameterExpansionPart, ParsedScript, Word, WordPart } from 'unbash'
import { findArithmeticProblem, findParameterProblem } from './evaluation-problems.js'
import type { Scope } from './scope.js'
import type { ShellWord } from './shell-word.js'
import { printsPlainWord } from './substitution-output.js'

/** Receives what the expansion of a word does besides producing text. */
export interface ExpansionListener {
  /** Called for a command substitution, whose script runs. */
  readonly onScript: (script: ParsedScript | undefined) => void
  /** Called for an expansion that may have effects. */
  readonly onProblem: (problem: string) => void
}

interface Draft {
  /** All possible texts so far; undefined if a part is unknown. */
  texts: readonly string[] | undefined
  text: string
  knownLength: number
  /** An unknown part was added, so later parts no longer extend the known prefix. */
  hasUnknownPart: boolean
  spread: ShellWord['spread']
  cannotBeOption: boolean
  isPipe: boolean
  readonly scope: Scope
  readonly listener: ExpansionListener
}

/** Expands a word as far as possible before the command runs, and reports substitutions and problems to the listener. */
export function expandWord(word: Word, scope: Scope, listener: ExpansionListener): ShellWord {
  const { parts } = word
  const isQuoted = /^["'\\$]/.test(word.text)
  if (parts === undefined) return toPlainWord(word, isQuoted)
  const draft: Draft = {
    texts: [''],
    text: '',
    knownLength: 0,
    hasUnknownPart: false,
    spread: 'one',
    cannotBeOption: false,
    isPipe: false,
    scope,
    listener,
  }
  for (const part of parts) addPart(draft, part, false)
  const brace = findLengthBeforeBraces(maskQuotedParts(word))
  if (brace !== undefined) spreadPrefixed(draft, brace)
  const { text, knownLength, spread } = draft
  const hasOneText = draft.texts?.length === 1
  return {
    text: hasOneText ? (draft.texts?.[0] ?? '') : text,
    knownLength: hasOneText ? (draft.texts?.[0]?.length ?? 0) : knownLength,
    spread,
    isQuoted,
    ...(draft.texts !== undefined && !hasOneText && spread === 'one' && { alternatives: draft.texts }),
    ...((draft.cannotBeOption || startsWithoutDash(draft)) && { cannotBeOption: true }),
    ...(isPlainSubstitution(parts) && (spread === 'one' ? { cannotBeOption: true } : { isPlain: true })),
    ...(draft.isPipe && parts.length === 1 && { isPipe: true }),
  }
}

function toPlainWord(word: Word, isQuoted: boolean): ShellWord {
  const { value } = word
  if (value.includes('\0')) return { text: value, knownLength: 0, spread: 'any', isQuoted }
  const brace = findLengthBeforeBraces(maskQuotedParts(word))
  if (brace !== undefined)
    return { text: value, knownLength: Math.min(brace, value.length), spread: 'prefixed', isQuoted }
  return { text: value, knownLength: value.length, spread: 'one', isQuoted }
}

/** Whether the word is a substitution that prints a plain word, followed at most by text that does not start with a dash. */
function isPlainSubstitution([first, second, ...more]: readonly WordPart[]): boolean {
  if (more.length > 0 || (second !== undefined && !(second.type === 'Literal' && /^[.~^:]/.test(second.value))))
    return false
  const part = first?.type === 'DoubleQuoted' && first.parts.length === 1 ? first.parts[0] : first
  return part?.type === 'CommandExpansion' && printsPlainWord(part.script)
}

function startsWithoutDash({ texts }: Draft): boolean {
  return texts?.every((text) => text !== '' && !text.startsWith('-')) === true
}

function spreadPrefixed(draft: Draft, maxKnownLength: number): void {
  draft.texts = undefined
  draft.knownLength = Math.min(draft.knownLength, maxKnownLength)
  if (draft.spread === 'one') draft.spread = 'prefixed'
  draft.cannotBeOption = false
}

function addKnown(draft: Draft, value: string): void {
  if (value.includes('\0')) {
    addUnknown(draft, value, true)
    return
  }
  draft.texts = draft.texts?.map((text) => text + value)
  draft.text += value
  if (!draft.hasUnknownPart) draft.knownLength = draft.text.length
}

function addUnknown(draft: Draft, text: string, isQuoted: boolean): void {
  draft.texts = undefined
  draft.hasUnknownPart = true
  draft.text += text
  if (!isQuoted) draft.spread = 'any'
}

function addPart(draft: Draft, part: WordPart, isQuoted: boolean): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      addKnown(draft, part.value)
      return
    case 'DoubleQuoted':
      for (const child of part.parts) addPart(draft, child, true)
      return
    case 'LocaleString':
      for (const child of part.parts) addPart(draft, child, true)
      // `$"…"` may be translated.
      addUnknown(draft, '', true)
      draft.knownLength = 0
      return
    case 'SimpleExpansion':
      addVariable(draft, part.text.slice(1), part.text, isQuoted)
      return
    case 'ParameterExpansion':
      addParameter(draft, part, isQuoted)
      return
    case 'CommandExpansion':
      addSubstitution(draft, part.script, part.text, isQuoted)
      return
    case 'ArithmeticExpansion':
      addArithmetic(draft, part.expression, part.text)
      return
    default:
      addProcessOrGlob(draft, part)
  }
}

function addProcessOrGlob(
  draft: Draft,
  part: Extract<WordPart, { type: 'ProcessSubstitution' | 'Glob' | 'ExtendedGlob' | 'BraceExpansion' }>,
): void {
  if (part.type === 'ProcessSubstitution') {
    draft.listener.onScript(part.script)
    if (draft.text === '') draft.cannotBeOption = true
    draft.isPipe = true
    addUnknown(draft, part.text, true)
    return
  }
  const knownLengthBefore = draft.knownLength
  const hadUnknownPart = draft.hasUnknownPart
  const inner: Draft = { ...draft, texts: [''] }
  for (const child of part.parts ?? []) addPart(inner, child, false)
  draft.spread = inner.spread === 'any' ? 'any' : draft.spread === 'any' ? 'any' : 'prefixed'
  draft.texts = undefined
  draft.hasUnknownPart = true
  draft.text += part.text
  draft.knownLength = hadUnknownPart ? draft.knownLength : knownLengthBefore
}

function addParameter(draft: Draft, part: ParameterExpansionPart, isQuoted: boolean): void {
  const { scope, listener } = draft
  const problem = findParameterProblem(part, scope)
  if (problem !== undefined) listener.onProblem(problem)
  // Inside double quotes `$'` does not quote.
  if (isQuoted && part.text.includes("$'")) listener.onProblem('contains an ambiguous quote')
  const words = wordsOfExpansion(part)
  for (const word of words) expandWord(word, scope, listener)
  if (part.prefix === undefined && part.index === undefined && part.operation === undefined) {
    addVariable(draft, part.parameter, part.text, isQuoted)
    return
  }
  if (part.prefix === '#' && part.operation === undefined) {
    addNumber(draft, part.text)
    return
  }
  const isList = part.index?.value === '@' || part.parameter === '@' || part.prefix === '!'
  addUnknown(draft, part.text, isQuoted && !isList)
}

function wordsOfExpansion({ index, operation }: ParameterExpansionPart): readonly Word[] {
  const words: (Word | undefined)[] = [index]
  switch (operation?.type) {
    case 'Default':
    case 'Remove':
    case 'Transform':
    case 'CaseModification':
      words.push(operation.operand)
      break
    case 'Replace':
      words.push(operation.pattern, operation.replacement)
      break
    case 'Slice':
      words.push(operation.offset, operation.length)
      break
  }
  return words.filter((word) => word !== undefined)
}

/** Parameters that hold numbers, which are neither split nor options. */
const NUMERIC_PARAMETERS = new Set('? # $ UID EUID PPID RANDOM SECONDS LINENO BASHPID EPOCHSECONDS'.split(' '))

function addVariable(draft: Draft, name: string, text: string, isQuoted: boolean): void {
  const values = valuesOf(name, draft.scope)
  if (values !== undefined && addValues(draft, values, text, isQuoted)) return
  const isNumber = NUMERIC_PARAMETERS.has(name) && !draft.scope.variables.isSet(name)
  if (isNumber && draft.text === '') draft.cannotBeOption = true
  addUnknown(draft, text, isNumber || (isQuoted && name !== '@'))
}

/** Adds the possible values of a variable. Returns false if they could be split or are too many. */
function addValues(draft: Draft, values: readonly string[], text: string, isQuoted: boolean): boolean {
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

function addNumber(draft: Draft, text: string): void {
  if (draft.text === '') draft.cannotBeOption = true
  addUnknown(draft, text, true)
}

function valuesOf(name: string, { variables, home, folders }: Scope): readonly string[] | undefined {
  const values = variables.values.get(name)
  if (values !== undefined) return values
  if (variables.isSet(name)) return undefined
  if (name === 'HOME' && home !== undefined) return [home.use()]
  return name === 'PWD' && folders?.length === 1 ? folders : undefined
}

function addSubstitution(draft: Draft, script: ParsedScript | undefined, text: string, isQuoted: boolean): void {
  draft.listener.onScript(script)
  const { folders } = draft.scope
  const folder = folders?.length === 1 ? folders[0] : undefined
  const isPlain = folder !== undefined && (isQuoted || /^[A-Za-z0-9_./:@%+,=-]+$/.test(folder))
  if (isPlain && script !== undefined && printsWorkingFolder(script)) addKnown(draft, folder)
  else addUnknown(draft, text, isQuoted)
}

function printsWorkingFolder({ commands }: ParsedScript): boolean {
  const command = commands[0]?.command
  if (commands.length !== 1 || command?.type !== 'Command') return false
  return command.name?.value === 'pwd' && command.prefix.length + command.suffix.length === 0
}

function addArithmetic(draft: Draft, expression: ArithmeticExpression | undefined, text: string): void {
  const { scope, listener } = draft
  const problem = findArithmeticProblem(expression, scope, listener)
  if (problem !== undefined) listener.onProblem(problem)
  addUnknown(draft, text, true)
}

/** Stands for quoted or expanded text. */
const MASKED = '\0'

/** Returns the source text of a word with quoted and expanded parts masked; empty if it contains no brace. */
function maskQuotedParts({ text, parts }: Word): string {
  if (!text.includes('{')) return ''
  if (parts === undefined) return maskEscapes(text)
  return parts.map((part) => (UNQUOTED_PARTS.has(part.type) ? maskEscapes(part.text) : MASKED)).join('')
}

const UNQUOTED_PARTS: ReadonlySet<string> = new Set(['Literal', 'BraceExpansion', 'Glob', 'ExtendedGlob'])

function maskEscapes(text: string): string {
  return text.replace(/\\[\s\S]/g, MASKED)
}

/** Returns the length of the known text before a brace expansion; undefined if there is no brace expansion. */
function findLengthBeforeBraces(bare: string): number | undefined {
  const openAt = bare.indexOf('{')
  const closeAt = bare.lastIndexOf('}')
  if (openAt === -1 || closeAt < openAt || !/,|\.\./.test(bare.slice(openAt, closeAt))) return undefined
  return bare.slice(0, openAt).includes(MASKED) ? 0 : openAt
}
