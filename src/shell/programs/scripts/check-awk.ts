import { hasOpenBracket } from './bracket-expressions.js'
import type { ScriptVerdict } from './script-verdict.js'

/** Whether an awk program neither runs, writes nor connects. What is ambiguous to a reader is refused. */
export function checkAwk(script: string): ScriptVerdict {
  return { problem: problemIn(script), reads: [] }
}

function problemIn(script: string): string | undefined {
  if (RUNS.test(script)) return 'an awk program that runs commands'
  if (CHOOSES_INPUT.test(script)) return 'an awk program that chooses its input'
  return new AwkReader(script).findProblem()
}

/** Looked for in the bare text, so that no trick with quotes can hide it. */
const RUNS = /system[\s\\]*\(|@[\s\\]*(?:load|include|namespace)/
/** By these a program chooses what it reads, which for gawk may be another machine. */
const CHOOSES_INPUT = /\bARGV\b|\bSYMTAB\b/
/** Words behind which a slash starts a regular expression. */
const KEYWORDS = new Set(['print', 'printf', 'return', 'in', 'else', 'do', 'delete', 'case', 'exit', 'if', 'while'])
/** Behind these, programs may not agree on what a slash is. */
const AMBIGUOUS = new Set(['++', '--', 'getline', '$', 'regex'])
/** Where output goes that is no file. */
const STREAM = /^"\/dev\/(?:stdout|stderr|null)"[ \t]*(?=[;}\n]|$)/
/** Behind these a statement goes on in the next line. */
const CONTINUES = new Set([',', '&&', '||', '?', ':', '{', '('])
const TOKEN =
  /^(?:[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|\+\+|--|&&|\|\||\|&|>>|>=|<=|==|!=|!~|\+=|-=|\*=|\^=|%=|\*\*)/

class AwkReader {
  private at = 0
  private previous = ''
  /** For each open parenthesis, whether a condition stands in it. */
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
    if (char === '#') return this.skip(lengthTo(this.script, this.at, '\n'))
    if (char === '"') return this.readString()
    if (char === '/') return this.readSlash()
    if (char === '\n') return this.endLine()
    const token = TOKEN.exec(this.script.slice(this.at, this.at + 64))?.[0] ?? char
    return this.judge(token)
  }

  private readContinuation(): string | undefined {
    const length = /^\\\r?\n/.exec(this.script.slice(this.at, this.at + 3))?.[0].length
    return length === undefined ? 'a stray backslash' : this.skip(length)
  }

  private skip(length: number): undefined {
    this.at += length
    return undefined
  }

  private readString(): string | undefined {
    const end = closing(this.script, this.at + 1, '"')
    if (end === undefined) return 'a string that does not end'
    this.at = end + 1
    this.previous = 'string'
    return undefined
  }

  /** A slash divides behind a value, and starts a regular expression elsewhere. */
  private readSlash(): string | undefined {
    if (AMBIGUOUS.has(this.previous)) return 'an ambiguous slash'
    if (isValue(this.previous)) {
      this.previous = '/'
      return this.skip(1)
    }
    const end = closing(this.script, this.at + 1, '/')
    if (end === undefined) return 'a regular expression that does not end'
    // Some programs end the expression at a slash in brackets, others do not.
    if (hasOpenBracket(this.script.slice(this.at + 1, end))) return 'an ambiguous regular expression'
    this.at = end + 1
    this.previous = 'regex'
    return undefined
  }

  private endLine(): undefined {
    if (!CONTINUES.has(this.previous) && this.parentheses.length === 0) this.isPrinting = false
    this.previous = '\n'
    return this.skip(1)
  }

  private judge(token: string): string | undefined {
    const before = this.previous
    this.at += token.length
    this.previous = token
    switch (token) {
      case '|':
      case '|&':
        return 'an awk program with a pipe'
      case '@':
        return 'an indirect call'
      case '(':
        this.parentheses.push(before === 'if' || before === 'while' || before === 'for')
        return undefined
      case ')':
        if (this.parentheses.pop() === true) this.previous = 'condition'
        return undefined
      case '<':
        return this.readsLines ? 'an awk program that reads a file' : undefined
      case '>':
      case '>>':
        return this.judgeGreater()
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

  private judgeGreater(): string | undefined {
    if (!this.isPrinting) return undefined
    const target = this.script.slice(this.at, this.at + 64).replace(/^[ \t]+/, '')
    return STREAM.test(target) ? undefined : 'an awk program that writes a file'
  }
}

function isValue(token: string): boolean {
  if (KEYWORDS.has(token)) return false
  return token !== 'condition' && /^(?:\)|\]|[A-Za-z_]\w*|\.?\d.*)$/.test(token)
}

function lengthTo(text: string, from: number, mark: string): number {
  const end = text.indexOf(mark, from)
  return (end === -1 ? text.length : end) - from
}

/** Where a quoted text ends; none where it does not, or not on its line. */
function closing(text: string, from: number, mark: string): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === mark) return at
    if (text[at] === '\n') return undefined
  }
  return undefined
}
