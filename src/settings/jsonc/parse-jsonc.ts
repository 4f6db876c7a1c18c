/** A value of a settings file with its position in the text, so that an edit changes nothing else. */
export type JsoncNode = JsoncObject | JsoncArray | JsoncScalar

interface TextSpan {
  readonly start: number
  /** The offset after the last character, or where parsing stopped if the text is malformed. */
  end: number
}

export interface JsoncObject extends TextSpan {
  readonly kind: 'object'
  readonly members: JsoncMember[]
}

interface JsoncMember {
  readonly key: string
  readonly keyStart: number
  readonly value: JsoncNode
}

export interface JsoncArray extends TextSpan {
  readonly kind: 'array'
  readonly items: JsoncNode[]
}

interface JsoncScalar extends TextSpan {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
}

/** Returns the plain value of a node. */
export function toValue(node: JsoncNode): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.items.map(toValue)
  // fromEntries defines own properties: assigning `__proto__` would change the prototype.
  return Object.fromEntries(node.members.map(({ key, value }) => [key, toValue(value)]))
}

/** Returns the node at a path, or the deepest existing node on the way to it. */
export function findNearestNode(root: JsoncNode, path: readonly PropertyKey[]): JsoncNode {
  let node = root
  for (const step of path) {
    const child = findChildAt(node, step)
    if (child === undefined) return node
    node = child
  }
  return node
}

export function findChildAt(node: JsoncNode, step: PropertyKey): JsoncNode | undefined {
  if (node.kind === 'object') return node.members.findLast(({ key }) => key === step)?.value
  if (node.kind === 'array') return node.items[Number(step)]
  return undefined
}

interface JsoncFault {
  readonly offset: number
  readonly message: string
}

export interface ParsedJsonc {
  /** The whole value, or everything parsed before a fault. */
  readonly root?: JsoncNode
  /** A syntax error, or the first duplicate key. After a syntax error `root` is incomplete. */
  readonly fault?: JsoncFault
}

/** Deeper than any real settings file, and far below the limit of the call stack. */
const MAX_DEPTH = 64
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these in a string
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const KEYWORD = /true|false|null/y

/** Parses JSON with comments and trailing commas. Never throws: returns a fault, and everything that was parsed before it. */
export function parseJsonc(text: string): ParsedJsonc {
  const reader = new JsoncReader(text)
  let root: JsoncNode | undefined
  try {
    reader.readValue(0, (node) => {
      root = node
    })
    reader.expectEnd()
  } catch (error) {
    if (!(error instanceof JsoncSyntaxError)) throw error
    return { ...(root && { root }), fault: { offset: error.offset, message: error.message } }
  }
  return { ...(root && { root }), ...(reader.duplicateFault && { fault: reader.duplicateFault }) }
}

class JsoncSyntaxError extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message)
  }
}

class JsoncReader {
  /** The second of two equal keys would hide the first, which could be a deny list. */
  duplicateFault: JsoncFault | undefined
  private at = 0

  constructor(private readonly text: string) {
    if (text.startsWith('\uFEFF')) this.at = 1
  }

  /** Reads a value. Attaches a container before filling it, so that its first members are kept if a later one is malformed. */
  readValue(depth: number, attachNode: (node: JsoncNode) => void): void {
    const char = this.peek()
    if (depth > MAX_DEPTH) this.fail(`nested more than ${MAX_DEPTH} levels deep`)
    if (char === '{') this.readObject(depth, attachNode)
    else if (char === '[') this.readArray(depth, attachNode)
    else attachNode(this.readScalar(char))
  }

  expectEnd(): void {
    if (this.peek() !== '') this.fail('unexpected text after the end')
  }

  private readObject(depth: number, attachNode: (node: JsoncNode) => void): void {
    const node: JsoncObject = { kind: 'object', start: this.at, end: ++this.at, members: [] }
    attachNode(node)
    const seenKeys = new Set<string>()
    while (this.peek() !== '}') {
      const keyStart = this.at
      const key = this.readString('a key in double quotes')
      if (seenKeys.has(key))
        this.duplicateFault ??= { offset: keyStart, message: `duplicate key ${JSON.stringify(key)}` }
      seenKeys.add(key)
      if (this.peek() !== ':') this.fail("expected ':' after a key")
      this.at++
      this.readValue(depth + 1, (value) => node.members.push({ key, keyStart, value }))
      if (this.skipCommaUnlessAtEnd(node, '}')) break
    }
    node.end = ++this.at
  }

  private readArray(depth: number, attachNode: (node: JsoncNode) => void): void {
    const node: JsoncArray = { kind: 'array', start: this.at, end: ++this.at, items: [] }
    attachNode(node)
    while (this.peek() !== ']') {
      this.readValue(depth + 1, (item) => node.items.push(item))
      if (this.skipCommaUnlessAtEnd(node, ']')) break
    }
    node.end = ++this.at
  }

  /** Returns true at the closing character. Otherwise moves past a comma and returns false. */
  private skipCommaUnlessAtEnd(node: JsoncNode, closingMark: string): boolean {
    node.end = this.at
    const char = this.peek()
    if (char === closingMark) return true
    if (char !== ',') this.fail(`expected ',' or '${closingMark}'`)
    this.at++
    return false
  }

  private readScalar(char: string): JsoncNode {
    const start = this.at
    if (char === '"') return { kind: 'scalar', start, value: this.readString('a string'), end: this.at }
    const word = this.match(KEYWORD)
    if (word !== undefined) return { kind: 'scalar', start, end: this.at, value: JSON.parse(word) }
    const digits = this.match(NUMBER)
    if (digits !== undefined) return { kind: 'scalar', start, end: this.at, value: Number(digits) }
    return this.fail('expected a value')
  }

  private readString(expected: string): string {
    const start = this.at
    const literal = this.match(STRING)
    if (literal !== undefined) return JSON.parse(literal)
    this.at = start
    return this.fail(this.text[start] === '"' ? 'unclosed string or invalid escape' : `expected ${expected}`)
  }

  /** Returns the next character that is not white space or a comment; empty at the end of the text. */
  private peek(): string {
    const nextOffset = skipTrivia(this.text, this.at)
    if (nextOffset === undefined) this.fail('unclosed comment')
    this.at = nextOffset
    return this.text[this.at] ?? ''
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const matchedText = pattern.exec(this.text)?.[0]
    this.at += matchedText?.length ?? 0
    return matchedText
  }

  private fail(message: string): never {
    throw new JsoncSyntaxError(this.at, message)
  }
}

const WHITE_SPACE = new Set([' ', '\t', '\n', '\r'])

/** Returns the offset of the next character that is not white space or a comment; undefined if a comment is not closed. */
export function skipTrivia(text: string, from: number): number | undefined {
  let at = from
  for (;;) {
    if (WHITE_SPACE.has(text[at] ?? '')) at++
    else if (text.startsWith('//', at)) at = findLineEnd(text, at)
    else if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2)
      if (close === -1) return undefined
      at = close + 2
    } else return at
  }
}

/** Returns the offset of the next line break, or of the end of the text. */
function findLineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '\n' || text[at] === '\r') return at
  return text.length
}

export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** Returns the line and column of an offset, both counted from 1 as in editors. */
export function toTextPosition(text: string, offset: number): TextPosition {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}
