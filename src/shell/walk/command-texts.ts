import type { CommandText } from '../../contract/command.js'
import { isKnown, type ShellWord } from '../words/shell-word.js'

/** Joins words by single spaces, resolved up to the first unknown word. */
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
 * Returns every spelling that a deny or ask rule may use: with and without the folder of the program, in lower case for
 * case-insensitive file systems, and without options before a subcommand.
 */
export function canonicalTexts(words: readonly ShellWord[], subcommandAt: SubcommandIndex): readonly CommandText[] {
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

/** The index of the subcommand, if the program is known. */
type SubcommandIndex = number | 'none' | undefined

/** Drops options before the first word that may be a subcommand, and before the second in case the first is an option's value. */
function shorterTails(rest: readonly ShellWord[], subcommandAt: SubcommandIndex): readonly (readonly ShellWord[])[] {
  if (typeof subcommandAt === 'number' && subcommandAt > 0) return [rest.slice(subcommandAt)]
  if (subcommandAt !== undefined || rest[0]?.text.startsWith('-') !== true) return []
  const first = rest.findIndex((word) => !word.text.startsWith('-'))
  if (first === -1) return []
  const second = rest.findIndex((word, index) => index > first && !word.text.startsWith('-'))
  return second === -1 ? [rest.slice(first)] : [rest.slice(first), rest.slice(second)]
}
