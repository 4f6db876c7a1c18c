import type { CommandAnalysis, CommandWord, SimpleCommand, WrittenCommand } from '../../contract/command.js'
import { isKnown, toKnownWord } from '../words/shell-word.js'
import { COMMAND_SEPARATOR, type CommandPattern, matchesPieces, parseCommandPattern } from './command-pattern.js'
import { mayMatchAroundOptions, mayRunCommand } from './possible-match.js'

export type Certainty = 'yes' | 'maybe' | 'no'

/**
 * Compares a deny or ask rule with a command. Returns `maybe` if the rule could match words that are known only at run time, or
 * a command that this one may run.
 */
export function commandMayMatch(pattern: CommandPattern, command: RestrictedCommand): Certainty {
  if (pattern.kind === 'any') return 'yes'
  const certainty = spellingsMatch(pattern, command)
  if (certainty !== 'no') return certainty
  return mayMatchAroundOptions(pattern, command) || mayRunCommand(pattern, command) ? 'maybe' : 'no'
}

/** Compares a deny or ask rule with all simple commands of a line. */
export function commandsMayMatch(pattern: CommandPattern, commands: readonly RestrictedCommand[]): Certainty {
  const answers = commands.map((command) => commandMayMatch(pattern, command))
  if (answers.includes('yes')) return 'yes'
  const hasAllParts = pattern.parts?.every((part) => commandsMayMatch(part, commands) !== 'no') === true
  return hasAllParts || answers.includes('maybe') ? 'maybe' : 'no'
}

/** The parts of a command that deny and ask rules depend on. */
export type RestrictedCommand = Pick<SimpleCommand, 'argv' | 'subcommandAt' | 'possible'>

function spellingsMatch(pattern: CommandPattern, command: RestrictedCommand): Certainty {
  let certainty: Certainty = 'no'
  for (const words of spellingsOf(command)) {
    const text = joinWords(words)
    if (matchesText(pattern, text.text) && isMatchCertain(pattern, text)) return 'yes'
    if (mayContinueAs(pattern, text, words)) certainty = 'maybe'
  }
  return certainty
}

/** Whether the words that are known only at run time could make the rule match. */
function mayContinueAs(
  { pieces }: CommandPattern,
  { text, knownLength }: JoinedWords,
  words: readonly CommandWord[],
): boolean {
  if (knownLength >= text.length) return false
  const knownText = text.slice(0, knownLength)
  const start = pieces[0] ?? ''
  // The files that a glob matches are checked separately: none may start with a dash.
  if (start.startsWith(`${knownText}-`) && words.find((word) => !isKnown(word))?.spread === 'prefixed') return false
  return start.startsWith(knownText) || knownText.startsWith(start)
}

const cachedSpellings = new WeakMap<readonly CommandWord[], readonly (readonly CommandWord[])[]>()

/**
 * Returns every spelling that a deny or ask rule may use: with and without the folder of the program, in lower case for
 * case-insensitive file systems, and without options before a subcommand.
 */
function spellingsOf({ argv, subcommandAt }: RestrictedCommand): readonly (readonly CommandWord[])[] {
  const knownSpellings = cachedSpellings.get(argv)
  if (knownSpellings !== undefined) return knownSpellings
  const [program, ...args] = argv
  if (program === undefined) return []
  const start = subcommandAt === undefined ? args.findIndex(({ text }) => !text.startsWith('-')) : subcommandAt
  const tails = typeof start === 'number' && start > 0 ? [args, args.slice(start)] : [args]
  const spellings = programNamesOf(program).flatMap((name) => tails.map((tail) => [name, ...tail]))
  const gitCommand = /(?:^|\/)git-([a-z-]+)$/.exec(program.text)?.[1]
  if (gitCommand !== undefined) spellings.push([toKnownWord('git'), toKnownWord(gitCommand), ...args])
  cachedSpellings.set(argv, spellings)
  return spellings
}

function programNamesOf(program: CommandWord): readonly CommandWord[] {
  if (!isKnown(program)) return [program]
  const baseName = program.text.slice(program.text.lastIndexOf('/') + 1)
  const names = [...new Set([baseName, program.text, baseName.toLowerCase()])].filter((name) => name !== '')
  return names.map(toKnownWord)
}

/** Whether any part of a command matches the content of a rule; throws if that cannot be decided. */
export function matchesCommandRule(content: string, command: CommandAnalysis | undefined): boolean {
  const pattern = parseCommandPattern(content)
  if (pattern.kind === 'any') return true
  const answer = commandsMayMatch(pattern, command?.commands ?? [])
  if (answer === 'yes') return true
  if (command?.isUnresolved !== false || answer === 'maybe')
    throw new Error(`Cannot match the rule content "${content}": parts of the command are known only at run time.`)
  return false
}

/** Whether an allow rule covers a command. Every word that the rule requires must be known before the command runs. */
export function isCommandCovered(pattern: CommandPattern, { words, needsExactRule }: WrittenCommand): boolean {
  if (pattern.kind === 'any') return true
  if (needsExactRule === true && pattern.kind !== 'exact') return false
  const text = joinWords(words)
  return matchesText(pattern, text.text) && isMatchCertain(pattern, text)
}

/** Words joined by `COMMAND_SEPARATOR`. The text after `knownLength` is known only at run time. */
interface JoinedWords {
  readonly text: string
  readonly knownLength: number
}

const cachedTexts = new WeakMap<readonly CommandWord[], JoinedWords>()

function joinWords(words: readonly CommandWord[]): JoinedWords {
  const cachedWords = cachedTexts.get(words)
  if (cachedWords !== undefined) return cachedWords
  const joinedWords = { text: words.map(({ text }) => text).join(COMMAND_SEPARATOR), knownLength: knownLengthOf(words) }
  cachedTexts.set(words, joinedWords)
  return joinedWords
}

/** Returns the length of the joined text up to the first unknown character. */
function knownLengthOf(words: readonly CommandWord[]): number {
  let knownLength = 0
  for (const [index, word] of words.entries()) {
    knownLength += index === 0 ? 0 : COMMAND_SEPARATOR.length
    if (!isKnown(word)) return knownLength + Math.min(word.knownLength, word.text.length)
    knownLength += word.text.length
  }
  return knownLength
}

/** Whether a match depends only on text that is known before the command runs. */
function isMatchCertain({ pieces, hasOpenEnd }: CommandPattern, { text, knownLength }: JoinedWords): boolean {
  if (knownLength >= text.length) return true
  const prefix = pieces[0] ?? ''
  // The character after the prefix must be known too. Otherwise the last word of the prefix could be longer at run time.
  return hasOpenEnd && pieces.length === 1 && prefix.length < knownLength
}

function matchesText({ pieces, hasOpenEnd }: CommandPattern, text: string): boolean {
  if (matchesPieces(pieces, text)) return true
  return hasOpenEnd && matchesPieces([...pieces.slice(0, -1), `${pieces.at(-1) ?? ''}${COMMAND_SEPARATOR}`, ''], text)
}
