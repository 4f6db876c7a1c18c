import type { CommandAnalysis, CommandLine, SimpleCommand } from '../contract/command.js'
import { plainWords } from './words/plain-words.js'
import { toKnownWord } from './words/shell-word.js'

/**
 * Returns the analysis of a command that was not understood, such as one for PowerShell. It is not read-only, an allow
 * rule covers only the exact command that the rule spells out, and deny rules are compared with everything that could be a command.
 */
export function unknownCommand({ text, language }: CommandLine, cwd: string): CommandAnalysis {
  const commands = PLAIN.test(text)
    ? [toSimpleCommand(splitWords(text), true)]
    : text.split(SEPARATORS).map((part) => toSimpleCommand(splitWords(part.replace(QUOTES, '')), false))
  return {
    ...{ text, language, cwd, commands },
    isUnresolved: true,
    isUnparsed: true,
    runsUnknownText: false,
    isReadOnly: false,
    fitsReadOnlySandbox: false,
    isConcurrencySafe: false,
    changesFolder: true,
    resources: { reads: [], writes: [], network: true, isUnknown: true, dependsOnHome: false },
    repositories: [],
    risks: [],
    plainWords: language === 'bash' ? plainWords(text) : undefined,
    exitStatusOf: undefined,
    startsByWaiting: SLEEP.test(text),
    readsMachineState: false,
    mayReplaceShell: true,
  }
}

/** One line of words without quotes, expansions, redirections or command separators. */
const PLAIN = /^[ ]*[A-Za-z0-9_./:@%+,=-]+(?: +[A-Za-z0-9_./:@%+,=-]+)*[ ]*$/
/** Also splits inside quotes, because a program may run its quoted argument as a command. */
const SEPARATORS = /[;&|\n\r(){}`<>]|\$\(/
const QUOTES = /["'\\]/g
const SLEEP = /^\s*(?:sleep|start-sleep)\b/i

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
