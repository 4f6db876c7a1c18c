import { createAwkRegexPattern, hasAmbiguousBackslash } from './regex-literal.js'

export interface AwkToken {
  readonly kind: 'number' | 'string' | 'regex' | 'name' | 'operator' | 'newline' | 'end'
  /** The source text; for a string, without its quotes. */
  readonly text: string
  /** Whether blanks or a comment precede the token. */
  readonly isSeparate: boolean
}

/** Longer names are refused, because some implementation may truncate or split them. */
const MAX_NAME_LENGTH = 40
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER = /(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,5})?(?![\w.])/y
/** Excluded: `**`, `|`, `|&`, `@` and backslashes. */
const OPERATOR = /\+\+|--|\+=|-=|\*=|%=|\^=|==|!=|!~|<=|>=|>>|&&|\|\||[-+%^!<>~?:;,(){}[\]$=]|\*(?!\*)/y
const BLANKS = /[ \t]*/y
/** Excluded: a backslash at the end, which would continue the comment in some implementation. */
const COMMENT = /#(?:[^\n]*[^\n\\])?(?=\n|$)/y
/** Strings that contain only escapes of the same length in all implementations. */
const STRING = /"((?:[^"\\\n]|\\[^\nxuU])*)"/y
const REGEX_LITERAL = createAwkRegexPattern()
/** Tokens before which all implementations expect an operand, so that a slash starts a regular expression. */
const TOKENS_BEFORE_REGEX: ReadonlySet<string> = new Set([
  '',
  '\n',
  '{',
  '}',
  ';',
  '(',
  ',',
  '~',
  '!~',
  '&&',
  '||',
  '!',
])

/**
 * Names that are keywords or built-in functions in some implementation. A program may not define them, and none of them may
 * precede a slash.
 */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  (
    'BEGIN BEGINFILE END ENDFILE adump and asort asorti atan2 bindtextdomain break case close compl continue cos dcgettext ' +
    'dcngettext default delete do else eval exit exp fflush for func function gensub getline gsub if in include index ' +
    'initrand int intdiv intdiv0 isarray length load log lshift match mkbool mktime namespace next nextfile or patsplit ' +
    'print printf rand return rshift setenv sin split sprintf sqrt srand srandom stopme strftime strtonum sub substr switch ' +
    'system systime tolower toupper typeof unsetenv utf8 while xor'
  ).split(' '),
)

/**
 * Splits an awk program into tokens. The last token has the kind `end`. Returns undefined unless gawk (also with `--posix` and
 * `--traditional`), mawk and the original awk split the program alike. As in mawk, the previous token decides whether a slash
 * starts a regular expression. Where the grammar of another implementation could differ, the program is refused here or by the
 * parser.
 */
export function splitAwk(program: string): readonly AwkToken[] | undefined {
  if (/[\r\v\f\0]/.test(program) || hasAmbiguousBackslash(program)) return undefined
  const lexer = new AwkLexer(program)
  const tokens: AwkToken[] = []
  for (;;) {
    const token = lexer.next()
    if (token === undefined) return undefined
    tokens.push(token)
    if (token.kind === 'end') return tokens
  }
}

class AwkLexer {
  private at = 0
  private previous: AwkToken = { kind: 'newline', text: '', isSeparate: false }
  /** The text of the last token that is not a newline. */
  private lastOnLine = ''

  constructor(private readonly program: string) {}

  next(): AwkToken | undefined {
    const start = this.at
    this.take(BLANKS)
    this.take(COMMENT)
    const token = this.read(this.at > start)
    if (token === undefined) return undefined
    if (token.kind !== 'newline') this.lastOnLine = token.text
    this.previous = token
    return token
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.program)
    this.at += match?.[0].length ?? 0
    return match
  }

  private read(isSeparate: boolean): AwkToken | undefined {
    const char = this.program[this.at]
    if (char === undefined) return { kind: 'end', text: '', isSeparate }
    if (char === '\n') {
      this.at += 1
      return { kind: 'newline', text: '\n', isSeparate }
    }
    if (char === '/') return this.isAfterValue() ? this.readDivision(isSeparate) : this.readRegex(isSeparate)
    const name = this.take(NAME)?.[0]
    if (name !== undefined) return name.length > MAX_NAME_LENGTH ? undefined : { kind: 'name', text: name, isSeparate }
    const number = this.take(NUMBER)?.[0]
    if (number !== undefined) return { kind: 'number', text: number, isSeparate }
    const string = this.take(STRING)?.[1]
    if (string !== undefined) return { kind: 'string', text: string, isSeparate }
    const operator = this.take(OPERATOR)?.[0]
    return operator === undefined ? undefined : { kind: 'operator', text: operator, isSeparate }
  }

  /** Whether the previous token ends a number, a variable, a field or an expression in parentheses or brackets. */
  private isAfterValue(): boolean {
    const { kind, text } = this.previous
    if (kind === 'name') return !RESERVED_NAMES.has(text)
    return kind === 'number' || (kind === 'operator' && (text === ')' || text === ']'))
  }

  private readDivision(isSeparate: boolean): AwkToken {
    this.at += 1
    if (this.program[this.at] !== '=') return { kind: 'operator', text: '/', isSeparate }
    this.at += 1
    return { kind: 'operator', text: '/=', isSeparate }
  }

  private readRegex(isSeparate: boolean): AwkToken | undefined {
    const { kind, text } = this.previous
    if ((kind !== 'operator' && kind !== 'newline') || !TOKENS_BEFORE_REGEX.has(text)) return undefined
    // mawk ignores the newline after the condition of `if`, so it would read a division.
    if (kind === 'newline' && this.lastOnLine === ')') return undefined
    const regex = this.take(REGEX_LITERAL)?.[0]
    return regex === undefined ? undefined : { kind: 'regex', text: regex, isSeparate }
  }
}
