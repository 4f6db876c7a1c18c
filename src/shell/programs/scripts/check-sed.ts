import { type ShellWord, toKnownWord } from '../../words/shell-word.js'
import { findBracketEnd } from './bracket-expressions.js'
import type { ScriptVerdict } from './script-verdict.js'

/** Checks that a sed script runs no command and writes no file. Scripts that sed versions may parse differently are refused. */
export function checkSed(script: string): ScriptVerdict {
  const reader = new SedReader(script)
  const problem = reader.findProblem()
  return { problem, reads: reader.reads }
}

const STREAMS = new Set(['/dev/stdout', '/dev/stderr'])
/** Commands without arguments. */
const PLAIN_COMMANDS = new Set([...'=dDFgGhHlnNpPqQxzL'])
const NUMBER = /\d*/y
const SPACES = /[ \t\n\r;]*/y
const LABEL = /[ \t]*[A-Za-z0-9_.-]*(?=[;}\s]|$)/y
const REGEX_FLAGS = /[IM]*/y

class SedReader {
  readonly reads: ShellWord[] = []
  private at = 0

  constructor(private readonly script: string) {}

  findProblem(): string | undefined {
    // The next `-e` script would continue this line.
    if (this.script.endsWith('\\')) return 'has an unfinished sed script'
    while (this.at < this.script.length) {
      this.take(SPACES)
      const problem = this.readAddresses() ?? this.readCommand()
      if (problem !== undefined) return problem
    }
    return undefined
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const text = pattern.exec(this.script)?.[0] ?? ''
    this.at += text.length
    return text
  }

  private get char(): string {
    return this.script[this.at] ?? ''
  }

  private readAddresses(): string | undefined {
    const problem = this.readAddress()
    if (problem !== undefined) return problem
    this.take(/[ \t]*/y)
    if (this.char === ',') {
      this.at += 1
      this.take(/[ \t]*/y)
      this.take(/[+~]?/y)
      const secondProblem = this.readAddress()
      if (secondProblem !== undefined) return secondProblem
    }
    this.take(/[ \t!]*/y)
    return undefined
  }

  private readAddress(): string | undefined {
    if (this.char === '$') this.at += 1
    else if (this.char === '/') return this.readPattern('/')
    else if (this.char === '\\') {
      this.at += 1
      return this.readPattern(this.char)
    } else this.take(/\d*(?:~\d+)?/y)
    return undefined
  }

  private readPattern(delimiter: string): string | undefined {
    const text = this.readDelimited(delimiter)
    if (text === undefined) return 'has an ambiguous sed address'
    this.take(REGEX_FLAGS)
    return undefined
  }

  /** Reads a regular expression up to the next delimiter outside of brackets. */
  private readDelimited(delimiter: string): string | undefined {
    if (delimiter === '' || /[\\\n\sA-Za-z0-9[]/.test(delimiter)) return undefined
    const start = this.at + 1
    for (let at = start; at < this.script.length; at += 1) {
      const char = this.script[at]
      if (char === '\n') return undefined
      if (char === delimiter) {
        this.at = at + 1
        return this.script.slice(start, at)
      }
      if (char === '\\') at += 1
      else if (char === '[') at = findBracketEnd(this.script, at) ?? this.script.length
    }
    return undefined
  }

  private readCommand(): string | undefined {
    const command = this.char
    if (command === '') return undefined
    this.at += 1
    if (PLAIN_COMMANDS.has(command)) return this.endCommand(NUMBER)
    if (command === '{' || command === '}') return undefined
    if (command === '#') return this.skipLine()
    if (command === ':' || command === 'b' || command === 't' || command === 'T') return this.readLabel()
    if (command === 'a' || command === 'i' || command === 'c') return this.readText()
    if (command === 'r' || command === 'R') return this.readFileName()
    if (command === 'w' || command === 'W') return this.checkOutputFile()
    if (command === 's') return this.readSubstitution()
    if (command === 'y') return this.readTransliteration()
    return `has the sed command ${command}`
  }

  private endCommand(argument: RegExp): string | undefined {
    this.take(/[ \t]*/y)
    this.take(argument)
    this.take(/[ \t\r]*/y)
    return /[;}\n#]/.test(this.char) || this.char === '' ? undefined : 'has an ambiguous sed command'
  }

  private skipLine(): undefined {
    const end = this.script.indexOf('\n', this.at)
    this.at = end === -1 ? this.script.length : end
    return undefined
  }

  private readLabel(): string | undefined {
    LABEL.lastIndex = this.at
    const label = LABEL.exec(this.script)
    if (label === null) return 'has an ambiguous sed label'
    this.at += label[0].length
    return undefined
  }

  /** Text ends with its line, unless the line ends with a backslash. */
  private readText(): undefined {
    for (; this.at < this.script.length && this.char !== '\n'; this.at += 1) if (this.char === '\\') this.at += 1
    return undefined
  }

  private readFileName(): undefined {
    const start = this.at
    this.skipLine()
    this.reads.push(toKnownWord(this.script.slice(start, this.at).trim()))
    return undefined
  }

  private checkOutputFile(): string | undefined {
    const start = this.at
    this.skipLine()
    return STREAMS.has(this.script.slice(start, this.at).trim()) ? undefined : 'has a sed script that writes a file'
  }

  private readSubstitution(): string | undefined {
    const delimiter = this.char
    if (this.readDelimited(delimiter) === undefined) return 'has an ambiguous sed substitution'
    this.at -= 1
    if (this.readReplacement(delimiter) === undefined) return 'has an ambiguous sed substitution'
    this.take(/[gpiImM0-9]*/y)
    if (this.char === 'e') return 'has a sed script that runs commands'
    if (this.char !== 'w') return this.endCommand(NUMBER)
    this.at += 1
    return this.checkOutputFile()
  }

  private readReplacement(delimiter: string): string | undefined {
    const start = this.at + 1
    for (let at = start; at < this.script.length; at += 1) {
      const char = this.script[at]
      if (char === '\\') at += 1
      else if (char === '\n') return undefined
      else if (char === delimiter) {
        this.at = at + 1
        return this.script.slice(start, at)
      }
    }
    return undefined
  }

  private readTransliteration(): string | undefined {
    const delimiter = this.char
    if (delimiter === '' || /[\\\n\sA-Za-z0-9]/.test(delimiter)) return 'has an ambiguous sed transliteration'
    if (this.readReplacement(delimiter) === undefined) return 'has an ambiguous sed transliteration'
    this.at -= 1
    if (this.readReplacement(delimiter) === undefined) return 'has an ambiguous sed transliteration'
    return this.endCommand(NUMBER)
  }
}
