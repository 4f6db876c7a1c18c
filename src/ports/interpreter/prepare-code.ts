/** Code in the two forms in which it can run. */
export interface PreparedCode {
  /** A script in which top-level `let`, `const` and `class` are `var`, so that later code can declare them again. */
  readonly script: string
  /** The same code in an async function, for a top-level `return`. Its top-level variables are copied to globals. */
  readonly wrapper: string
}

type Edit = readonly [at: number, length: number, text: string]

/** Prepares code so that its top-level variables are kept for later code. Line numbers stay the same. */
export function prepareCode(code: string): PreparedCode {
  const { edits, names } = new DeclarationFinder(code).find()
  const script = applyEdits(code, edits)
  const copies = names.map((name) => `try{globalThis.${name}=${name}}catch{}`).join('')
  return { script, wrapper: `await(async()=>{try{${script}\n}finally{${copies}}})()` }
}

function applyEdits(code: string, edits: readonly Edit[]): string {
  let result = ''
  let end = 0
  for (const [at, length, text] of edits) {
    result += code.slice(end, at) + text
    end = at + length
  }
  return result + code.slice(end)
}

const DECLARATION_KEYWORDS = new Set(['let', 'const', 'var'])
/** Tokens at the end of a line that continues on the next one. */
const CONTINUING_TOKEN = /^(?:[=,.([{:?&|+\-*%<>^]|=>)$/
const NAME = /^[\p{ID_Start}$_]/u

/** Finds the declarations at the top level of code. If the code cannot be split into tokens, it finds none. */
class DeclarationFinder {
  readonly #code: string
  readonly #edits: Edit[] = []
  readonly #names = new Set<string>()
  #previous = ''
  /** What the next name at the top level belongs to. */
  #expected: 'binding' | 'class' | 'function' | undefined
  #isDeclaration = false
  #isClassBody = false

  constructor(code: string) {
    this.#code = code
  }

  /** Returns the edits and the names of declarations. Some of the names may not be declared, so callers must check them. */
  find(): { readonly edits: readonly Edit[]; readonly names: readonly string[] } {
    const tokens = new Tokens(this.#code)
    for (let token = tokens.next(); token !== undefined; token = tokens.next()) {
      if (tokens.depth === 0) this.#visitTop(token)
      else if (this.#expected === 'binding' && NAME.test(token.text)) this.#names.add(token.text)
      this.#previous = token.text
    }
    return tokens.depth === 0 ? { edits: this.#edits, names: [...this.#names] } : { edits: [], names: [] }
  }

  #visitTop({ text, at }: Token): void {
    if (this.#isStatementStart(at)) this.#startStatement(text, at)
    else if (this.#isDeclaration && text === ',') this.#expected = 'binding'
    else if (this.#isDeclaration && text === '=') this.#expected = undefined
    if (NAME.test(text) && !DECLARATION_KEYWORDS.has(text)) this.#visitName(text, at)
    if (this.#isClassBody && text === '}') {
      this.#edits.push([at + 1, 0, ';'])
      this.#isClassBody = false
    }
  }

  #startStatement(text: string, at: number): void {
    this.#isDeclaration = DECLARATION_KEYWORDS.has(text)
    this.#expected = undefined
    if (this.#isDeclaration) this.#expected = 'binding'
    else if (text === 'class') this.#expected = 'class'
    else if (text === 'function' || text === 'async') this.#expected = 'function'
    if (text === 'let' || text === 'const') this.#edits.push([at, text.length, 'var'])
  }

  #visitName(name: string, at: number): void {
    if (this.#expected === undefined || name === 'class' || name === 'function' || name === 'async') return
    this.#names.add(name)
    if (this.#expected === 'class') {
      this.#edits.push([this.#code.lastIndexOf('class', at), 0, `var ${name}=`])
      this.#isClassBody = true
    }
    if (this.#expected !== 'binding') this.#expected = undefined
  }

  /** Whether a token can start a statement: after a semicolon, a block, or on a new line. */
  #isStatementStart(at: number): boolean {
    const previous = this.#previous
    if (previous === '' || previous === ';' || previous === '}') return true
    const lineStart = this.#code.lastIndexOf('\n', at - 1)
    const isFirstInLine = lineStart !== -1 && this.#code.slice(lineStart, at).trim() === ''
    return isFirstInLine && !CONTINUING_TOKEN.test(previous) && !DECLARATION_KEYWORDS.has(previous)
  }
}

interface Token {
  readonly text: string
  readonly at: number
}

const SPACE_OR_COMMENT = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/uy
/** A token: a string, a name or number, an arrow, or a single character. */
const TOKEN =
  /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*|\d[\w.]*|=>|[\s\S]/uy
const REGEXP = /\/(?:[^/\\\n[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/uy
/** Tokens after which a slash starts a regular expression. */
const BEFORE_VALUE =
  /^(?:|return|typeof|case|in|of|delete|void|throw|new|await|yield|do|else|instanceof|[([{},;=:!&|?+\-*%<>~^]|=>)$/

/** Splits code into tokens, without comments. A template is one token, or several if it has placeholders. */
class Tokens {
  readonly #code: string
  readonly #brackets: string[] = []
  #at = 0
  #previous = ''
  #openedBracket: string | undefined

  constructor(code: string) {
    this.#code = code
  }

  /** The number of brackets around the last token. A bracket is not inside its own pair. */
  get depth(): number {
    return this.#brackets.length
  }

  next(): Token | undefined {
    if (this.#openedBracket !== undefined) this.#brackets.push(this.#openedBracket)
    this.#openedBracket = undefined
    this.#at += this.#match(SPACE_OR_COMMENT)?.length ?? 0
    const at = this.#at
    if (at >= this.#code.length) return undefined
    const isRegExp = this.#code[at] === '/' && BEFORE_VALUE.test(this.#previous)
    const text = (isRegExp ? this.#match(REGEXP) : undefined) ?? this.#match(TOKEN) ?? ''
    this.#at += Math.max(1, text.length)
    this.#previous = text
    this.#follow(text)
    return { text, at }
  }

  #follow(text: string): void {
    const continuesTemplate = text === '}' && this.#brackets.at(-1) === TEMPLATE
    if (text === ')' || text === ']' || text === '}') this.#brackets.pop()
    if (text === '(' || text === '[' || text === '{') this.#openedBracket = text
    if (text !== '`' && !continuesTemplate) return
    this.#previous = '`'
    this.#skipTemplate()
  }

  /** Skips the text of a template up to its end or its next placeholder. */
  #skipTemplate(): void {
    while (this.#at < this.#code.length) {
      const character = this.#code[this.#at++]
      if (character === '\\') this.#at++
      else if (character === '`') return
      else if (character === '$' && this.#code[this.#at] === '{') {
        this.#at++
        this.#openedBracket = TEMPLATE
        return
      }
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#code)?.[0]
  }
}

/** Marks a placeholder of a template on the stack of open brackets. */
const TEMPLATE = '`{'
