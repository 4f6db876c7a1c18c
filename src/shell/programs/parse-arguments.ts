import { isKnown, knownPart, mayBeOption, type ShellWord } from '../words/shell-word.js'
import type { CommandUsage, Role } from './command-spec.js'

/** The words behind a program, sorted into options and operands. */
export interface ParsedArguments {
  /** The options that were given, by their full names. */
  readonly options: ReadonlySet<string>
  readonly values: readonly { readonly option: string; readonly role: Role; readonly word: ShellWord }[]
  readonly operands: readonly ShellWord[]
  /** Where in the words the first operand stands. */
  readonly firstOperand: number
  /** Some word may become any option. */
  readonly isOpen: boolean
  /** An option was given that runs something. */
  readonly runsUnknown: boolean
  /** An option that is not listed as harmless, or a word that may become one. */
  readonly problem: string | undefined
}

interface Draft {
  readonly usage: CommandUsage
  readonly words: readonly ShellWord[]
  readonly options: Set<string>
  readonly values: { option: string; role: Role; word: ShellWord }[]
  readonly operands: ShellWord[]
  at: number
  firstOperand: number
  areOptionsOver: boolean
  isOpen: boolean
  runsUnknown: boolean
  problem: string | undefined
}

/** Why a word is not harmless. */
type Problem = string | undefined

/** Sorts words as the program itself would, by the options that its table lists. */
export function parseArguments(usage: CommandUsage, words: readonly ShellWord[]): ParsedArguments {
  const draft: Draft = {
    usage,
    words,
    options: new Set(),
    values: [],
    operands: [],
    at: 0,
    firstOperand: words.length,
    areOptionsOver: false,
    isOpen: false,
    runsUnknown: false,
    problem: undefined,
  }
  if (usage.style === 'bundled') draft.problem = takeBundle(draft)
  while (draft.at < words.length) {
    const word = words[draft.at++]
    if (word !== undefined) draft.problem ??= takeWord(draft, word)
  }
  // Behind an option that is not known, what runs something may stand anywhere.
  if (draft.problem !== undefined) draft.runsUnknown ||= words.some((word) => mayRun(usage, word))
  return draft
}

function mayRun(usage: CommandUsage, word: ShellWord): boolean {
  const { options } = optionTable(usage)
  const [name = ''] = word.text.split('=', 1)
  if (options.get(name)?.runs === true) return true
  return /^-[^-]/.test(name) && [...name.slice(1)].some((letter) => options.get(`-${letter}`)?.runs === true)
}

function takeWord(draft: Draft, word: ShellWord): Problem {
  if (draft.areOptionsOver) return takeOperand(draft, word)
  if (!isKnown(word)) return takeUnknown(draft, word)
  const { text } = word
  if (text === '--') {
    draft.areOptionsOver = true
    return undefined
  }
  if (!text.startsWith('-') || text === '-') return takeOperand(draft, word)
  if (draft.usage.style === 'single-dash') return takeLong(draft, word, text)
  if (text.startsWith('--')) return takeLong(draft, word, text)
  return takeCluster(draft, word, text.slice(1))
}

function takeOperand(draft: Draft, word: ShellWord): Problem {
  if (draft.operands.length === 0) draft.firstOperand = draft.at - 1
  draft.operands.push(word)
  if (draft.usage.style === 'posix' || draft.usage.subcommands !== undefined) draft.areOptionsOver = true
  return undefined
}

/** A word that is only known in part: its known start may still tell what it is. */
function takeUnknown(draft: Draft, word: ShellWord): Problem {
  if (!mayBeOption(word)) return takeOperand(draft, word)
  const start = knownPart(word)
  if (word.spread === 'one' && start.startsWith('--') && start.includes('=')) return takeLong(draft, word, start)
  if (word.spread === 'one' && /^-[^-]/.test(start) && draft.usage.style !== 'single-dash') {
    return takeCluster(draft, word, start.slice(1))
  }
  if (draft.usage.hasOnlyHarmlessOptions !== true) return `'${word.text}' may become an option`
  draft.isOpen = true
  return takeOperand(draft, word)
}

function takeLong(draft: Draft, word: ShellWord, text: string): Problem {
  const equals = text.indexOf('=')
  const written = equals === -1 ? text : text.slice(0, equals)
  const name = fullName(draft.usage, written)
  const meaning = name === undefined ? undefined : optionTable(draft.usage).options.get(name)
  draft.runsUnknown ||= meaning?.runs === true
  if (name === undefined || meaning === undefined || meaning.isRefused) return `the option ${written}`
  draft.options.add(name)
  if (equals !== -1) {
    if (meaning.value === 'none') return `a value for ${name}`
    return takeValue(draft, name, meaning, rest(word, equals + 1))
  }
  return meaning.value === 'required' ? takeNext(draft, name, meaning) : undefined
}

/** The option that is meant by an abbreviation, unless it may be one that does harm. */
function fullName(usage: CommandUsage, written: string): string | undefined {
  const { options, long } = optionTable(usage)
  if (options.has(written)) return written
  if (usage.abbreviates !== true || !written.startsWith('--') || written.length < 3) return undefined
  const meant = long.filter((name) => name.startsWith(written))
  const meanings = meant.map((name) => options.get(name))
  const isOne = new Set(meanings.map((meaning) => `${meaning?.value} ${meaning?.role}`)).size === 1
  const isHarmless = meanings.every((meaning) => meaning?.isRefused === false)
  // One that runs something is named, so that rules learn of it.
  return isOne && isHarmless ? meant[0] : meant.find((name) => options.get(name)?.runs === true)
}

/** `-la`, `-n5`, `-5`: letters up to the first that takes what is left as its value. */
function takeCluster(draft: Draft, word: ShellWord, letters: string): Problem {
  const { options } = optionTable(draft.usage)
  if (/^\d+$/.test(letters) && isKnown(word) && options.has('-#')) {
    draft.options.add('-#')
    return undefined
  }
  for (let index = 0; index < letters.length; index += 1) {
    const name = `-${letters[index]}`
    const meaning = options.get(name)
    draft.runsUnknown ||= meaning?.runs === true
    if (meaning === undefined || meaning.isRefused) return `the option ${name}`
    draft.options.add(name)
    if (meaning.value === 'none') continue
    // The dash and the letters so far stand before the value.
    const valueAt = index + 2
    if (valueAt < word.text.length) return takeAttached(draft, name, meaning, rest(word, valueAt))
    return meaning.value === 'required' ? takeNext(draft, name, meaning) : undefined
  }
  return isKnown(word) ? undefined : `'${word.text}' may become an option`
}

/** An attached value that may turn out empty makes the next word the value. */
function takeAttached(draft: Draft, option: string, meaning: OptionMeaning, word: ShellWord): Problem {
  const mayBeEmpty = word.known === 0 && meaning.value === 'required'
  if (mayBeEmpty && draft.usage.hasOnlyHarmlessOptions !== true) return `'${word.text}' may be empty`
  if (mayBeEmpty) draft.isOpen = true
  return takeValue(draft, option, meaning, word)
}

/** `tar tf archive`: each letter that takes a value takes the next word that is left. */
function takeBundle(draft: Draft): Problem {
  const first = draft.words[0]
  if (first === undefined || mayBeOption(first)) return undefined
  draft.at = 1
  if (!isKnown(first)) return `'${first.text}' may become an option`
  for (const letter of first.text) {
    const name = `-${letter}`
    const meaning = optionTable(draft.usage).options.get(name)
    if (meaning === undefined || meaning.isRefused) return `the option ${name}`
    draft.options.add(name)
    const problem = meaning.value === 'required' ? takeNext(draft, name, meaning) : undefined
    if (problem !== undefined) return problem
  }
  return undefined
}

function takeNext(draft: Draft, option: string, meaning: OptionMeaning): Problem {
  const word = draft.words[draft.at]
  if (word === undefined) return undefined
  draft.at += 1
  // Another version of the program may take no value here: then this would be an option.
  const isDoubtful = draft.usage.hasOnlyHarmlessOptions !== true && /^--?[A-Za-z]\S*$/.test(word.text.slice(0, 80))
  if (isDoubtful && meaning.role !== 'sed') return `the value ${word.text} of ${option}`
  return takeValue(draft, option, meaning, word)
}

function takeValue(draft: Draft, option: string, { role }: OptionMeaning, word: ShellWord): Problem {
  if (word.spread === 'one') {
    draft.values.push({ option, role, word })
    return undefined
  }
  // What spreads into several words leaves all but the first to be options.
  const isHarmless = draft.usage.hasOnlyHarmlessOptions === true && (role === 'text' || role === 'reads')
  if (!isHarmless) return `'${word.text}' may become an option`
  draft.isOpen = true
  draft.values.push({ option, role, word })
  return undefined
}

function rest(word: ShellWord, from: number): ShellWord {
  return { ...word, text: word.text.slice(from), known: Math.max(0, word.known - from), isQuoted: true }
}

/** What is known of one option. */
export interface OptionMeaning {
  readonly value: 'none' | 'required' | 'attached'
  readonly role: Role
  readonly isRefused: boolean
  /** Refused because it runs something. */
  readonly runs: boolean
}

export interface OptionTable {
  readonly options: ReadonlyMap<string, OptionMeaning>
  /** Long options, for abbreviations. */
  readonly long: readonly string[]
}

const tables = new WeakMap<CommandUsage, OptionTable>()

/** The options of a usage by their name, built once. */
export function optionTable(usage: CommandUsage): OptionTable {
  const known = tables.get(usage)
  if (known !== undefined) return known
  const table = build(usage)
  tables.set(usage, table)
  return table
}

function build({ options: groups = {} }: CommandUsage): OptionTable {
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
  add(groups.refused, { value: 'none', role: 'text', isRefused: true, runs: false })
  add(groups.runs, { value: 'none', role: 'text', isRefused: true, runs: true })
  return { options, long: [...options.keys()].filter((name) => name.startsWith('--')) }
}

export function splitNames(names: string | undefined): readonly string[] {
  return names === undefined ? [] : names.split(' ').filter((name) => name !== '')
}
