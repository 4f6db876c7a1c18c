import type { CommandAnalysis, CommandLine, CommandText, SimpleCommand } from '../contract/command.js'
import { plainWords } from './words/plain-words.js'

/**
 * Returns the analysis of a command that was not understood, such as one for PowerShell. It is not read-only, an allow
 * rule covers only the exact command that the rule spells out, and deny rules are compared with everything that could be a command.
 */
export function unknownCommand({ text, language }: CommandLine, cwd: string): CommandAnalysis {
  const joined = joinWords(text)
  const commands = PLAIN.test(text)
    ? [toSimpleCommand(joined, [joined])]
    : text.split(SEPARATORS).map((part) => toSimpleCommand(joinWords(part.replace(QUOTES, '')), []))
  return {
    ...{ text, language, cwd, commands },
    isUnresolved: true,
    isReadOnly: false,
    fitsReadOnlySandbox: false,
    isConcurrencySafe: false,
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

/** One line of words without characters that are special in any shell. */
const PLAIN = /^[ ]*[A-Za-z0-9_./:@%+,=-]+(?: +[A-Za-z0-9_./:@%+,=-]+)*[ ]*$/
/** Also splits inside quotes, because a program may run its quoted argument as a command. */
const SEPARATORS = /[;&|\n\r(){}`<>]|\$\(/
const QUOTES = /["'\\]/g
const SLEEP = /^\s*(?:sleep|start-sleep)\b/i

function toSimpleCommand(canonical: string, asWritten: readonly string[]): SimpleCommand {
  return {
    words: canonical === '' ? [] : canonical.split(' '),
    canonical: [resolvedText(canonical)],
    asWritten: asWritten.map(resolvedText),
    isReadOnly: false,
    reads: [],
    writes: [],
    redirects: [],
    areEffectsKnown: false,
    network: true,
  }
}

function resolvedText(text: string): CommandText {
  return { text, resolvedLength: text.length }
}

function joinWords(text: string): string {
  return text.trim().split(/\s+/).join(' ')
}
