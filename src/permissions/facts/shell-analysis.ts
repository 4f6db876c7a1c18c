import type { CommandLanguage } from '../../contract/tool/identity.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { CommandText, ShellFacts, SimpleCommand } from '../../shell/facts.js'

export interface ShellRequest {
  readonly command: string
  readonly cwd: string
  /** Bash if left out. */
  readonly language?: CommandLanguage | undefined
}

/** What a command line would do, found without running it. */
export interface ShellAnalysis {
  analyse(request: ShellRequest): MaybePromise<ShellFacts>
}

/**
 * The analysis of a host that has none. Every command is unknown: nothing is read-only, a rule with content allows
 * only the very command it spells out, and deny rules look at whatever could be a command.
 */
export const unknownShell: ShellAnalysis = {
  analyse: ({ command }) => unknownFacts(command),
}

export function unknownFacts(command: string): ShellFacts {
  const text = joinWords(command)
  const commands = PLAIN.test(command)
    ? [unknownCommand([text], [text])]
    : command.split(SEPARATORS).map((part) => unknownCommand([joinWords(part.replace(QUOTES, ''))], []))
  return { commands, isUnresolved: true }
}

/** Words of characters that mean only themselves to every shell, on one line. */
const PLAIN = /^[ ]*[A-Za-z0-9_./:@%+,=-]+(?: +[A-Za-z0-9_./:@%+,=-]+)*[ ]*$/
/** Also splits inside quotes: what is quoted here may be run by what it is given to. */
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
