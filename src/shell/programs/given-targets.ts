import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'
import type { CommandUsage } from './command-spec.js'
import type { EffectsDraft } from './effects.js'
import { splitNames } from './parse-arguments.js'

/**
 * Adds the files that options write if the arguments cannot be parsed completely and the names are known only at run time.
 * Known names need no entry, because every word of such a command counts as a file.
 */
export function addGivenTargets(usage: CommandUsage, args: readonly ShellWord[], draft: EffectsDraft): void {
  const words = usage.style === 'bundled' ? addDash(args) : args
  const { roles = {}, targets, conditionalTargets } = usage.options ?? {}
  const isConditionMet = isAnyOptionGiven(usage, conditionalTargets?.options, words)
  const names = [
    roles.writes,
    roles.output,
    roles.into,
    targets,
    isConditionMet ? conditionalTargets?.targets : undefined,
  ].flatMap((list) => splitNames(list))
  const writtenWords = words.flatMap((word, index) =>
    word.text.startsWith('-') ? names.flatMap((name) => givenValueOf(name, usage, word, words[index + 1]) ?? []) : [],
  )
  const lastWord = words.at(-1)
  if (lastWord !== undefined && usage.lastOperand === 'writes' && !lastWord.text.startsWith('-'))
    writtenWords.push(lastWord)
  for (const word of writtenWords) {
    const isCertain = isKnown(word) || word.alternatives !== undefined || word.searchRoots !== undefined
    if (!isCertain) draft.writes.push({ word, isTree: false })
  }
}

/** Adds the missing dash to the first word of `tar cf`, which is a cluster of options. */
function addDash([first, ...others]: readonly ShellWord[]): readonly ShellWord[] {
  if (first === undefined || first.text.startsWith('-') || !isKnown(first))
    return first === undefined ? [] : [first, ...others]
  return [{ ...first, text: `-${first.text}`, knownLength: first.knownLength + 1 }, ...others]
}

/** Whether a word may be one of these options, or a cluster that contains one. */
export function isAnyOptionGiven(usage: CommandUsage, list: string | undefined, words: readonly ShellWord[]): boolean {
  const names = splitNames(list)
  if (names.length === 0) return false
  return words.some((word) => {
    const letters = usage.style === 'single-dash' ? '' : (/^-(\w+)/.exec(knownPartOf(word))?.[1] ?? '')
    return names.some(
      (name) =>
        givenValueOf(name, usage, word, word) !== undefined || (name.length === 2 && letters.includes(name.slice(1))),
    )
  })
}

const MIN_ABBREVIATION_CHARS = 3
/** The maximum number of letters before an option letter in a cluster. A longer word is more likely a value. */
const MAX_LETTERS_BEFORE_OPTION = 3

/** Returns the value that a word, perhaps with the next one, gives to an option; undefined if it is another option. */
function givenValueOf(
  name: string,
  { style }: CommandUsage,
  word: ShellWord,
  nextWord: ShellWord | undefined,
): ShellWord | undefined {
  const start = knownPartOf(word)
  if (!start.startsWith('-')) return undefined
  const [option = ''] = start.split('=', 1)
  const isAbbreviated = name.startsWith('--') && option.length >= MIN_ABBREVIATION_CHARS && name.startsWith(option)
  if (option === name || isAbbreviated) {
    if (word.text.length === option.length) return nextWord
    return cutWordStart(word, start.length > option.length ? option.length + 1 : option.length)
  }
  if (name.length !== 2 || start.startsWith('--')) return undefined
  const at = start.indexOf(name.slice(1), 1)
  const maxLetterIndex = style === 'single-dash' ? 1 : MAX_LETTERS_BEFORE_OPTION + 1
  if (at === -1 || at > maxLetterIndex || !/^[A-Za-z0-9]*$/.test(start.slice(1, at))) return undefined
  return at + 1 < word.text.length ? cutWordStart(word, at + 1) : nextWord
}

function cutWordStart(word: ShellWord, from: number): ShellWord {
  return { ...word, text: word.text.slice(from), knownLength: Math.max(0, word.knownLength - from) }
}
