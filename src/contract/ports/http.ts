/** Options of one HTTP request. */
export interface HttpRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** Reads at most this many bytes of the body, after decompression. */
  readonly maxBytes?: number
  /** The time for the whole response. */
  readonly timeoutMs?: number
  /** Whether to return the part of the body that arrived in time, instead of failing. */
  readonly acceptsPartialBody?: boolean
}

/** An HTTP response. */
export interface HttpResponse {
  readonly status: number
  /** The URL that was requested: that of the call, with `https` in place of `http`. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Whether the body is longer than `maxBytes`. The bytes after that limit were not read. */
  readonly isTruncated: boolean
  /** Whether the body is incomplete because the time was over. Only with `acceptsPartialBody`. */
  readonly isTimedOut?: boolean
}

/** Options of one WebSocket connection. */
export interface WebSocketRequest {
  /** Cancels the connection until it is open. */
  readonly signal?: AbortSignal
  /** Called for each message, beginning with the first. A binary message has no text. */
  readonly onMessage: (message: WebSocketMessage) => void
}

/** A message that a server sent. */
export interface WebSocketMessage {
  readonly text?: string
  readonly bytes: number
}

/** An open WebSocket connection. */
export interface WebSocketConnection {
  /** Resolves when the connection has ended, and never rejects. */
  readonly closed: Promise<WebSocketEnd>
  close(): void
}

/** How a connection ended. */
export interface WebSocketEnd {
  /** 1000 and 1001 are normal ends; 1006 is a lost connection. */
  readonly code: number
  /** The reason that the server stated; empty if there is none. */
  readonly reason: string
}

/**
 * Sends single HTTP requests and opens WebSocket connections. Redirects are not followed. Addresses of this machine, the
 * local network and metadata services are refused, and `http` becomes `https`, `ws` becomes `wss`, except for the hosts
 * that the user's settings allow.
 */
export interface HttpPort {
  fetch(url: string, request?: HttpRequest): Promise<HttpResponse>
  /** Resolves when the connection is open. */
  openWebSocket(url: string, request: WebSocketRequest): Promise<WebSocketConnection>
}

/** The kinds of HTTP failures that callers may need to distinguish. */
export type HttpErrorCode =
  | 'invalid_url'
  /** The host has an address to which requests are not allowed. */
  | 'refused_address'
  | 'unknown_host'
  | 'timed_out'
  | 'failed'

/** A request failed before a response was complete. The message may be shown to the model. */
export class HttpError extends Error {
  override readonly name = 'HttpError'

  constructor(
    readonly code: HttpErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
