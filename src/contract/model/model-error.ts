/** What went wrong with a request, as far as it decides what to do next. */
export const MODEL_ERROR_KINDS = [
  'rate_limited',
  'overloaded',
  'server_error',
  'network',
  // The answer stopped before its end.
  'stream_cut',
  'timed_out',
  // No key, or one that is not accepted.
  'unauthorised',
  'unknown_model',
  // The conversation does not fit into the window of the model.
  'too_long',
  'invalid_request',
  'aborted',
] as const

export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number]

const PASSING: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  'rate_limited',
  'overloaded',
  'server_error',
  'network',
  'stream_cut',
  'timed_out',
])

/** A request to a model that failed; `message` is one line for a person. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly kind: ModelErrorKind
  readonly status: number | undefined
  /** What the provider asked for; undefined where it did not say. */
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

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return PASSING.has(this.kind)
  }
}
