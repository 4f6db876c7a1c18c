import type { CommandWord } from '../../contract/command.js'

/** The known properties of the names that `find` or `rg` selects. */
export interface FoundNames {
  /** Whether none of the files is a symbolic link, as with `-type f`. */
  readonly excludesLinks: boolean
  /** The suffix of all names, as with `-name '*.js'`. */
  readonly suffix: string
  /** Whether the names are split at blanks, so that a name with blanks or quotes would become other words. */
  readonly mustBePlain?: boolean
}

/** A word of a command with the results of its analysis. Unknown parts of `text` keep their source text. */
export interface ShellWord extends CommandWord {
  /** Whether the first character is quoted, so that the word is neither a `~` path nor an assignment. */
  readonly isQuoted?: boolean | undefined
  /** Whether the text, although unknown, cannot start with a dash. */
  readonly cannotBeOption?: boolean | undefined
  /** Whether the word expands to at most one word, which does not start with a dash and contains no subscript. */
  readonly isPlain?: boolean | undefined
  /** Whether the shell may replace the word by the names of files: it contains a pattern, or a variable that does. */
  readonly hasPattern?: boolean | undefined
  /** All possible texts, if there are few. */
  readonly alternatives?: readonly string[] | undefined
  /** If set, the word expands to one of these paths or to a path below one of them, as the `{}` of `find` does. */
  readonly searchRoots?: readonly ShellWord[] | undefined
  /** The globs of which the word is one expansion, as in a loop over `*.js`. */
  readonly globs?: readonly ShellWord[] | undefined
  /** The known properties of the names of the paths below `searchRoots`. */
  readonly names?: FoundNames
  /** Whether the word assigns a list of values, as in `x=(a b)`. The shell has expanded its elements. */
  readonly isArray?: boolean | undefined
  /** Whether the word is a process substitution, which names a pipe, not a file. */
  readonly isPipe?: boolean | undefined
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

/** Whether the program could read one of the expanded words as an option. */
export function mayBeOption(word: ShellWord): boolean {
  if (word.spread === 'any') return word.isPlain !== true
  if (word.knownLength === 0) return word.cannotBeOption !== true && !isKnown(word)
  return word.text.startsWith('-')
}

/** Any number of words from an unknown source, such as those that `xargs` reads from its input. */
export const UNKNOWN_WORDS: ShellWord = { text: '…', knownLength: 0, spread: 'any' }

/** `env` accepts any name, such as `BASH_FUNC_ls%%`, which defines a function of the shell. */
const ASSIGNMENT_PREFIX = /^[^=-][^=]*=/

/** Whether a program that accepts `NAME=value` arguments reads the word as one. */
export function isAssignmentWord(word: ShellWord): boolean {
  return ASSIGNMENT_PREFIX.test(knownPartOf(word))
}
