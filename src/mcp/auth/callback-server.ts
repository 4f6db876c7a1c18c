import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { printable } from '../../shared/printable.js'
import { SignInError } from './sign-in-error.js'

const HOST = '127.0.0.1'
const PATH = '/callback'
const MAX_REASON = 200

/** What the authorisation server sends back with the person's browser. */
export interface CallbackAnswer {
  readonly code: string
  /** Who says so; checked against who was asked. */
  readonly iss?: string
}

/** Waits on this machine alone for the browser to come back. */
export class CallbackServer {
  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  /** Listens on the port, or on any free one where it is only preferred. */
  static async open({ port = 0, isFixed = false } = {}): Promise<CallbackServer> {
    const server = createServer()
    try {
      await listen(server, port)
    } catch (error) {
      if (isFixed || port === 0)
        throw new SignInError(`port ${port} cannot be listened on for the answer of the browser`, { cause: error })
      await listen(server, 0)
    }
    return new CallbackServer(server, (server.address() as AddressInfo).port)
  }

  get redirectUrl(): string {
    return `http://${HOST}:${this.port}${PATH}`
  }

  /** The first answer that carries the state; any other is turned away, since any page could send one. */
  wait(state: string, signal: AbortSignal): Promise<CallbackAnswer> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(new SignInError('nobody signed in in time'))
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) stop()
      this.server.on('request', (request, response) => {
        const answer = this.answerOf(request, state)
        if (answer === undefined) return reply(response, 400, 'This is not the answer that is waited for.')
        if (answer instanceof SignInError) {
          reply(response, 200, 'You are not signed in. You can close this page.')
          return reject(answer)
        }
        reply(response, 200, 'You are signed in. You can close this page.')
        resolve(answer)
      })
    })
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    this.server.closeAllConnections()
    await closed
  }

  private answerOf(
    { method, url = '', headers }: IncomingMessage,
    state: string,
  ): CallbackAnswer | SignInError | undefined {
    // A page of another name that leads here must not be taken for the browser that was sent away.
    if (method !== 'GET' || headers.host !== `${HOST}:${this.port}`) return undefined
    const { pathname, searchParams } = new URL(url, this.redirectUrl)
    if (pathname !== PATH || searchParams.get('state') !== state) return undefined
    const code = searchParams.get('code')
    const iss = searchParams.get('iss')
    if (code !== null && !searchParams.has('error')) return { code, ...(iss !== null && { iss }) }
    const reason = searchParams.get('error_description') ?? searchParams.get('error') ?? 'it sent no code'
    return new SignInError(`the authorisation server refused: ${printable(reason.slice(0, MAX_REASON))}`)
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`${text}\n`)
}
