import type { Duplex } from 'node:stream'
import { type Dispatcher, WebSocket } from 'undici'
import {
  HttpError,
  type WebSocketConnection,
  type WebSocketEnd,
  type WebSocketRequest,
} from '../../contract/ports/http.js'
import { toHttpError } from './to-http-error.js'

const OPEN_TIMEOUT_MS = 30_000
const LOST_CONNECTION: WebSocketEnd = { code: 1006, reason: '' }

/** Opens a connection to a URL that was checked. The dispatcher checks the address that it connects to. */
export async function openWebSocket(
  url: URL,
  { signal, onMessage }: WebSocketRequest,
  dispatcher: Dispatcher,
): Promise<WebSocketConnection> {
  signal?.throwIfAborted()
  const handshake = new Handshake()
  const socket = new WebSocket(url, { dispatcher: dispatcher.compose(handshake.intercept) })
  socket.binaryType = 'arraybuffer'
  socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
    if (typeof data === 'string') onMessage({ text: data, bytes: Buffer.byteLength(data) })
    else if (data instanceof ArrayBuffer) onMessage({ bytes: data.byteLength })
  })
  const closed = new Promise<WebSocketEnd>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
    // The end of a connection that is closed here must not depend on the answer of the server.
    handshake.onDestroyed = () => resolve(LOST_CONNECTION)
  })
  const close = () => {
    socket.close()
    handshake.destroy()
  }
  await waitUntilOpen(socket, url, { signal, handshake, close })
  return { closed, close }
}

async function waitUntilOpen(
  socket: WebSocket,
  url: URL,
  options: { readonly signal: AbortSignal | undefined; readonly handshake: Handshake; readonly close: () => void },
): Promise<void> {
  const { signal, handshake, close } = options
  const timeout = AbortSignal.timeout(OPEN_TIMEOUT_MS)
  const cancelled = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.addEventListener('open', () => resolve(true))
    socket.addEventListener('error', () => resolve(false))
    socket.addEventListener('close', () => resolve(false))
    cancelled.addEventListener('abort', () => resolve(false))
  })
  if (isOpen) return
  close()
  if (signal?.aborted) throw signal.reason
  if (timeout.aborted)
    throw new HttpError('timed_out', `${url.host} did not open the connection within ${OPEN_TIMEOUT_MS / 1000} s.`)
  throw handshake.explainFailure(url)
}

/** Observes the request that opens a connection, because the WebSocket itself reports neither an error nor its socket. */
class Handshake {
  onDestroyed: () => void = () => undefined
  #socket: Duplex | undefined
  #error: unknown
  #status: number | undefined

  readonly intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
    dispatch(options, this.#observe(handler))

  /** Ends the connection without waiting for the server. */
  destroy(): void {
    this.#socket?.destroy()
    this.onDestroyed()
  }

  explainFailure(url: URL): HttpError {
    if (this.#error !== undefined) return toHttpError(this.#error, url)
    const answer = this.#status === undefined ? '' : ` It answered with status ${this.#status}.`
    return new HttpError('failed', `${url.host} did not accept a WebSocket connection.${answer} Check the URL.`)
  }

  #observe(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onRequestUpgrade: (controller, status, headers, socket) => {
        this.#socket = socket
        handler.onRequestUpgrade?.(controller, status, headers, socket)
      },
      onResponseStart: (controller, status, ...rest) => {
        this.#status = status
        handler.onResponseStart?.(controller, status, ...rest)
      },
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (controller, error) => {
        this.#error = error
        handler.onResponseError?.(controller, error)
      },
    }
  }
}
