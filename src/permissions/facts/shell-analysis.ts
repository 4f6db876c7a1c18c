import type { CommandLanguage } from '../../contract/tool/identity.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { CommandText, ShellFacts, SimpleCommand } from '../../shell/facts.js'

/** A command to analyse. */
export interface ShellRequest {
  readonly command: string
  readonly cwd: string
  /** Bash if left out. */
  readonly language?: CommandLanguage | undefined
}

/** Finds what a command would do, without running it. */
export interface ShellAnalysis {
  analyse(request: ShellRequest): MaybePromise<ShellFacts>
}

/**
 * The analysis for hosts without one. Every command is unknown: none is read-only, an allow rule covers only the exact
 * command it spells out, and deny rules are compared with everything that could be a command.
 */
export const unknownShell: ShellAnalysis = {
  analyse: ({ command }) => unknownFacts(command),
}

/** Returns the facts of a command that was not understood. */
export function unknownFacts(command: string): ShellFacts {
  const text = joinWords(command)
  const commands = PLAIN.test(command)
    ? [unknownCommand([text], [text])]
    : command.split(SEPARATORS).map((part) => unknownCommand([joinWords(part.replace(QUOTES, ''))], []))
  return { commands, isUnresolved: true }
}

/** One line of words without characters that are special in any shell. */
const PLAIN = /^[ ]*[A-Za-z0-9_./:@%+,=-]+(?: +[A-Za-z0-9_./:@%+,=-]+)*[ ]*$/
/** Also splits inside quotes, because a program may run its quoted argument as a command. */
const SEPARATORS = /[;&|\n\r(){}`<>]|\$\(/
const QUOTES = /["'\\]/g

function unknownCommand(canonical: readonly string[], asWritten: readonly string[]): SimpleCommand {
  return {
    canonical: canonical.map(resolved),
    asWritten: asWritten.map(resolved),
    isReadOnly: false,
    reads: [],
    writes: [],
    redirects: [],
    areEffectsKnown: false,
    network: true,
  }
}

function resolved(text: string): CommandText {
  return { text, resolvedLength: text.length }
}

function joinWords(text: string): string {
  return text.trim().split(/\s+/).join(' ')
}
