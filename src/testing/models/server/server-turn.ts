/** One response of the server. It uses no timers: a response that must wait uses a gate, which is a promise. */
export interface ServerTurn {
  /** The server sends nothing before this gate opens. */
  readonly gate?: Promise<unknown>
  readonly parts?: readonly ServerPart[]
  /** Defaults to `tool_use` if there are calls and to `end_turn` otherwise. */
  readonly stopReason?: string
  readonly usage?: Readonly<Record<string, number>>
  /** In characters: texts, thinking and JSON are split into pieces of this size. Not split by default. */
  readonly pieceSize?: number
  /** In bytes: the size of each write to the connection, even if that splits a line or a character. */
  readonly chunkSize?: number
  readonly encoding?: 'gzip' | 'br'
  /** The connection is closed after this many bytes of the response. */
  readonly cutAfter?: number
  /** Whether the events that end a message are omitted. */
  readonly isUnfinished?: boolean
  /** Sends a plain response with this status instead of a stream. The body is sent as JSON unless it is a string. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type ServerPart =
  | { readonly text: string }
  | { readonly thinking: string; readonly signature?: string }
  | { readonly redacted: string }
  /** `json` instead of `input` is sent verbatim, valid or not. */
  | { readonly call: string; readonly id?: string; readonly input?: unknown; readonly json?: string }
  /** The response continues when the gate opens. */
  | { readonly gate: Promise<unknown> }
  /** An error event in the middle of the stream. */
  | { readonly error: { readonly type: string; readonly message: string } }
  /** Text that is sent verbatim in the stream. */
  | { readonly raw: string }

export interface ServerRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Untyped, because tests inspect whatever was sent. */
  readonly body: any
  /** Arrival time by `performance.now()`, taken before the body is read so that gaps do not include the reading. */
  readonly at: number
  /** The time at which the last byte of the response was written. */
  endedAt?: number
  /** The number of the connection: two requests with the same number shared one. */
  readonly connection: number
}
