import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'
import type { CommandUsage } from './command-spec.js'
import type { EffectsDraft } from './effects.js'
import { splitNames } from './parse-arguments.js'

/**
 * Adds what options write and run if the arguments cannot be parsed completely: files whose names are known only at run
 * time, and programs. Known names need no entry, because every word of such a command counts as a file.
 */
export function addGivenTargets(usage: CommandUsage, args: readonly ShellWord[], draft: EffectsDraft): void {
  const words = usage.style === 'bundled' ? withDash(args) : args
  const { roles = {}, targets, targetsWith } = usage.options ?? {}
  const conditional = isAnyOptionGiven(usage, targetsWith?.options, words) ? targetsWith?.targets : undefined
  const names = [roles.writes, roles.output, roles.into, targets, conditional].flatMap((list) => splitNames(list))
  const written = words.flatMap((word, index) =>
    word.text.startsWith('-') ? names.flatMap((name) => givenValueOf(name, usage, word, words[index + 1]) ?? []) : [],
  )
  const lastWord = words.at(-1)
  if (lastWord !== undefined && usage.lastOperand === 'writes' && !lastWord.text.startsWith('-')) written.push(lastWord)
  for (const word of written) {
    const isCertain = isKnown(word) || word.alternatives !== undefined || word.below !== undefined
    if (!isCertain) draft.writes.push({ word, isTree: false })
  }
}

/** The first word of `tar cf` is a cluster of options without its dash. */
function withDash([first, ...others]: readonly ShellWord[]): readonly ShellWord[] {
  if (first === undefined || first.text.startsWith('-') || !isKnown(first))
    return first === undefined ? [] : [first, ...others]
  return [{ ...first, text: `-${first.text}`, knownLength: first.knownLength + 1 }, ...others]
}

/** Whether a word may be one of these options. */
export function isAnyOptionGiven(usage: CommandUsage, list: string | undefined, words: readonly ShellWord[]): boolean {
  const names = splitNames(list)
  return (
    names.length > 0 && words.some((word) => names.some((name) => givenValueOf(name, usage, word, word) !== undefined))
  )
}

const MIN_ABBREVIATION = 3
/** The most letters before an option letter in a cluster. Longer words are rather values. */
const MAX_LETTERS_BEFORE = 3

/** Returns the value that a word, perhaps with the next one, gives to an option; undefined if it is another option. */
function givenValueOf(
  name: string,
  { style }: CommandUsage,
  word: ShellWord,
  next: ShellWord | undefined,
): ShellWord | undefined {
  const start = knownPartOf(word)
  if (!start.startsWith('-')) return undefined
  const [option = ''] = start.split('=', 1)
  const isAbbreviated = name.startsWith('--') && option.length >= MIN_ABBREVIATION && name.startsWith(option)
  if (option === name || isAbbreviated) {
    if (word.text.length === option.length) return next
    return restOf(word, start.length > option.length ? option.length + 1 : option.length)
  }
  if (name.length !== 2 || start.startsWith('--')) return undefined
  const at = start.indexOf(name.slice(1), 1)
  const lastPlace = style === 'single-dash' ? 1 : MAX_LETTERS_BEFORE + 1
  if (at === -1 || at > lastPlace || !/^[A-Za-z0-9]*$/.test(start.slice(1, at))) return undefined
  return at + 1 < word.text.length ? restOf(word, at + 1) : next
}

function restOf(word: ShellWord, from: number): ShellWord {
  return { ...word, text: word.text.slice(from), knownLength: Math.max(0, word.knownLength - from) }
}
