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

const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs

function isNestedDeeply(json: string): boolean {
  let depth = 0
  for (const [token] of json.matchAll(STRING_OR_BRACKET)) {
    if (token === '[' || token === '{') depth++
    else if (token === ']' || token === '}') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
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
