import type { CommandWord, SimpleCommand } from '../../contract/command.js'
import { isMessage } from '../words/message-options.js'
import { isKnown, knownPartOf, mayBeOption } from '../words/shell-word.js'
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
  if (possible.runsAnything === true || possible.texts.some((text) => mayContainCommand(pattern, text))) return true
  const { runsFrom = argv.length } = possible
  const firstOperand = argv.findIndex((_, at) => at >= runsFrom && roleOf(argv, at) === 'operand')
  return argv.some((word, at) => {
    if (at < runsFrom) return false
    const role = roleOf(argv, at)
    if (role === 'text' || (role === 'operand' && possible.runsOnlyOptionValues === true)) return false
    if (isKnown(word)) return mayNameCommand(pattern, argv, at, role === 'option')
    // After the first operand, unknown words are its arguments.
    return (role === 'option' || at === firstOperand) && mayExpandTo(name, word)
  })
}

/** Whether a word is an option or its value, a message, or an operand. */
function roleOf(argv: readonly CommandWord[], at: number): 'option' | 'text' | 'operand' {
  const word = argv[at]
  if (word === undefined || isText(argv, at)) return 'text'
  // A single word that is unknown is more likely the name of a file than an option that runs a program.
  const isOption = word.text.startsWith('-') || (word.spread === 'any' && mayBeOption(word))
  return isOption || (at > 1 && isValueOption(argv[at - 1])) ? 'option' : 'operand'
}

/** Whether the next word may be the value of this one. */
function isValueOption(word: CommandWord | undefined): boolean {
  return word?.text.startsWith('-') === true && word.text !== '--' && !word.text.includes('=')
}

/** Whether a word is a message or a title, which no program runs. */
function isText(argv: readonly CommandWord[], at: number): boolean {
  return isMessage(argv[0]?.text ?? '', argv[at]?.text ?? '', argv[at - 1]?.text ?? '')
}

/** Whether a word may name the program of a rule, or contain its command. */
function mayNameCommand(
  pattern: CommandPattern,
  argv: readonly CommandWord[],
  at: number,
  isOptionValue: boolean,
): boolean {
  const text = argv[at]?.text ?? ''
  const [name] = pattern.words
  // The value of an option or variable may be attached to it.
  const values = [text, text.slice(text.indexOf('=') + 1), ...(/^-[^-]/.test(text) ? [text.slice(2)] : [])]
  const isScript = BLANK.test(text) || (isOptionValue && /[^\w./=-]/.test(text))
  const mayContain = (value: string) =>
    mayContainCommand(pattern, value) || mayContainCommand(pattern, value.replace(QUOTES, ''))
  if (isScript && values.some(mayContain)) return true
  return values.some((value) => namesLaunched(name, value) && (isOptionValue || mayFollow(pattern, argv, at + 1)))
}

/** Whether a word is the program of a rule, perhaps with a version, as in `npx npm@10`. */
function namesLaunched(name: PatternWord | undefined, text: string): boolean {
  return namesProgram(name, text) || (/.@/.test(text) && namesProgram(name, text.replace(/(.)@[^/]*$/, '$1')))
}

/** Whether a word that is known only at run time may become the program of a rule. */
function mayExpandTo(name: PatternWord, word: CommandWord): boolean {
  const known = knownPartOf(word)
  if (word.spread === 'prefixed') return namesByGlob(word.text, name)
  const value = known.slice(known.indexOf('=') + 1).replace(/^-.*/, '')
  return value === '' || value.startsWith('/') || (name[0] ?? '').startsWith(value)
}

/** Whether a glob may expand to the program of a rule. */
function namesByGlob(glob: string, name: PatternWord): boolean {
  if (name.length > 1) return true
  const base = glob.slice(glob.lastIndexOf('/') + 1)
  const source = base.replace(/\[[^\]]*\]|[*?]|[^\w]/g, (part) =>
    part === '*' ? '.*' : part === '?' || part.startsWith('[') ? '.' : `\\${part}`,
  )
  return new RegExp(`^${source}$`).test(name[0] ?? '')
}

/** Whether a word of a rule is a star, which stands for any words. */
function isAnyWord(ruleWord: PatternWord): boolean {
  return ruleWord.length > 1 && ruleWord.every((piece) => piece === '')
}

const BLANK = /\s/
const QUOTES = /["'\\]/g

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
  const isList = HAS_TARGETS.test(words[0]?.[0] ?? '')
  const search = { words, letters, hasOpenEnd, isList }
  let states = new Set([toState(1, false), toState(skipGivenLetters(words, 1, letters), false)])
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
  /** The program takes several targets, so that each may follow others. */
  readonly isList: boolean
}

const HAS_TARGETS = /^(?:make|gmake|bmake|ninja|just|task|rake|gulp|grunt|mvn|gradle|gradlew)$/

/** The index of the next word of the rule, and whether the previous word was an option, so that the next may be its value. */
function toState(next: number, isAfterOption: boolean): number {
  return next * 2 + (isAfterOption ? 1 : 0)
}

/** Adds the states after one word of a command. Returns true if the rule may match whatever follows. */
function takeWord(
  { words, letters, hasOpenEnd, isList }: Search,
  state: number,
  word: CommandWord,
  nextStates: Set<number>,
): boolean {
  const next = state >> 1
  const ruleWord = words[next]
  if (ruleWord === undefined) return hasOpenEnd
  const answer = compareWord(ruleWord, word)
  if (answer === 'anything') return true
  const advance = (to: number) => {
    nextStates.add(toState(to, false))
    nextStates.add(toState(skipGivenLetters(words, to, letters), false))
  }
  if (answer === 'equal') advance(next + 1)
  const attached = words[next + 1]
  if (attached !== undefined && hasAttachedValue(ruleWord, attached, word)) advance(next + 2)
  const isOption = mayBeOption(word)
  const mayBeSkipped =
    isOption ||
    isList ||
    /^(?:\+|container$|image$)/.test(word.text) ||
    state % 2 === 1 ||
    isAnyWord(ruleWord) ||
    ruleWord[0]?.startsWith('-') === true
  if (mayBeSkipped) nextStates.add(toState(next, isOption && !word.text.includes('=')))
  return false
}

/** Compares a word of a rule with a word of a command; `anything` if the word may expand to the rest of the rule. */
function compareWord(ruleWord: PatternWord, word: CommandWord): 'equal' | 'different' | 'anything' {
  if (isKnown(word))
    return matchesPieces(ruleWord, word.text) || isSameOption(ruleWord, word.text) ? 'equal' : 'different'
  const start = ruleWord[0] ?? ''
  const knownText = knownPartOf(word)
  const isPossible = start.startsWith(knownText) || (ruleWord.length > 1 && knownText.startsWith(start))
  if (word.spread === 'any') return 'anything'
  if (!isPossible) return 'different'
  return word.spread === 'one' ? 'equal' : 'anything'
}

/** Short options that mean the same as a long one in most programs. */
const LONG_OPTIONS: Readonly<Record<string, string>> = {
  '--recursive': 'rR',
  '--force': 'f',
  '--no-verify': 'n',
  '--request': 'X',
  '--delete': 'dD',
  '--all': 'a',
}
const SHORT_OPTIONS = /^-[A-Za-z0-9]+$/
const MIN_ABBREVIATION = 4

/** Whether an option is another spelling of an option of the rule: abbreviated, with a value, or short instead of long. */
function isSameOption(ruleWord: PatternWord, text: string): boolean {
  const [rule = ''] = ruleWord
  if (ruleWord.length > 1 || !rule.startsWith('-') || !text.startsWith('-')) return false
  const [option = ''] = text.split('=', 1)
  if (rule.startsWith('--')) {
    if (option.length >= MIN_ABBREVIATION && rule.startsWith(option)) return true
    return SHORT_OPTIONS.test(text) && [...(LONG_OPTIONS[rule] ?? '')].some((letter) => text.includes(letter))
  }
  return rule.length === 2 && lettersOf(option).includes(rule.slice(1)) && option.startsWith('--')
}

/** Whether a word is an option with its value attached, as in `-XPOST`, which the rule writes as two words. */
function hasAttachedValue(ruleWord: PatternWord, value: PatternWord, { text }: CommandWord): boolean {
  const [letter = ''] = ruleWord
  const [start = ''] = value
  if (ruleWord.length > 1 || value.length > 1 || !text.startsWith('-') || start === '') return false
  if (letter.startsWith('--')) return text === `${letter}=${start}`
  return /^-[A-Za-z]$/.test(letter) && text.endsWith(`${letter.slice(1)}${start}`)
}

/** The letters that stand for a long option, which may be abbreviated. */
function lettersOf(option: string): string {
  if (option.length < MIN_ABBREVIATION) return ''
  return Object.entries(LONG_OPTIONS)
    .map(([long, letters]) => (long.startsWith(option) ? letters : ''))
    .join('')
}

/** The letters of all short options, and of long options that mean the same. */
function shortOptionsOf(argv: readonly CommandWord[], from: number): string {
  let letters = ''
  for (let at = from; at < argv.length; at += 1) {
    const text = argv[at]?.text ?? ''
    if (text.startsWith('--')) letters += lettersOf(text)
    else if (text.length > 1 && text.length < 12 && SHORT_OPTIONS.test(text)) letters += text.slice(1)
  }
  return letters.includes('R') ? `${letters}r` : letters
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
