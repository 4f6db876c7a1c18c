import type { CommandText } from '../../contract/command.js'
import { isKnown, type ShellWord } from '../words/shell-word.js'

/** Joins words by single spaces, resolved up to the first unknown word. */
export function joinWords(words: readonly ShellWord[]): CommandText {
  const text = words.map((word) => word.text).join(' ')
  let resolvedLength = 0
  for (const [index, word] of words.entries()) {
    resolvedLength += index === 0 ? 0 : 1
    if (!isKnown(word)) return { text, resolvedLength: resolvedLength + Math.min(word.knownLength, word.text.length) }
    resolvedLength += word.text.length
  }
  return { text, resolvedLength }
}

/**
 * Returns every spelling that a deny or ask rule may use: with and without the folder of the program, in lower case for
 * case-insensitive file systems, and without options before a subcommand.
 */
export function canonicalTextsOf(words: readonly ShellWord[], subcommandAt: SubcommandIndex): readonly CommandText[] {
  const [program, ...args] = words
  if (program === undefined) return []
  const names = isKnown(program) ? spellingsOf(program) : [program]
  const tails = [args, ...shorterTailsOf(args, subcommandAt)]
  const texts = names.flatMap((name) => tails.map((tail) => joinWords([name, ...tail])))
  return texts.filter((text, index) => texts.findIndex((other) => other.text === text.text) === index)
}

function spellingsOf(program: ShellWord): readonly ShellWord[] {
  const base = program.text.slice(program.text.lastIndexOf('/') + 1)
  const names = [...new Set([base, program.text, base.toLowerCase()])].filter((name) => name !== '')
  return names.map((text) => ({ ...program, text, knownLength: text.length }))
}

/** The index of the subcommand in the arguments; `none` if the program has no subcommands, undefined if that is unknown. */
type SubcommandIndex = number | 'none' | undefined

/** Drops options before the first word that may be a subcommand, and before the second in case the first is an option's value. */
function shorterTailsOf(args: readonly ShellWord[], subcommandAt: SubcommandIndex): readonly (readonly ShellWord[])[] {
  if (typeof subcommandAt === 'number' && subcommandAt > 0) return [args.slice(subcommandAt)]
  if (subcommandAt !== undefined || args[0]?.text.startsWith('-') !== true) return []
  const firstOperand = args.findIndex((word) => !word.text.startsWith('-'))
  if (firstOperand === -1) return []
  const secondOperand = args.findIndex((word, index) => index > firstOperand && !word.text.startsWith('-'))
  return secondOperand === -1 ? [args.slice(firstOperand)] : [args.slice(firstOperand), args.slice(secondOperand)]
}
