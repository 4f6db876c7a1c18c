/** Deeper than data of real tools, and shallow enough for code that visits it recursively. */
const MAX_DEPTH = 100

/**
 * Parses JSON text that code in an interpreter has produced. Throws if it is nested too deeply. Keys named `__proto__` are
 * dropped, because copying such an object could change its prototype.
 */
export function parseFromCode(json: string): unknown {
  if (isNestedDeeply(json)) throw new Error(`The data is nested more than ${MAX_DEPTH} levels deep.`)
  // The key can be written with escapes.
  const mayHaveProto = json.includes('__proto__') || json.includes('\\u')
  return mayHaveProto ? JSON.parse(json, dropProto) : JSON.parse(json)
}

function dropProto(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}

/** Does not use a pattern for strings: one with millions of characters would exceed the stack. */
function isNestedDeeply(json: string): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const mark = json[at]
    if (mark === '"') at = findStringEnd(json, at)
    else if (mark === '[' || mark === '{') depth++
    else if (mark === ']' || mark === '}') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** Returns the position of the quote that ends the string at `start`: a quote after an even number of backslashes. */
function findStringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return json.length
}

const MAX_LINE_BYTES = 64 * 1024 ** 2

/** Splits a stream of bytes into lines. */
export class LineBuffer {
  readonly #onLine: (line: string) => void
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  /** Adds a chunk. Returns false if a line is too long. */
  push(chunk: Buffer): boolean {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#chunks.push(chunk.subarray(start, end))
      const line = Buffer.concat(this.#chunks).toString('utf8')
      this.#chunks = []
      this.#bytes = 0
      start = end + 1
      this.#onLine(line)
    }
    this.#chunks.push(chunk.subarray(start))
    this.#bytes += chunk.length - start
    return this.#bytes <= MAX_LINE_BYTES
  }
}
