/** One answer of the server. Nothing waits for time: what shall wait has a gate. */
export interface ServerTurn {
  /** Nothing at all is answered before. */
  readonly hold?: Promise<unknown>
  /** What the answer is made of, in order. */
  readonly parts?: readonly ServerPart[]
  /** `tool_use` if there are calls and `end_turn` if not, unless said. */
  readonly stopReason?: string
  readonly usage?: Readonly<Record<string, number>>
  /** In characters: texts, thinking and JSON come in pieces of this size; whole if left out. */
  readonly pieceSize?: number
  /** In bytes: what is written to the connection at once, wherever that splits a line or a character. */
  readonly chunkSize?: number
  readonly encoding?: 'gzip' | 'br'
  /** The connection breaks after so many bytes of the answer. */
  readonly cutAfter?: number
  /** Leaves out the events that end a message. */
  readonly isUnfinished?: boolean
  /** No stream but an answer with this status; the body is JSON unless it is a string. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type ServerPart =
  | { readonly text: string }
  | { readonly thinking: string; readonly signature?: string }
  | { readonly redacted: string }
  /** `json` instead of `input` is sent as it is, valid or not. */
  | { readonly call: string; readonly id?: string; readonly input?: unknown; readonly json?: string }
  /** The answer goes on when the gate opens. */
  | { readonly gate: Promise<unknown> }
  /** An event in the middle of the stream that says that something failed. */
  | { readonly error: { readonly type: string; readonly message: string } }
  /** Goes out as it is. */
  | { readonly raw: string }

export interface ServerRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** As parsed: tests look into whatever was sent. */
  readonly body: any
  /** When it came, by `performance.now()`: what the server takes to read it is not part of any gap. */
  readonly at: number
  /** When the last byte of the answer was written. */
  endedAt?: number
  /** Numbers the connections: two requests with the same number shared one. */
  readonly connection: number
}
