/** Where and why a text is not valid JSON. */
export interface JsonProblem {
  /** The index of the first character that does not fit; the length of the text if it ends too early. */
  readonly offset: number
  /** Without the place, for example `expected a value`. */
  readonly reason: string
}

const END = 'the end of the text'
const VALUE = 'a value'
const FIRST_ITEM = 'a value or "]"'
const NAME = 'a property name in double quotes'
const FIRST_NAME = `${NAME} or "}"`
const COLON = '":"'

const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/**
 * Finds the first place where a text is not valid JSON; undefined if it is valid. The messages of engines differ, and often
 * lack the place.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const reader = new JsonReader(text)
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const token = reader.readToken(at)
    if (typeof token !== 'number') return token
    at = skipSpace(text, token)
  }
  const { expected } = reader
  return expected === END ? undefined : { offset: text.length, reason: `the text ends, expected ${expected}` }
}

class JsonReader {
  expected = VALUE
  readonly #text: string
  /** The brackets that close the open lists and objects. */
  readonly #closers: string[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** Reads the token at an offset. Returns the offset of its end. */
  readToken(at: number): number | JsonProblem {
    const char = this.#text.charAt(at)
    if (char === '"' && (this.#expectsValue || this.#expectsName)) return this.#readString(at)
    const isRead = this.#open(char) || this.#close(char) || this.#separate(char)
    if (isRead) return at + 1
    const end = this.#expectsValue ? matchAt(SCALAR, this.#text, at) : undefined
    if (end === undefined) return { offset: at, reason: `expected ${this.expected}` }
    this.expected = this.#nextAfterValue
    return end
  }

  get #expectsValue(): boolean {
    return this.expected === VALUE || this.expected === FIRST_ITEM
  }

  get #expectsName(): boolean {
    return this.expected === NAME || this.expected === FIRST_NAME
  }

  get #nextAfterValue(): string {
    const closer = this.#closers.at(-1)
    return closer === undefined ? END : `"," or "${closer}"`
  }

  #readString(at: number): number | JsonProblem {
    const string = readString(this.#text, at)
    if ('reason' in string) return string
    this.expected = this.#expectsValue ? this.#nextAfterValue : COLON
    return string.end
  }

  #open(char: string): boolean {
    if (!this.#expectsValue || (char !== '{' && char !== '[')) return false
    this.#closers.push(char === '{' ? '}' : ']')
    this.expected = char === '{' ? FIRST_NAME : FIRST_ITEM
    return true
  }

  #close(char: string): boolean {
    const canClose = [FIRST_ITEM, FIRST_NAME, this.#nextAfterValue].includes(this.expected)
    if (char !== this.#closers.at(-1) || !canClose) return false
    this.#closers.pop()
    this.expected = this.#nextAfterValue
    return true
  }

  #separate(char: string): boolean {
    const isColon = char === ':' && this.expected === COLON
    const isComma = char === ',' && this.#closers.length > 0 && this.expected === this.#nextAfterValue
    if (isComma && this.#closers.at(-1) === '}') this.expected = NAME
    else if (isComma || isColon) this.expected = VALUE
    return isComma || isColon
  }
}

function readString(text: string, start: number): { readonly end: number } | JsonProblem {
  for (let at = start + 1; at < text.length; ) {
    const char = text.charAt(at)
    if (char === '"') return { end: at + 1 }
    if (char < ' ')
      return { offset: at, reason: `a string contains ${JSON.stringify(char).slice(1, -1)} without a backslash` }
    const end = char === '\\' ? matchAt(ESCAPE, text, at) : at + 1
    if (end === undefined && at < text.length - 1) return { offset: at, reason: 'a string contains an invalid escape' }
    at = end ?? text.length
  }
  return { offset: text.length, reason: 'the text ends inside a string' }
}

function matchAt(expression: RegExp, text: string, at: number): number | undefined {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : undefined
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at++
  return at
}
