/** Quoted text without expansions, plain characters, and characters that are special only at the start of a word. */
const WORD_PIECE = /'[^']*'|"[^"$`\\!]*"|[A-Za-z0-9_./,@%+-]+|[:=](?!~)|(?<=\w)[~^]/y
/**
 * The value of a long option with a wildcard, as in `--include=*.ts`. Elsewhere a wildcard could match a link that leads
 * outside. Here it could only match file names that are the same option again.
 */
const OPTION_WITH_WILDCARD = /--[a-z][a-z-]*=[*?][A-Za-z0-9_.*?-]*(?=[ \t\n;|&]|$)/y
const BLANKS = /[ \t]*/y
const OPERATOR = /\|\|?(?!&)|&&|;(?![;&])|\n/y
const QUIET_REDIRECTION = /(?:[12&]?>[ ]?\/dev\/null|2>&1)(?=[ \t\n;|&]|$)/y
const BRACKET_TOKEN = /[[\]!](?=[ \t\n;|&]|$)/y
const WORD_END = /(?=[ \t\n;|&]|$)/y
const MAX_CHARS = 2_000

/** A command of a plain script. */
export interface PlainCommand {
  readonly words: readonly string[]
  /** The operator after the command; undefined at the end. */
  readonly operator: string | undefined
}

/**
 * Returns the commands of a script that consists only of plain words, pipes and lists; undefined if it contains anything else,
 * such as variables, substitutions, loops or redirections to files.
 */
export function readPlainScript(text: string): readonly PlainCommand[] | undefined {
  if (text.length > MAX_CHARS) return undefined
  const reader = new PlainReader(text.replace(/^[ \t\n]+/, '').replace(/[ \t\n]*;?[ \t\n]*$/, ''))
  const commands: PlainCommand[] = []
  let operator: string | undefined
  do {
    const words = reader.readCommand()
    if (words === undefined) return undefined
    operator = reader.readOperator()
    commands.push({ words, operator })
  } while (operator !== undefined)
  return reader.isAtEnd ? commands : undefined
}

class PlainReader {
  private at = 0

  constructor(private readonly source: string) {}

  get isAtEnd(): boolean {
    return this.at === this.source.length
  }

  readOperator(): string | undefined {
    return this.take(OPERATOR)
  }

  /** Returns the words up to an operator; undefined if there are none or a word is not plain. */
  readCommand(): string[] | undefined {
    const words: string[] = []
    this.take(BLANKS)
    for (let word = this.readWord(); word !== undefined; word = this.readWord()) {
      if (word !== QUIET_REDIRECTION_TOKEN) words.push(word)
      this.take(BLANKS)
    }
    const [program] = words
    return program === undefined || program.includes('=') ? undefined : words
  }

  private readWord(): string | typeof QUIET_REDIRECTION_TOKEN | undefined {
    if (this.take(QUIET_REDIRECTION) !== undefined) return QUIET_REDIRECTION_TOKEN
    const option = this.take(OPTION_WITH_WILDCARD)
    if (option !== undefined) return option
    let word = this.take(BRACKET_TOKEN)
    for (let piece = this.take(WORD_PIECE); piece !== undefined; piece = this.take(WORD_PIECE)) {
      word = (word ?? '') + (/^['"]/.test(piece) ? piece.slice(1, -1) : piece)
    }
    return this.take(WORD_END) === undefined ? undefined : word
  }

  private take(expression: RegExp): string | undefined {
    expression.lastIndex = this.at
    const matchedText = expression.exec(this.source)?.[0]
    this.at += matchedText?.length ?? 0
    return matchedText
  }
}

/** The token for a redirection that hides output and writes no file. */
const QUIET_REDIRECTION_TOKEN = Symbol('quiet')
