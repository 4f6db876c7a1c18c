import type { CommandText } from '../facts.js'
import { isKnown, type ShellWord } from '../words/shell-word.js'

/** Words joined by one space, known up to the first that is not. */
export function joinWords(words: readonly ShellWord[]): CommandText {
  const text = words.map((word) => word.text).join(' ')
  let resolvedLength = 0
  for (const [index, word] of words.entries()) {
    resolvedLength += index === 0 ? 0 : 1
    if (!isKnown(word)) return { text, resolvedLength: resolvedLength + Math.min(word.known, word.text.length) }
    resolvedLength += word.text.length
  }
  return { text, resolvedLength }
}

/**
 * Every spelling that a rule which restricts may mean: with and without the folder of the program,
 * in small letters for file systems that do not tell them apart, and without options before a subcommand.
 */
export function canonicalTexts(words: readonly ShellWord[], subcommandAt: SubcommandPlace): readonly CommandText[] {
  const [program, ...rest] = words
  if (program === undefined) return []
  const names = isKnown(program) ? spellings(program) : [program]
  const tails = [rest, ...shorterTails(rest, subcommandAt)]
  const texts = names.flatMap((name) => tails.map((tail) => joinWords([name, ...tail])))
  return texts.filter((text, index) => texts.findIndex((other) => other.text === text.text) === index)
}

function spellings(program: ShellWord): readonly ShellWord[] {
  const base = program.text.slice(program.text.lastIndexOf('/') + 1)
  const names = [...new Set([base, program.text, base.toLowerCase()])].filter((name) => name !== '')
  return names.map((text) => ({ ...program, text, known: text.length }))
}

/** Where a subcommand stands, as far as that is known of the program. */
type SubcommandPlace = number | 'none' | undefined

/** Leaves out the options before the first word that may be a subcommand, and once more if that was a value. */
function shorterTails(rest: readonly ShellWord[], subcommandAt: SubcommandPlace): readonly (readonly ShellWord[])[] {
  if (typeof subcommandAt === 'number' && subcommandAt > 0) return [rest.slice(subcommandAt)]
  if (subcommandAt !== undefined || rest[0]?.text.startsWith('-') !== true) return []
  const first = rest.findIndex((word) => !word.text.startsWith('-'))
  if (first === -1) return []
  const second = rest.findIndex((word, index) => index > first && !word.text.startsWith('-'))
  return second === -1 ? [rest.slice(first)] : [rest.slice(first), rest.slice(second)]
}
