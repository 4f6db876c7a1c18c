/** The kinds of failed requests that are handled differently. */
export const MODEL_ERROR_KINDS = [
  'rate_limited',
  'overloaded',
  'server_error',
  'network',
  // The answer ended early.
  'stream_cut',
  'timed_out',
  // The API key is missing or rejected.
  'unauthorised',
  'unknown_model',
  // The conversation exceeds the context window of the model.
  'too_long',
  'invalid_request',
  'aborted',
] as const

/** One of `MODEL_ERROR_KINDS`. */
export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number]

const TRANSIENT_KINDS: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  'rate_limited',
  'overloaded',
  'server_error',
  'network',
  'stream_cut',
  'timed_out',
])

/** A failed request to a model. `message` is one line for the user. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly kind: ModelErrorKind
  readonly status: number | undefined
  /** The delay that the provider asked for, if any. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: ModelErrorKind,
    message: string,
    {
      status,
      retryAfterMs,
      cause,
    }: { status?: number | undefined; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.status = status
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same request may succeed if it is repeated later. */
  get isTransient(): boolean {
    return TRANSIENT_KINDS.has(this.kind)
  }
}
