import { isFoundName } from '../words/glob-words.js'
import { isKnown, knownPartOf, mayBeOption, type ShellWord } from '../words/shell-word.js'
import type { CommandUsage, Role } from './command-spec.js'

/** The arguments of a program, split into options and operands. */
export interface ParsedArguments {
  /** The options that are present, by their full names. */
  readonly options: ReadonlySet<string>
  readonly values: readonly { readonly option: string; readonly role: Role; readonly word: ShellWord }[]
  readonly operands: readonly ShellWord[]
  /** The index of the first operand. */
  readonly firstOperand: number
  /** Whether some word may expand to an option that is not in `options`. */
  readonly mayHaveMoreOptions: boolean
  /** Whether an option that is not in `options` may change which files are read. */
  readonly mayReadMore: boolean
  /** Whether an option is present that runs a program or uses files which no word names. */
  readonly runsUnknown: boolean
  /** Whether an option from `effects` is present. */
  readonly hasEffects: boolean
  /** Describes the first option that is not listed as harmless, or the first word that may expand to such an option. */
  readonly problem: string | undefined
}

interface ArgumentsDraft {
  readonly usage: CommandUsage
  readonly words: readonly ShellWord[]
  readonly options: Set<string>
  readonly values: { option: string; role: Role; word: ShellWord }[]
  readonly operands: ShellWord[]
  at: number
  firstOperand: number
  haveOptionsEnded: boolean
  mayHaveMoreOptions: boolean
  mayReadMore: boolean
  runsUnknown: boolean
  hasEffects: boolean
  problem: string | undefined
}

/** Describes why a word is not harmless; undefined if it is harmless. */
type Problem = string | undefined

/** Parses arguments as the program itself would, using the options in its table. */
export function parseArguments(usage: CommandUsage, words: readonly ShellWord[]): ParsedArguments {
  // Arrays inside the literal would make creating it slow.
  const values: ArgumentsDraft['values'] = []
  const operands: ShellWord[] = []
  const draft: ArgumentsDraft = {
    usage,
    words,
    options: new Set(),
    values,
    operands,
    at: 0,
    firstOperand: words.length,
    haveOptionsEnded: usage.style === 'data',
    mayHaveMoreOptions: false,
    mayReadMore: false,
    runsUnknown: false,
    hasEffects: false,
    problem: undefined,
  }
  if (usage.style === 'bundled') draft.problem = parseBundle(draft)
  while (draft.at < words.length) {
    const word = words[draft.at++]
    if (word !== undefined) draft.problem ??= parseWord(draft, word)
  }
  // After an unknown option, the remaining words cannot be parsed, so any of them may be an option that runs a program.
  if (draft.problem !== undefined)
    draft.runsUnknown ||= listPossibleOptions(usage, words).some((word) => mayRun(usage, word, words))
  return draft
}

/** Returns the words that may be options: all words, or with style `posix` those before the first certain operand. */
function listPossibleOptions({ style }: CommandUsage, words: readonly ShellWord[]): readonly ShellWord[] {
  const isDash = (word: ShellWord | undefined) => word === undefined || mayBeOption(word)
  const end = words.findIndex((word, index) => !mayBeOption(word) && !(index > 0 && isDash(words[index - 1])))
  return style === 'posix' && end !== -1 ? words.slice(0, end) : words
}

function mayRun(usage: CommandUsage, word: ShellWord, words: readonly ShellWord[]): boolean {
  const { options, longNames } = optionTableOf(usage)
  const [name = ''] = word.text.split('=', 1)
  if (options.get(name)?.runs === true) return true
  // Most programs accept the start of a long option.
  if (name.startsWith('--'))
    return !options.has(name) && longNames.some((long) => isStartOf(name, long) && options.get(long)?.runs === true)
  if (usage.style === 'bundled' && word === words[0])
    return [...name].some((letter) => options.get(`-${letter}`)?.runs === true)
  if (usage.style === 'single-dash') return options.get(name.slice(0, 2))?.runs === true
  return /^-[^-]/.test(name) && [...name.slice(1)].some((letter) => options.get(`-${letter}`)?.runs === true)
}

const MIN_ABBREVIATION_CHARS = 3

function isStartOf(name: string, longName: string): boolean {
  return name.length >= MIN_ABBREVIATION_CHARS && longName.startsWith(name)
}

function parseWord(draft: ArgumentsDraft, word: ShellWord): Problem {
  if (draft.haveOptionsEnded) return addOperand(draft, word)
  if (!isKnown(word)) return parsePartlyKnown(draft, word)
  const { text } = word
  if (text === '--') {
    draft.haveOptionsEnded = true
    return undefined
  }
  if (!text.startsWith('-') || text === '-') return addOperand(draft, word)
  if (draft.usage.style === 'single-dash') return parseLongOption(draft, word, text)
  if (text.startsWith('--')) return parseLongOption(draft, word, text)
  return parseCluster(draft, word, text.slice(1))
}

function addOperand(draft: ArgumentsDraft, word: ShellWord): Problem {
  if (draft.operands.length === 0) draft.firstOperand = draft.at - 1
  draft.operands.push(word)
  const { style, subcommands, endsOptionsAtOperand } = draft.usage
  if (style === 'posix' || subcommands !== undefined || endsOptionsAtOperand === true) draft.haveOptionsEnded = true
  return undefined
}

/** Parses a partly known word, whose known prefix may identify the option. */
function parsePartlyKnown(draft: ArgumentsDraft, word: ShellWord): Problem {
  if (!mayBeOption(word)) return addOperand(draft, word)
  const start = knownPartOf(word)
  if (word.spread === 'one' && start.startsWith('--') && start.includes('=')) return parseLongOption(draft, word, start)
  if (word.spread === 'one' && /^-[^-]/.test(start) && draft.usage.style !== 'single-dash') {
    return parseCluster(draft, word, start.slice(1))
  }
  if (isUsableAsOperand(draft.usage, word)) return addOperand(draft, word)
  if (draft.usage.hasOnlyHarmlessOptions !== true) return `has '${word.text}', which may expand to an option`
  acceptAnyOption(draft)
  return addOperand(draft, word)
}

/**
 * Whether a word expands to file names that are checked separately, so that none of them can be an option. Programs that an option
 * makes write or run another program are excluded, because a file could still get another name before the command starts.
 */
function isUsableAsOperand(usage: CommandUsage, word: ShellWord): boolean {
  if (usage.hasOnlyHarmlessOptions === true) return isFoundName(word)
  const { options = {}, changesWith, subcommands } = usage
  const hasEffects = (options.runs ?? options.effects ?? options.targets ?? changesWith ?? subcommands) !== undefined
  return !hasEffects && word.searchRoots === undefined && isFoundName(word)
}

/** Records that a word may be any option. None has effects, but one may change which files are read. */
function acceptAnyOption(draft: ArgumentsDraft): void {
  draft.mayHaveMoreOptions = true
  draft.mayReadMore ||= optionTableOf(draft.usage).hasFileOption
}

function parseLongOption(draft: ArgumentsDraft, word: ShellWord, text: string): Problem {
  const equals = text.indexOf('=')
  const writtenName = equals === -1 ? text : text.slice(0, equals)
  const name = resolveName(draft.usage, writtenName)
  const meaning = name === undefined ? undefined : optionTableOf(draft.usage).options.get(name)
  draft.runsUnknown ||= meaning?.runs === true
  if (name === undefined || meaning === undefined || meaning.isRefused) return `has the option ${writtenName}`
  draft.options.add(name)
  draft.hasEffects ||= meaning.hasEffects === true
  if (equals !== -1) {
    if (meaning.value === 'none' || meaning.value === 'pair') return `has a value for ${name}`
    return addValue(draft, name, meaning, cutWordStart(word, equals + 1))
  }
  return addFollowingValues(draft, name, meaning)
}

/** Adds the value in the next word, or the name and the value in the next two words. */
function addFollowingValues(draft: ArgumentsDraft, option: string, meaning: OptionMeaning): Problem {
  if (meaning.value === 'required') return addNextValue(draft, option, meaning)
  if (meaning.value !== 'pair') return undefined
  const name = draft.words[draft.at]
  if (name === undefined) return undefined
  if (!isKnown(name)) return `has '${name.text}', which may expand to several words`
  draft.at += 1
  return addNextValue(draft, option, meaning)
}

/** Resolves an abbreviated option; undefined if it may mean an option with effects. */
function resolveName(usage: CommandUsage, writtenName: string): string | undefined {
  const { options, longNames } = optionTableOf(usage)
  if (options.has(writtenName)) return writtenName
  if (
    usage.acceptsAbbreviations !== true ||
    !writtenName.startsWith('--') ||
    writtenName.length < MIN_ABBREVIATION_CHARS
  )
    return undefined
  const candidates = longNames.filter((name) => name.startsWith(writtenName))
  const meanings = candidates.map((name) => options.get(name))
  const haveSameMeaning = new Set(meanings.map((meaning) => `${meaning?.value} ${meaning?.role}`)).size === 1
  const isHarmless = meanings.every((meaning) => meaning?.isRefused === false && meaning.hasEffects !== true)
  // An option that runs a program is returned, so that deny rules take it into account.
  return haveSameMeaning && isHarmless ? candidates[0] : candidates.find((name) => options.get(name)?.runs === true)
}

/** Parses `-la`, `-n5` or `-5`: letters up to the first option that takes the rest as its value. */
function parseCluster(draft: ArgumentsDraft, word: ShellWord, letters: string): Problem {
  const { options } = optionTableOf(draft.usage)
  if (/^\d+$/.test(letters) && isKnown(word) && options.has('-#')) {
    draft.options.add('-#')
    return undefined
  }
  const hasSeparateValues = draft.usage.style === 'separate-values'
  for (let index = 0; index < letters.length; index += 1) {
    const name = `-${letters[index]}`
    const meaning = options.get(name)
    draft.runsUnknown ||= meaning?.runs === true
    if (meaning === undefined || meaning.isRefused) return `has the option ${name}`
    draft.options.add(name)
    draft.hasEffects ||= meaning.hasEffects === true
    if (meaning.value === 'none') continue
    // The attached value starts after the dash and the letters read so far.
    const valueAt = index + 2
    if (!hasSeparateValues && valueAt < word.text.length)
      return addAttachedValue(draft, name, meaning, cutWordStart(word, valueAt))
    const problem = addFollowingValues(draft, name, meaning)
    if (problem !== undefined || !hasSeparateValues) return problem
  }
  return isKnown(word) ? undefined : `has '${word.text}', which may expand to an option`
}

/** Adds an attached value. If it is empty at run time, the next word becomes the value instead. */
function addAttachedValue(draft: ArgumentsDraft, option: string, meaning: OptionMeaning, word: ShellWord): Problem {
  const mayBeEmpty = word.knownLength === 0 && meaning.value === 'required'
  if (mayBeEmpty && draft.usage.hasOnlyHarmlessOptions !== true)
    return `has '${word.text}', which may be empty, so that ${option} would take the next word as its value`
  if (mayBeEmpty) acceptAnyOption(draft)
  return addValue(draft, option, meaning, word)
}

/** Parses `tar tf archive`: each letter with a value takes the next remaining word. */
function parseBundle(draft: ArgumentsDraft): Problem {
  const firstWord = draft.words[0]
  if (firstWord === undefined || mayBeOption(firstWord)) return undefined
  draft.at = 1
  if (!isKnown(firstWord)) return `has '${firstWord.text}', which may expand to an option`
  for (const letter of firstWord.text) {
    const name = `-${letter}`
    const meaning = optionTableOf(draft.usage).options.get(name)
    if (meaning === undefined || meaning.isRefused) return `has the option ${name}`
    draft.options.add(name)
    draft.hasEffects ||= meaning.hasEffects === true
    const problem = meaning.value === 'required' ? addNextValue(draft, name, meaning) : undefined
    if (problem !== undefined) return problem
  }
  return undefined
}

function addNextValue(draft: ArgumentsDraft, option: string, meaning: OptionMeaning): Problem {
  const word = draft.words[draft.at]
  if (word === undefined) return undefined
  draft.at += 1
  // In another version of the program the option may take no value. Then this word would be an option.
  const looksLikeOption = draft.usage.hasOnlyHarmlessOptions !== true && /^--?[A-Za-z]\S*$/.test(word.text.slice(0, 80))
  if (looksLikeOption && meaning.role !== 'sed') return `has the value ${word.text} for ${option}`
  return addValue(draft, option, meaning, word)
}

function addValue(draft: ArgumentsDraft, option: string, { role, choices }: OptionMeaning, word: ShellWord): Problem {
  if (choices !== undefined && !(isKnown(word) && choices.includes(word.text)))
    return `has the value ${word.text} for ${option}`
  if (word.spread === 'one') {
    draft.values.push({ option, role, word })
    return undefined
  }
  // If the value expands to several words, all but the first of them may be options.
  const isHarmless = draft.usage.hasOnlyHarmlessOptions === true && (role === 'text' || role === 'reads')
  if (!isHarmless) return `has '${word.text}', which may expand to an option`
  acceptAnyOption(draft)
  draft.values.push({ option, role, word })
  return undefined
}

function cutWordStart(word: ShellWord, from: number): ShellWord {
  return { ...word, text: word.text.slice(from), knownLength: Math.max(0, word.knownLength - from), isQuoted: true }
}

/** An option of a program: whether it has a value, how the value is used, and whether the option is refused. */
interface OptionMeaning {
  readonly value: 'none' | 'required' | 'attached' | 'pair'
  readonly role: Role
  readonly isRefused: boolean
  /** Whether the option is refused because it runs a program. */
  readonly runs: boolean
  readonly hasEffects?: true
  /** The only values that are allowed. */
  readonly choices?: readonly string[]
}

interface OptionTable {
  readonly options: ReadonlyMap<string, OptionMeaning>
  /** The names of all long options, with which abbreviations are resolved. */
  readonly longNames: readonly string[]
  /** Whether an option names further files, follows links, reads folders recursively or has effects. */
  readonly hasFileOption: boolean
}

const tables = new WeakMap<CommandUsage, OptionTable>()

/** Returns the options of a usage by name. Each table is built once and cached. */
function optionTableOf(usage: CommandUsage): OptionTable {
  const cachedTable = tables.get(usage)
  if (cachedTable !== undefined) return cachedTable
  const table = buildTable(usage)
  tables.set(usage, table)
  return table
}

function buildTable(usage: CommandUsage): OptionTable {
  const { options: groups = {}, recursiveOptions, followsWith } = usage
  const options = new Map<string, OptionMeaning>()
  const add = (names: string | undefined, meaning: OptionMeaning) => {
    for (const name of splitNames(names)) options.set(name, meaning)
  }
  add(groups.flags, { value: 'none', role: 'text', isRefused: false, runs: false })
  add(groups.values, { value: 'required', role: 'text', isRefused: false, runs: false })
  add(groups.attached, { value: 'attached', role: 'text', isRefused: false, runs: false })
  for (const [role, names] of Object.entries(groups.attachedRoles ?? {})) {
    add(names, { value: 'attached', role: role as Role, isRefused: false, runs: false })
  }
  for (const [role, names] of Object.entries(groups.roles ?? {})) {
    add(names, { value: 'required', role: role as Role, isRefused: false, runs: false })
  }
  for (const [role, names] of Object.entries(groups.pairs ?? {})) {
    add(names, { value: 'pair', role: role as Role, isRefused: false, runs: false })
  }
  for (const [name, values] of Object.entries(groups.choices ?? {})) {
    add(name, { value: 'required', role: 'text', isRefused: false, runs: false, choices: splitNames(values) })
  }
  add(groups.effects, { value: 'none', role: 'text', isRefused: false, runs: false, hasEffects: true })
  add(groups.refused, { value: 'none', role: 'text', isRefused: true, runs: false })
  add(groups.runs, { value: 'none', role: 'text', isRefused: true, runs: true })
  add(groups.lists, { value: 'none', role: 'text', isRefused: true, runs: true })
  const hasFileOption =
    recursiveOptions !== undefined ||
    followsWith !== undefined ||
    [...options.values()].some(({ role, isRefused, hasEffects }) => role !== 'text' || isRefused || hasEffects === true)
  return { options, longNames: [...options.keys()].filter((name) => name.startsWith('--')), hasFileOption }
}

const EMPTY_NAMES: readonly string[] = []
const splitLists = new Map<string, readonly string[]>()

/** Splits a list of option names. The cache is never emptied, so only constants from the tables may be passed. */
export function splitNames(names: string | undefined): readonly string[] {
  if (names === undefined) return EMPTY_NAMES
  let list = splitLists.get(names)
  if (list === undefined) {
    list = names.split(' ').filter((name) => name !== '')
    splitLists.set(names, list)
  }
  return list
}
