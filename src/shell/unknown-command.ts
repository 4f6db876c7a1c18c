import type { CommandAnalysis, CommandLine, SimpleCommand } from '../contract/command.js'
import { cutText } from '../shared/cut-text.js'
import { isTooLarge } from './words/is-too-large.js'
import { splitPlainWords } from './words/plain-words.js'
import { toKnownWord } from './words/shell-word.js'

/**
 * Returns the analysis of a command that was not understood, such as one for PowerShell. It is not read-only, an allow rule
 * matches it only if the rule spells it out exactly, and deny rules are compared with every part that could be a command.
 */
export function analyseUnknownCommand({ text, language }: CommandLine, cwd: string): CommandAnalysis {
  const parts = splitParts(text)
  const isTooLong = text.length > MAX_COMPARED_CHARS || parts.length > MAX_COMPARED_PARTS
  const commands =
    !isTooLong && PLAIN_COMMAND.test(text)
      ? [toSimpleCommand(splitWords(text), true)]
      : parts.slice(0, MAX_COMPARED_PARTS).map((part) => toSimpleCommand(splitWords(part), false))
  return {
    ...{ text, language, cwd, commands },
    isUnresolved: true,
    isUnparsed: true,
    isTooLarge: isTooLong || (language === 'bash' && isTooLarge(text)),
    // The text beyond the limit is not examined.
    runsUnknownText: isTooLong,
    isReadOnly: false,
    fitsReadOnlySandbox: false,
    isConcurrencySafe: false,
    changesFolder: true,
    resources: { reads: [], writes: [], network: true, isUnknown: true, dependsOnHome: false },
    repositories: [],
    risks: [],
    plainWords: language === 'bash' ? splitPlainWords(text) : undefined,
    exitStatusOf: undefined,
    startsByWaiting: SLEEP_COMMAND.test(text),
    readsMachineState: false,
    mayReplaceShell: true,
  }
}

/** Longer text is compared with rules only up to here, because each part of it takes time and memory. */
const MAX_COMPARED_CHARS = 50_000
const MAX_COMPARED_PARTS = 2_500
/** One line of words without quotes, expansions, redirections or command separators. */
const PLAIN_COMMAND = /^[ ]*[A-Za-z0-9_./:@%+,=-]+(?: +[A-Za-z0-9_./:@%+,=-]+)*[ ]*$/
/** Separates commands inside quotes too, because a program may run its quoted argument as a command. */
const COMMAND_SEPARATOR = /[;&|\n\r(){}`<>]|\$\(/
const QUOTES = /["'\\]/g
const SLEEP_COMMAND = /^\s*(?:sleep|start-sleep)\b/i

/** Returns the distinct parts of a text that could be commands, without quotes. */
function splitParts(text: string): readonly string[] {
  const parts = cutText(text, MAX_COMPARED_CHARS)
    .split(COMMAND_SEPARATOR)
    .map((part) => part.replace(QUOTES, '').trim())
  return [...new Set(parts)].filter((part) => part !== '')
}

function toSimpleCommand(texts: readonly string[], isPlain: boolean): SimpleCommand {
  const argv = texts.map(toKnownWord)
  return {
    words: texts,
    argv,
    asWritten: isPlain ? [{ words: argv }] : [],
    isReadOnly: false,
    reads: [],
    writes: [],
    redirects: [],
    areEffectsKnown: false,
    network: true,
  }
}

function splitWords(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
