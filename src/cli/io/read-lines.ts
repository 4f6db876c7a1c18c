/** A line of input, or why it cannot be used. */
export type InputLine =
  | { readonly number: number; readonly bytes: number; readonly text: string }
  | { readonly number: number; readonly bytes: number; readonly problem: string }

const MAX_LINE_BYTES = 128 * 1024 * 1024
const LINE_FEED = 0x0a

/**
 * Yields each line of a stream as soon as it is complete. The last line needs no line feed. A line that is too long is
 * yielded as a problem.
 */
export async function* readLines(
  input: AsyncIterable<Uint8Array | string>,
  { maxBytes = MAX_LINE_BYTES }: { readonly maxBytes?: number } = {},
): AsyncGenerator<InputLine, void> {
  const line = new LineBuffer(maxBytes)
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk)
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      line.add(bytes.subarray(start, end))
      yield line.take()
      start = end + 1
    }
    line.add(bytes.subarray(start))
  }
  if (line.length > 0) yield line.take()
}

class LineBuffer {
  readonly #maxBytes: number
  #lineNumber = 0
  #chunks: Buffer[] = []
  length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(chunk: Buffer): void {
    this.length += chunk.length
    if (this.length > this.#maxBytes) this.#chunks = []
    else if (chunk.length > 0) this.#chunks.push(chunk)
  }

  take(): InputLine {
    const bytes = this.length
    const chunks = this.#chunks
    const number = ++this.#lineNumber
    this.#chunks = []
    this.length = 0
    if (bytes > this.#maxBytes) return { number, bytes, problem: `is longer than ${this.#maxBytes} bytes` }
    try {
      return { number, bytes, text: decode(Buffer.concat(chunks)) }
    } catch {
      // Replacing invalid bytes could change the command that runs.
      return { number, bytes, problem: 'is not valid UTF-8' }
    }
  }
}

/** Removes a byte order mark and a trailing carriage return. */
function decode(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r$/, '')
}
