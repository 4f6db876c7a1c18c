import { type ShellWord, toKnownWord } from '../../words/shell-word.js'
import { type AwkToken, RESERVED_NAMES, splitAwk } from './awk-lexer.js'
import type { ScriptVerdict } from './script-verdict.js'

/**
 * Accepts awk programs without pipes, commands and computed file names. The precedence of operators is not parsed, because it
 * affects only the computed values. For any other program, the verdict has a problem.
 */
export function checkAwk(script: string): ScriptVerdict {
  const tokens = splitAwk(script)
  const parser = new AwkParser(tokens ?? [])
  const isAccepted = tokens !== undefined && parser.acceptsProgram()
  const { reads, writes } = parser
  if (!isAccepted) return { problem: 'has an awk script that is not known to be harmless', mayRun: true, reads, writes }
  const problem = parser.hasComputedOutput ? 'has an awk script that writes a file with a computed name' : undefined
  return { problem, mayRun: false, reads, writes }
}

const toSet = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Built-in functions that only compute. An implementation that lacks one reports an undefined function. */
const KNOWN_FUNCTIONS = toSet(
  'and asort asorti atan2 compl cos exp gensub gsub index int isarray length log lshift match mktime or patsplit rand ' +
    'rshift sin split sprintf sqrt srand strftime strtonum sub substr systime tolower toupper typeof xor',
)
/** Functions whose third argument names a function to call. */
const SORT_FUNCTIONS = toSet('asort asorti')
/** Variables that select input files, refer to other variables, or are number formats. */
const SPECIAL_VARIABLES = toSet('ARGV ARGC ENVIRON SYMTAB FUNCTAB PROCINFO OFMT CONVFMT')
const STANDARD_STREAMS = toSet('/dev/stdout /dev/stderr /dev/null')
const BINARY_OPERATORS = toSet('+ - * / % ^ < <= == != >= ~ !~ && || ? : = += -= *= /= %= ^=')
const PREFIX_OPERATORS = toSet('! - + ++ -- $')
const NUMBER_FORMAT = /^%\d{0,2}(?:\.\d{1,2})?[defg]$/
/** Excluded: names with escapes, and network addresses of gawk such as `/inet/tcp/0/host/80`. */
const FILE_NAME = /^(?!\/inet)[^\\]+$/
const MAX_DEPTH = 100
const END: AwkToken = { kind: 'end', text: '', isSeparate: false }

class AwkParser {
  readonly reads: ShellWord[] = []
  readonly writes: ShellWord[] = []
  /** Whether the program writes files whose names are known only at run time. */
  hasComputedOutput = false
  private at = 0
  private depth = 0
  private readonly functions = new Set<string>()

  constructor(private readonly tokens: readonly AwkToken[]) {}

  acceptsProgram(): boolean {
    this.collectFunctions()
    for (;;) {
      this.skipLines(true)
      if (this.token.kind === 'end') return true
      if (!this.readItem()) return false
    }
  }

  private get token(): AwkToken {
    return this.tokens[this.at] ?? END
  }

  private isNext(text: string): boolean {
    return this.token.text === text && (this.token.kind === 'operator' || this.token.kind === 'name')
  }

  private take(text: string): boolean {
    const isNext = this.isNext(text)
    if (isNext) this.at += 1
    return isNext
  }

  private takeKind(kind: AwkToken['kind']): string | undefined {
    const { token } = this
    if (token.kind !== kind) return undefined
    this.at += 1
    return token.text
  }

  private skipLines(skipsSemicolons = false): true {
    while (this.token.kind === 'newline' || (skipsSemicolons && this.isNext(';'))) this.at += 1
    return true
  }

  private collectFunctions(): void {
    for (const [index, { kind, text }] of this.tokens.entries()) {
      const name = this.tokens[index + 1]
      if (kind === 'name' && text === 'function' && name?.kind === 'name') this.functions.add(name.text)
    }
  }

  private readItem(): boolean {
    if (this.take('function')) return this.readFunction()
    if (this.take('BEGIN') || this.take('END')) return this.readBlock()
    if (this.isNext('{')) return this.readBlock()
    if (!this.readExpression(false)) return false
    if (this.take(',') && !(this.skipLines() && this.readExpression(false))) return false
    return this.isNext('{') ? this.readBlock() : this.endStatement()
  }

  private readFunction(): boolean {
    if (!this.takeVariable() || !this.take('(')) return false
    while (!this.take(')')) if (!this.takeVariable() || !(this.take(',') || this.isNext(')'))) return false
    return this.skipLines() && this.readBlock()
  }

  private takeVariable(): boolean {
    const { kind, text } = this.token
    if (kind !== 'name' || RESERVED_NAMES.has(text) || SPECIAL_VARIABLES.has(text)) return false
    this.at += 1
    return true
  }

  private readBlock(): boolean {
    if (!this.take('{') || this.depth >= MAX_DEPTH) return false
    this.depth += 1
    for (;;) {
      this.skipLines(true)
      if (this.take('}')) break
      if (!this.readStatement()) return false
    }
    this.depth -= 1
    return true
  }

  /** Reads the end of a statement: a newline, a semicolon, or a closing brace, which is not consumed. */
  private endStatement(): boolean {
    if (this.token.kind === 'newline' || this.isNext(';')) this.at += 1
    else return this.isNext('}') || this.token.kind === 'end'
    return true
  }

  private readStatement(): boolean {
    if (this.isNext('{')) return this.readBlock()
    if (this.token.kind === 'name') {
      switch (this.token.text) {
        case 'if':
          return this.readIf()
        case 'while':
          this.at += 1
          return this.readCondition() && this.readBody()
        case 'do':
          return this.readDo()
        case 'for':
          return this.readFor()
        case 'next':
        case 'nextfile':
        case 'break':
        case 'continue':
          this.at += 1
          return this.endStatement()
        case 'exit':
        case 'return':
          this.at += 1
          return this.endStatement() || (this.readExpression(false) && this.endStatement())
        case 'print':
        case 'printf':
          return this.readPrint()
      }
    }
    return this.readSimpleStatement() && this.endStatement()
  }

  /** Reads the body of `if` or a loop, which may be on the next line or be an empty statement. */
  private readBody(): boolean {
    if (this.depth >= MAX_DEPTH) return false
    this.depth += 1
    const isRead = this.skipLines() && (this.take(';') || this.readStatement())
    this.depth -= 1
    return isRead
  }

  private readCondition(): boolean {
    if (!this.take('(')) return false
    return (this.take('getline') ? this.readInput() : this.readExpression(false)) && this.take(')')
  }

  private readIf(): boolean {
    this.at += 1
    if (!this.readCondition() || !this.readBody()) return false
    const end = this.at
    this.skipLines()
    if (this.take('else')) return this.readBody()
    this.at = end
    return true
  }

  private readDo(): boolean {
    this.at += 1
    return this.readBody() && this.skipLines() && this.take('while') && this.readCondition() && this.endStatement()
  }

  private readFor(): boolean {
    this.at += 1
    if (!this.take('(')) return false
    const start = this.at
    if (this.takeVariable() && this.take('in') && this.takeVariable() && this.take(')')) return this.readBody()
    this.at = start
    if (!this.take(';') && !(this.readSimpleStatement() && this.take(';'))) return false
    if (!this.take(';') && !(this.readExpression(false) && this.take(';'))) return false
    if (!this.take(')') && !(this.readSimpleStatement() && this.take(')'))) return false
    return this.readBody()
  }

  private readSimpleStatement(): boolean {
    if (this.take('delete')) return this.takeVariable() && this.readSubscript(false)
    if (this.take('getline')) {
      this.takeVariable()
      return this.token.kind === 'newline' || this.isNext(';') || this.isNext('}')
    }
    return this.readSetting() ?? this.readExpression(false)
  }

  /** Reads an assignment to a special variable. Returns undefined if the statement is not one. */
  private readSetting(): boolean | undefined {
    if (this.take('PROCINFO')) {
      if (!this.take('[') || this.takeKind('string') !== 'sorted_in' || !this.take(']') || !this.take('=')) return false
      return /^@[a-z_]+$/.test(this.takeKind('string') ?? '') && this.isAtEnd()
    }
    if (!this.take('OFMT') && !this.take('CONVFMT')) return undefined
    return this.take('=') && NUMBER_FORMAT.test(this.takeKind('string') ?? '') && this.isAtEnd()
  }

  private isAtEnd(): boolean {
    return this.token.kind === 'newline' || this.isNext(';') || this.isNext('}') || this.isNext(')')
  }

  private readPrint(): boolean {
    this.at += 1
    const isEmpty = this.isAtEnd() || this.isNext('>') || this.isNext('>>')
    if (!isEmpty && !this.readList(true)) return false
    if ((this.take('>') || this.take('>>')) && !this.readOutput()) return false
    return this.endStatement()
  }

  private readOutput(): boolean {
    const start = this.at
    const file = this.token
    if (!this.readExpression(true)) return false
    const isLiteral = this.at === start + 1 && file.kind === 'string' && FILE_NAME.test(file.text)
    if (!isLiteral) this.hasComputedOutput = true
    else if (!STANDARD_STREAMS.has(file.text)) this.writes.push(toKnownWord(file.text))
    return true
  }

  private readList(isPrinted: boolean): boolean {
    do {
      this.skipLines()
      if (!this.readExpression(isPrinted)) return false
    } while (this.take(','))
    return true
  }

  /** Reads operands and operators. In the list of `print`, `>` outside of parentheses redirects the output. */
  private readExpression(isPrinted: boolean): boolean {
    if (this.depth >= MAX_DEPTH) return false
    this.depth += 1
    const isRead = this.readOperands(isPrinted)
    this.depth -= 1
    return isRead
  }

  private readOperands(isPrinted: boolean): boolean {
    do {
      if (!this.readOperand(isPrinted)) return false
      while (this.take('in')) if (!this.takeVariable()) return false
    } while (this.takeOperator(isPrinted) || this.startsConcatenation())
    return true
  }

  private takeOperator(isPrinted: boolean): boolean {
    const { kind, text } = this.token
    if (kind !== 'operator' || !(BINARY_OPERATORS.has(text) || (text === '>' && !isPrinted))) return false
    this.at += 1
    if (text === '&&' || text === '||') this.skipLines()
    return true
  }

  private startsConcatenation(): boolean {
    const { kind, text } = this.token
    if (kind === 'operator') return text === '$' || text === '('
    if (kind === 'name') return KNOWN_FUNCTIONS.has(text) || !RESERVED_NAMES.has(text)
    return kind === 'number' || kind === 'string'
  }

  private readOperand(isPrinted: boolean): boolean {
    while (this.token.kind === 'operator' && PREFIX_OPERATORS.has(this.token.text)) this.at += 1
    const { kind, text } = this.token
    if (kind === 'number' || kind === 'string' || kind === 'regex') {
      this.at += 1
      return true
    }
    if (text === '(' && kind === 'operator') {
      this.at += 1
      return (this.take('getline') ? this.readInput() : this.readList(false)) && this.take(')')
    }
    return kind === 'name' && this.readNamed(text, isPrinted)
  }

  /** Reads a call or a variable with its subscripts. */
  private readNamed(name: string, isPrinted: boolean): boolean {
    if (name === 'ARGV') return this.readArgument()
    if (KNOWN_FUNCTIONS.has(name)) return this.readBuiltinCall(name)
    if (name === 'fflush') {
      this.at += 1
      return this.readArguments() === 0
    }
    const isFunction = this.functions.has(name)
    if (!this.takeVariable() || (this.isNext('(') && !this.token.isSeparate) !== isFunction) return false
    if (isFunction) return this.readArguments() !== undefined
    return this.readSubscript(isPrinted) && this.skipPostfix()
  }

  private skipPostfix(): true {
    if (!this.take('++')) this.take('--')
    return true
  }

  private readSubscript(isPrinted: boolean): boolean {
    while (this.take('[')) if (!this.readList(isPrinted) || !this.take(']')) return false
    return true
  }

  /** Reads `(getline line < "file")`, or `getline` without a file, which reads the input. A comparison may follow. */
  private readInput(): boolean {
    this.takeVariable()
    if (this.take('<')) {
      const file = this.takeKind('string')
      if (file === undefined || !FILE_NAME.test(file)) return false
      if (file !== '-') this.reads.push(toKnownWord(file))
      return this.isNext(')')
    }
    if (this.take('>') || this.take('==') || this.take('!=')) return this.takeKind('number') !== undefined
    return true
  }

  /** Accepts `ARGV[1]` only in a comparison: an assignment would select another input file. */
  private readArgument(): boolean {
    const previousToken = this.tokens[this.at - 1]?.text
    if (previousToken === '++' || previousToken === '--') return false
    this.at += 1
    if (!this.take('[') || this.takeKind('number') === undefined || !this.take(']')) return false
    if (this.isNext('==') || this.isNext('!=')) return true
    const isCompared = previousToken === '==' || previousToken === '!='
    return isCompared && (this.isAtEnd() || this.isNext('{') || this.isNext('&&') || this.isNext('||'))
  }

  private readBuiltinCall(name: string): boolean {
    this.at += 1
    if (name === 'length' && !this.isNext('(')) return !this.startsConcatenation()
    const count = this.readArguments()
    return count !== undefined && !(SORT_FUNCTIONS.has(name) && count > 2)
  }

  /** Returns the number of arguments; undefined if they are outside of the grammar. */
  private readArguments(): number | undefined {
    if (!this.take('(')) return undefined
    for (let count = 1; ; count += 1) {
      if (count === 1 && this.take(')')) return 0
      this.skipLines()
      if (!this.readExpression(false)) return undefined
      if (this.take(')')) return count
      if (!this.take(',')) return undefined
    }
  }
}
