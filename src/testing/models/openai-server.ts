import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One response: a status with a body, or a stream of events and how it ends. */
export type OpenAIResponse =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly events: readonly unknown[]
      /**
       * `done` ends properly; the others omit the last line, break the connection, never end, or send the last line but
       * leave the connection open.
       */
      readonly end?: 'done' | 'plain' | 'cut' | 'never' | 'open'
      /** The number of bytes per write to the connection. Everything at once by default. */
      readonly pieceBytes?: number
    }

export interface RecordedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/**
 * A local server that returns the given responses in order, in the format of OpenAI's streams, and records the
 * requests.
 */
export class OpenAIServer {
  readonly requests: RecordedRequest[] = []
  readonly #answers: OpenAIResponse[] = []
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
        this.requests.push({ path: request.url ?? '', headers: request.headers, body })
        void respond(
          response,
          this.#answers.shift() ?? {
            status: 500,
            body: { error: { message: 'The test provides no further response: add one with respondWith().' } },
          },
        )
      })
    })
  }

  static async start(): Promise<OpenAIServer> {
    const server = new OpenAIServer()
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  respondWith(...answers: readonly OpenAIResponse[]): this {
    this.#answers.push(...answers)
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

async function respond(response: ServerResponse, answer: OpenAIResponse): Promise<void> {
  if ('status' in answer) {
    const { status, body, headers = {} } = answer
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
    response.end(isText ? body : JSON.stringify(body ?? {}))
    return
  }
  const { events, end = 'done', pieceBytes = Number.MAX_SAFE_INTEGER } = answer
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const bytes = Buffer.from(end === 'done' || end === 'open' ? `${lines}data: [DONE]\n\n` : lines)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const canWriteMore = response.write(bytes.subarray(at, at + pieceBytes))
    if (!canWriteMore) await once(response, 'drain')
    await new Promise(setImmediate)
  }
  if (end === 'cut') response.socket?.destroy()
  else if (end === 'done' || end === 'plain') response.end()
}
