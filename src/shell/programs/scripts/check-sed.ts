import { type ShellWord, toKnownWord } from '../../words/shell-word.js'
import { getSedRegexPattern, hasAmbiguousBackslash } from './regex-literal.js'
import type { ScriptVerdict } from './script-verdict.js'

/**
 * Accepts sed scripts whose effects are the same in GNU sed (with and without `--posix`) and BSD sed. For any other script,
 * the verdict has a problem.
 */
export function checkSed(script: string): ScriptVerdict {
  const reader = new SedReader(script)
  const isAccepted = reader.accepts()
  const problem = isAccepted ? undefined : 'has a sed script that is not known to be harmless'
  return { problem, mayRun: !isAccepted, reads: reader.reads, writes: reader.writes }
}

const STANDARD_STREAMS: ReadonlySet<string> = new Set(['/dev/stdout', '/dev/stderr'])
/** Commands that may be followed by a number. */
const NUMBERED_COMMANDS: ReadonlySet<string> = new Set([...'lqQ'])
const PLAIN_COMMANDS: ReadonlySet<string> = new Set([...'=dDFgGhHnNpPxz'])
const BLANKS = /[ \t]*/y
const SEPARATORS = /[ \t\n;]*/y
const LINE_ADDRESS = /\$|\d{1,9}(?:~\d{1,9})?/y
const SECOND_LINE_ADDRESS = /\$|[+~]?\d{1,9}/y
const REGEX_FLAGS = /[IM]*/y
const SUBSTITUTION_FLAGS = /[gpiImM0-9]*/y
const COMMAND_END = /[ \t]*(?:(?=[}#])|[;\n]|$)/y
/**
 * A label. GNU sed ends it at a blank or semicolon, some versions at a brace, BSD sed and `sed --posix` at the end of the
 * line. So only a separator may follow, or braces and a separator: in either reading, a command follows.
 */
const LABEL = /[ \t]*([A-Za-z0-9_-]{0,60})(?=\}*[ \t]*(?:[;\n]|$))/y
/**
 * The start of the text of `a`, `i` and `c`, on the same line or after a backslash. A blank line after the backslash and text
 * that starts with a backslash would be ambiguous.
 */
const TEXT_START = /[ \t]*(?:\\\n|\\[ \t]*(?=[^\s\\])|(?=[^\s\\]))/y
const FILE_NAME = /[ \t]*([\w./@%+,:~-][\w./@%+,:~ -]*)(?=\n|$)/y

class SedReader {
  readonly reads: ShellWord[] = []
  readonly writes: ShellWord[] = []
  private at = 0
  /** Whether BSD sed reads the rest of the line as a label. Then no command may extend to the next line. */
  private isLineLabel = false
  /** Whether the last regular expression contains the delimiter in brackets, where older versions of sed would end it. */
  private hasBracketedDelimiter = false

  constructor(private readonly script: string) {}

  accepts(): boolean {
    // A trailing backslash would continue this line with the next `-e` script.
    if (this.script.endsWith('\\') || /[\r\v\f\0]/.test(this.script) || hasAmbiguousBackslash(this.script)) return false
    for (;;) {
      if (this.take(SEPARATORS)?.includes('\n')) this.isLineLabel = false
      if (this.at >= this.script.length) return true
      if (!this.readAddresses() || !this.readCommand()) return false
    }
  }

  /** Consumes a match of the pattern at the current position. */
  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const text = pattern.exec(this.script)?.[0]
    this.at += text?.length ?? 0
    return text
  }

  private get char(): string {
    return this.script[this.at] ?? ''
  }

  private readAddresses(): boolean {
    if (!this.isAddress(LINE_ADDRESS)) return true
    if (!this.readAddress(LINE_ADDRESS)) return false
    this.take(BLANKS)
    if (this.char === ',') {
      this.at += 1
      this.take(BLANKS)
      if (!this.readAddress(SECOND_LINE_ADDRESS)) return false
      this.take(BLANKS)
    }
    if (this.char === '!') this.at += 1
    this.take(BLANKS)
    return true
  }

  private isAddress(lineAddress: RegExp): boolean {
    lineAddress.lastIndex = this.at
    return this.char === '/' || this.char === '\\' || lineAddress.test(this.script)
  }

  private readAddress(lineAddress: RegExp): boolean {
    if (this.char !== '/' && this.char !== '\\') return this.take(lineAddress) !== undefined
    if (this.char === '\\') this.at += 1
    if (!this.readRegex(this.char)) return false
    this.take(REGEX_FLAGS)
    return true
  }

  /** Reads a regular expression and its closing delimiter. */
  private readRegex(delimiter: string): boolean {
    const pattern = getSedRegexPattern(delimiter)
    if (pattern === undefined) return false
    pattern.lastIndex = this.at
    const match = pattern.exec(this.script)
    this.hasBracketedDelimiter = match?.[1] !== undefined
    this.at += match?.[0].length ?? 0
    return match !== null
  }

  /** Reads text and the delimiter that ends it. Refuses `\c`, unescaped newlines and, unless `mayHaveLines` is set, escaped newlines. */
  private readReplacement(delimiter: string, mayHaveLines: boolean): boolean {
    for (let at = this.at; at < this.script.length; at += 1) {
      const char = this.script[at]
      if (char === delimiter) {
        this.at = at + 1
        return true
      }
      if (char === '\n') return false
      if (char !== '\\') continue
      at += 1
      const escapedCharacter = this.script[at]
      if (escapedCharacter === 'c' || (escapedCharacter === '\n' && !mayHaveLines)) return false
    }
    return false
  }

  private readCommand(): boolean {
    const command = this.char
    this.at += 1
    if (PLAIN_COMMANDS.has(command)) return this.endCommand()
    if (NUMBERED_COMMANDS.has(command)) return this.take(/[ \t]*\d{0,9}/y) !== undefined && this.endCommand()
    switch (command) {
      case '{':
        return true
      case '}':
        return this.endCommand()
      case '#':
        return this.readComment()
      case ':':
      case 'b':
      case 't':
      case 'T':
        return this.readLabel(command === ':')
      case 'a':
      case 'i':
      case 'c':
        return this.readText()
      case 'r':
        return this.readFileName(this.reads)
      case 'w':
        return this.readFileName(this.writes)
      case 's':
        return this.readSubstitution()
      case 'y':
        return this.readTransliteration()
      default:
        return false
    }
  }

  private endCommand(): boolean {
    const end = this.take(COMMAND_END)
    if (end?.includes('\n')) this.isLineLabel = false
    return end !== undefined
  }

  private readComment(): boolean {
    return this.take(/[^\n]*[^\n\\](?=\n|$)|(?=\n|$)/y) !== undefined
  }

  private readLabel(isDefinition: boolean): boolean {
    const label = this.take(LABEL)
    if (label === undefined || (isDefinition && (label.trim() === '' || this.char === '}'))) return false
    this.isLineLabel = true
    return true
  }

  /** Reads text up to the end of the line. A backslash at the end of a line continues the text. */
  private readText(): boolean {
    const start = this.at
    if (this.take(TEXT_START) === undefined) return false
    for (; this.at < this.script.length && this.char !== '\n'; this.at += 1) if (this.char === '\\') this.at += 1
    return !this.isLineLabel || !this.script.slice(start, this.at).includes('\n')
  }

  private readFileName(files: ShellWord[]): boolean {
    const name = this.take(FILE_NAME)?.replace(/^[ \t]+/, '')
    if (name === undefined) return false
    if (files === this.reads || !STANDARD_STREAMS.has(name)) files.push(toKnownWord(name))
    return true
  }

  private readSubstitution(): boolean {
    const delimiter = this.char
    const start = this.at
    if (!this.readRegex(delimiter) || !this.readReplacement(delimiter, !this.isLineLabel)) return false
    // Older versions end the expression inside the brackets and then fail, but they open output files first.
    if (this.hasBracketedDelimiter && mayOpenFile(this.script.slice(start), delimiter)) return false
    this.take(SUBSTITUTION_FLAGS)
    if (this.char !== 'w') return this.endCommand()
    this.at += 1
    return this.readFileName(this.writes)
  }

  private readTransliteration(): boolean {
    const delimiter = this.char
    if (getSedRegexPattern(delimiter) === undefined) return false
    const start = this.at
    this.at += 1
    if (!this.readReplacement(delimiter, false) || !this.readReplacement(delimiter, false)) return false
    // BSD sed parses brackets here as in a regular expression.
    return !this.script.slice(start, this.at).includes('[') && this.endCommand()
  }
}

/** Whether the text contains the separator, then flags, then `w`, which opens a file. */
function mayOpenFile(text: string, separator: string): boolean {
  return text.split(separator).some((segment, index) => index > 0 && /^[gpiImMe0-9]*w/.test(segment))
}
