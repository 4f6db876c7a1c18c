/** A word of a command after quote removal, as far as it can be told before the command runs. */
export interface ShellWord {
  /** What is not known stands in it as it is written. */
  readonly text: string
  /** How much of `text`, from its start, is known. */
  readonly known: number
  /**
   * What it becomes: one word; any number of words that all start with the known text (a glob);
   * or any words at all, of which only the first starts with the known text (an expansion without quotes).
   */
  readonly spread: 'one' | 'prefixed' | 'any'
  /** Its first character is quoted, so that neither `~` nor the name of an assignment is meant. */
  readonly isQuoted?: boolean
  /** Known not to begin with a dash, although its text is not known. */
  readonly isNoOption?: boolean
  /** At most one word, which does not begin with a dash and holds no subscript. */
  readonly isPlain?: boolean
  /** All texts that it may have, where they are few. */
  readonly alternatives?: readonly string[]
  /** Names some file at or below one of these, which `find` puts in for `{}`. */
  readonly below?: readonly ShellWord[]
  /** Names a pipe, not a file: a process substitution. */
  readonly isPipe?: boolean
}

export function knownWord(text: string): ShellWord {
  return { text, known: text.length, spread: 'one' }
}

export function isKnown({ text, known, spread }: ShellWord): boolean {
  return spread === 'one' && known >= text.length
}

/** The known start of a word. */
export function knownPart({ text, known }: ShellWord): string {
  return text.slice(0, known)
}

/** Whether some word that it becomes could be taken for an option. */
export function mayBeOption(word: ShellWord): boolean {
  if (word.spread === 'any') return word.isPlain !== true
  if (word.known === 0) return word.isNoOption !== true && !isKnown(word)
  return word.text.startsWith('-')
}

/** Stands for words that come from somewhere else, as behind `xargs`. */
export const WORDS_FROM_ELSEWHERE: ShellWord = { text: '…', known: 0, spread: 'any' }

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/

/** Whether a program that takes `NAME=value` words takes it for one. */
export function isAssignmentWord(word: ShellWord): boolean {
  return ASSIGNMENT.test(knownPart(word))
}
