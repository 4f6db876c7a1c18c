import type { CommandWord } from '../../contract/command.js'

/** The names that `find` selects. */
export interface FoundNames {
  /** No symbolic links, as with `-type f`. */
  readonly areNoLinks: boolean
  /** The names end with this, as with `-name '*.js'`. */
  readonly suffix: string
  /** The names are split at blanks, so that only names without them and without quotes are what they say. */
  readonly mustBePlain?: boolean
}

/** A word of a command with what the analysis knows about it. Unknown parts of `text` keep their source text. */
export interface ShellWord extends CommandWord {
  /** The first character is quoted, so that the word is neither a `~` path nor an assignment. */
  readonly isQuoted?: boolean
  /** The text is unknown, but does not start with a dash. */
  readonly cannotBeOption?: boolean
  /** Expands to at most one word, which does not start with a dash and contains no subscript. */
  readonly isPlain?: boolean
  /** All possible texts, if there are few. */
  readonly alternatives?: readonly string[]
  /** The word is a `{}` that `find` replaces with a path at or below one of these. */
  readonly below?: readonly ShellWord[]
  /** The word is one of the names to which these globs expand. */
  readonly globs?: readonly ShellWord[]
  /** What is known about the names that `below` means. */
  readonly names?: FoundNames
  /** The word is a process substitution, so it names a pipe, not a file. */
  readonly isPipe?: boolean
}

export function toKnownWord(text: string): ShellWord {
  return { text, knownLength: text.length, spread: 'one' }
}

export function isKnown({ text, knownLength, spread }: CommandWord): boolean {
  return spread === 'one' && knownLength >= text.length
}

/** Returns the known prefix of a word. */
export function knownPartOf({ text, knownLength }: ShellWord): string {
  return text.slice(0, knownLength)
}

/** Whether the program could take one of the expanded words for an option. */
export function mayBeOption(word: ShellWord): boolean {
  if (word.spread === 'any') return word.isPlain !== true
  if (word.knownLength === 0) return word.cannotBeOption !== true && !isKnown(word)
  return word.text.startsWith('-')
}

/** Words from an unknown source, such as those that `xargs` reads from its input. */
export const UNKNOWN_WORDS: ShellWord = { text: '…', knownLength: 0, spread: 'any' }

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/

/** Whether a program that accepts `NAME=value` arguments reads the word as one. */
export function isAssignmentWord(word: ShellWord): boolean {
  return ASSIGNMENT.test(knownPartOf(word))
}
