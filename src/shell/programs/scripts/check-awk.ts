import { hasOpenBracket } from './bracket-expressions.js'
import type { ScriptVerdict } from './script-verdict.js'

/** Checks that an awk script runs no command, writes no file and makes no connection. Ambiguous scripts are refused. */
export function checkAwk(script: string): ScriptVerdict {
  return { problem: findAwkProblem(script), reads: [] }
}

function findAwkProblem(script: string): string | undefined {
  if (RUNS.test(script)) return 'has an awk script that runs commands'
  if (SELECTS_INPUT.test(script)) return 'has an awk script that selects its input'
  return new AwkReader(script).findProblem()
}

/** Calls that run commands and directives that load code. Matched against the raw text, so that quoting cannot hide them. */
const RUNS = /system[\s\\]*\(|@[\s\\]*(?:load|include|namespace)/
/** Variables that select input files, which for gawk may be network connections. */
const SELECTS_INPUT = /\bARGV\b|\bSYMTAB\b/
/** Keywords after which a slash starts a regular expression. */
const KEYWORDS = new Set(['print', 'printf', 'return', 'in', 'else', 'do', 'delete', 'case', 'exit', 'if', 'while'])
/** Tokens after which awk versions disagree on the meaning of a slash. */
const AMBIGUOUS = new Set(['++', '--', 'getline', '$', 'regex'])
/** Output targets that are not files. */
const STREAM = /^"\/dev\/(?:stdout|stderr|null)"[ \t]*(?=[;}\n]|$)/
/** Tokens after which a statement continues in the next line. */
const CONTINUES = new Set([',', '&&', '||', '?', ':', '{', '('])
const TOKEN =
  /^(?:[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|\+\+|--|&&|\|\||\|&|>>|>=|<=|==|!=|!~|\+=|-=|\*=|\^=|%=|\*\*)/

class AwkReader {
  private at = 0
  private previous = ''
  /** For each open parenthesis, whether it contains a condition. */
  private readonly parentheses: boolean[] = []
  private isPrinting = false
  private readsLines = false

  constructor(private readonly script: string) {}

  findProblem(): string | undefined {
    while (this.at < this.script.length) {
      const problem = this.readToken()
      if (problem !== undefined) return problem
    }
    return undefined
  }

  private readToken(): string | undefined {
    const char = this.script[this.at] ?? ''
    if (char === ' ' || char === '\t' || char === '\r') return this.skip(1)
    if (char === '\\') return this.readContinuation()
    if (char === '#') return this.skip(distanceTo(this.script, this.at, '\n'))
    if (char === '"') return this.readString()
    if (char === '/') return this.readSlash()
    if (char === '\n') return this.endLine()
    const token = TOKEN.exec(this.script.slice(this.at, this.at + 64))?.[0] ?? char
    return this.checkToken(token)
  }

  private readContinuation(): string | undefined {
    const length = /^\\\r?\n/.exec(this.script.slice(this.at, this.at + 3))?.[0].length
    return length === undefined ? 'has a stray backslash in an awk script' : this.skip(length)
  }

  private skip(length: number): undefined {
    this.at += length
    return undefined
  }

  private readString(): string | undefined {
    const end = findClosing(this.script, this.at + 1, '"')
    if (end === undefined) return 'has an unterminated awk string'
    this.at = end + 1
    this.previous = 'string'
    return undefined
  }

  /** A slash is a division after a value, and starts a regular expression elsewhere. */
  private readSlash(): string | undefined {
    if (AMBIGUOUS.has(this.previous)) return 'has an ambiguous slash in an awk script'
    if (isValue(this.previous)) {
      this.previous = '/'
      return this.skip(1)
    }
    const end = findClosing(this.script, this.at + 1, '/')
    if (end === undefined) return 'has an unterminated awk regular expression'
    // Some awk versions end the expression at a slash in brackets.
    if (hasOpenBracket(this.script.slice(this.at + 1, end))) return 'has an ambiguous awk regular expression'
    this.at = end + 1
    this.previous = 'regex'
    return undefined
  }

  private endLine(): undefined {
    if (!CONTINUES.has(this.previous) && this.parentheses.length === 0) this.isPrinting = false
    this.previous = '\n'
    return this.skip(1)
  }

  private checkToken(token: string): string | undefined {
    const previousToken = this.previous
    this.at += token.length
    this.previous = token
    switch (token) {
      case '|':
      case '|&':
        return 'has an awk script with a pipe'
      case '@':
        return 'has an indirect awk call'
      case '(':
        this.parentheses.push(previousToken === 'if' || previousToken === 'while' || previousToken === 'for')
        return undefined
      case ')':
        if (this.parentheses.pop() === true) this.previous = 'condition'
        return undefined
      case '<':
        return this.readsLines ? 'has an awk script that reads a file' : undefined
      case '>':
      case '>>':
        return this.checkOutputTarget()
      default:
        return this.noteStatement(token)
    }
  }

  private noteStatement(token: string): undefined {
    if (token === 'print' || token === 'printf') this.isPrinting = true
    if (token === ';' || token === '}' || token === '{') this.isPrinting = false
    if (token === 'getline') this.readsLines = true
    return undefined
  }

  /** While printing, `>` redirects the output. Elsewhere it is a comparison. */
  private checkOutputTarget(): string | undefined {
    if (!this.isPrinting) return undefined
    const target = this.script.slice(this.at, this.at + 64).replace(/^[ \t]+/, '')
    return STREAM.test(target) ? undefined : 'has an awk script that writes a file'
  }
}

function isValue(token: string): boolean {
  if (KEYWORDS.has(token)) return false
  return token !== 'condition' && /^(?:\)|\]|[A-Za-z_]\w*|\.?\d.*)$/.test(token)
}

function distanceTo(text: string, from: number, character: string): number {
  const end = text.indexOf(character, from)
  return (end === -1 ? text.length : end) - from
}

/** Returns the end of quoted text; undefined if it does not end on its line. */
function findClosing(text: string, from: number, character: string): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === character) return at
    if (text[at] === '\n') return undefined
  }
  return undefined
}
