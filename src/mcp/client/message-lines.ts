const NEWLINE = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const TAB = 9
const OPEN_BRACE = 123
const OPEN_BRACKET = 91

export interface MessageLinesOptions {
  /** The longest line that is kept. */
  readonly maxBytes: number
  readonly onLine: (line: string) => void
  /** Bytes of lines that cannot be messages; they are not kept. */
  readonly onRubbish: (bytes: number) => void
  readonly onTooLong: () => void
}

/** Cuts a stream into lines. A line that does not begin as JSON does is passed over as it comes, so that rubbish costs no memory. */
export class MessageLines {
  readonly #options: MessageLinesOptions
  #parts: Buffer[] = []
  #length = 0
  /** Of the line under way: nothing seen yet, maybe a message, or not one. */
  #kind: 'new' | 'message' | 'rubbish' = 'new'

  constructor(options: MessageLinesOptions) {
    this.#options = options
  }

  take(chunk: Buffer): void {
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start)
      const part = chunk.subarray(start, end === -1 ? chunk.length : end)
      this.#takePart(part)
      if (end === -1) return
      this.#endLine()
      start = end + 1
    }
  }

  #takePart(part: Buffer): void {
    const begin = this.#kind === 'new' ? firstVisible(part) : 0
    if (begin === part.length) return
    if (this.#kind === 'new') this.#kind = begins(part[begin]) ? 'message' : 'rubbish'
    const rest = part.subarray(begin)
    if (this.#kind === 'rubbish') {
      this.#options.onRubbish(rest.length)
      return
    }
    this.#length += rest.length
    if (this.#length <= this.#options.maxBytes) {
      this.#parts.push(rest)
      return
    }
    this.#reset('rubbish')
    this.#options.onTooLong()
  }

  #endLine(): void {
    const parts = this.#parts
    const isMessage = this.#kind === 'message'
    this.#reset('new')
    if (!isMessage) return
    const [only] = parts
    this.#options.onLine((parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)).toString('utf8'))
  }

  #reset(kind: 'new' | 'rubbish'): void {
    this.#parts = []
    this.#length = 0
    this.#kind = kind
  }
}

function firstVisible(part: Buffer): number {
  let index = 0
  while (index < part.length && isBlank(part[index])) index++
  return index
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN
}

function begins(byte: number | undefined): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET
}
