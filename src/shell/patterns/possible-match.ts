import type { CommandWord, SimpleCommand } from '../../contract/command.js'
import { isKnown, knownPartOf, mayBeOption, toKnownWord } from '../words/shell-word.js'
import { type CommandPattern, matchesPieces, type PatternWord } from './command-pattern.js'

/**
 * Whether a rule could mean a command whose options stand around the words of the rule, as in `docker --debug push` or
 * `rm x -rf`. An option, and the word after it, may stand anywhere.
 */
export function mayStandAround(pattern: CommandPattern, { argv }: Pick<SimpleCommand, 'argv'>): boolean {
  const [program] = argv
  if (program === undefined || !isKnown(program) || !namesProgram(pattern.words[0], program.text)) return false
  return mayFollow(pattern, argv, 1)
}

/**
 * Whether the arguments of a command that no table describes may make it run the command of a rule: as words (`npx rm x`),
 * as one word (`nodemon --exec 'rm x'`), or as code for an interpreter.
 */
export function mayRunCommand(
  pattern: CommandPattern,
  { argv, possible }: Pick<SimpleCommand, 'argv' | 'possible'>,
): boolean {
  const [name] = pattern.words
  if (possible === undefined || name === undefined || isAnyWord(name)) return false
  if (possible.texts.some((text) => mayContainCommand(pattern, text))) return true
  const { runsFrom = argv.length } = possible
  return argv.slice(runsFrom).some(({ text }, index) => {
    // The value of an option or variable may be attached to it.
    const value = text.slice(text.indexOf('=') + 1)
    if (BLANK.test(value)) return mayBeScript(pattern, value)
    return namesProgram(name, value) && mayFollow(pattern, argv, runsFrom + index + 1)
  })
}

/** Whether a word of a rule is a star, which stands for any words. */
function isAnyWord(ruleWord: PatternWord): boolean {
  return ruleWord.length > 1 && ruleWord.every((piece) => piece === '')
}

const BLANK = /\s/

/** Whether a word is the program of a rule, by its path, its name or its name in lower case. */
function namesProgram(name: PatternWord | undefined, text: string): boolean {
  if (name === undefined) return false
  const base = text.slice(text.lastIndexOf('/') + 1)
  if (matchesPieces(name, text) || matchesPieces(name, base) || matchesPieces(name, base.toLowerCase())) return true
  const ruleBase = name.length === 1 ? (name[0] ?? '') : ''
  return ruleBase.includes('/') && ruleBase.slice(ruleBase.lastIndexOf('/') + 1) === base && base !== ''
}

/** Whether the words from `from` on may contain the words of the rule in order, with options between them. */
function mayFollow({ words, hasOpenEnd }: CommandPattern, argv: readonly CommandWord[], from: number): boolean {
  const letters = shortOptionsOf(argv, from)
  const search = { words, letters, hasOpenEnd }
  let states = new Set([toState(skipGivenLetters(words, 1, letters), false)])
  for (const word of argv.slice(from)) {
    const nextStates = new Set<number>()
    for (const state of states) if (takeWord(search, state, word, nextStates)) return true
    if (nextStates.size === 0) return false
    states = nextStates
  }
  return [...states].some((state) => state >> 1 >= words.length)
}

interface Search {
  readonly words: readonly PatternWord[]
  /** The letters of all short options that the command has. */
  readonly letters: string
  readonly hasOpenEnd: boolean
}

/** The index of the next word of the rule, and whether the previous word was an option, so that the next may be its value. */
function toState(next: number, isAfterOption: boolean): number {
  return next * 2 + (isAfterOption ? 1 : 0)
}

/** Adds the states after one word of a command. Returns true if the rule may match whatever follows. */
function takeWord(
  { words, letters, hasOpenEnd }: Search,
  state: number,
  word: CommandWord,
  nextStates: Set<number>,
): boolean {
  const next = state >> 1
  const ruleWord = words[next]
  if (ruleWord === undefined) return hasOpenEnd
  const answer = compareWord(ruleWord, word)
  if (answer === 'anything') return true
  if (answer === 'equal') nextStates.add(toState(skipGivenLetters(words, next + 1, letters), false))
  const isOption = mayBeOption(word)
  const mayBeSkipped = isOption || state % 2 === 1 || isAnyWord(ruleWord) || ruleWord[0]?.startsWith('-') === true
  if (mayBeSkipped) nextStates.add(toState(next, isOption && !word.text.includes('=')))
  return false
}

/** Compares a word of a rule with a word of a command; `anything` if the word may expand to the rest of the rule. */
function compareWord(ruleWord: PatternWord, word: CommandWord): 'equal' | 'different' | 'anything' {
  if (isKnown(word)) return matchesPieces(ruleWord, word.text) ? 'equal' : 'different'
  const start = ruleWord[0] ?? ''
  const knownText = knownPartOf(word)
  const isPossible = start.startsWith(knownText) || (ruleWord.length > 1 && knownText.startsWith(start))
  if (word.spread === 'any') return 'anything'
  if (!isPossible) return 'different'
  return word.spread === 'one' ? 'equal' : 'anything'
}

const SHORT_OPTIONS = /^-[A-Za-z0-9]+$/

function shortOptionsOf(argv: readonly CommandWord[], from: number): string {
  let letters = ''
  for (let at = from; at < argv.length; at += 1) {
    const text = argv[at]?.text ?? ''
    if (text.length > 1 && text.length < 12 && SHORT_OPTIONS.test(text)) letters += text.slice(1)
  }
  return letters
}

/** Skips words of the rule such as `-rf` whose letters the command has in another order or in several words. */
function skipGivenLetters(words: readonly PatternWord[], from: number, letters: string): number {
  let next = from
  for (let word = words[next]; word !== undefined; word = words[next]) {
    const text = word.length === 1 ? (word[0] ?? '') : ''
    if (!SHORT_OPTIONS.test(text) || ![...text.slice(1)].every((letter) => letters.includes(letter))) break
    next += 1
  }
  return next
}

const COMMAND_ENDS = /[;&|\n(){}`]+/

/** Whether a text, run as a script, contains a command of the rule. */
function mayBeScript(pattern: CommandPattern, text: string): boolean {
  return text.split(COMMAND_ENDS).some((part) => {
    const [program = '', ...args] = part.trim().split(/\s+/)
    const name = program.replace(/["'\\]/g, '')
    return name !== '' && namesProgram(pattern.words[0], name) && mayFollow(pattern, args.map(toKnownWord), 0)
  })
}

const NAMES = /[A-Za-z0-9_.+-]+/g

/**
 * Whether a text contains the program of a rule and its first subcommand after it, as separate words. Code may build the rest of a
 * command in many ways.
 */
function mayContainCommand({ words }: CommandPattern, text: string): boolean {
  const [program, ...others] = words
  const subcommand = others.find(([start = '']) => !start.startsWith('-') && IS_NAME.test(start))
  const required = subcommand === undefined ? [program] : [program, subcommand]
  let found = 0
  for (const [name] of text.matchAll(NAMES)) {
    const ruleWord = required[found]
    if (ruleWord === undefined) break
    if (found === 0 ? namesProgram(ruleWord, name) : matchesPieces(ruleWord, name)) found += 1
  }
  return found === required.length
}

const IS_NAME = /^[A-Za-z0-9_.+-]+$/
