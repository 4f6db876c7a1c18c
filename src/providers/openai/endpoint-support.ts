import { type EndpointFailure, isAboutModel } from './openai-error.js'

export type OpenAIApi = 'chat' | 'responses'

/** Optional parts of a request that not every server accepts. */
export type OptionalPart =
  | 'usage'
  | 'reasoning'
  | 'encrypted-reasoning'
  /** Reasoning of earlier messages. */
  | 'earlier-reasoning'
  | 'cache-key'
  /** The field for the token limit that this kind of endpoint usually expects. */
  | 'usual-limit-field'
  /** Arguments of earlier calls that are not valid JSON. */
  | 'invalid-arguments'

const UNSUPPORTED_PATTERN =
  /unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|extra|not permitted|not allowed|instead/i

/** Error messages with which servers reject an optional part. */
const REJECTION_PATTERNS: readonly {
  readonly part: OptionalPart
  readonly pattern: RegExp
  readonly secondPattern?: RegExp
}[] = [
  { part: 'usage', pattern: /stream_options|include_usage/i },
  { part: 'encrypted-reasoning', pattern: /^include|encrypted[_ ]content/i },
  { part: 'earlier-reasoning', pattern: /reasoning_content|messages.{0,40}reasoning|input.{0,40}reasoning/i },
  { part: 'reasoning', pattern: /reasoning[._ ]?(effort|summary|summaries)|['"`]reasoning['"`]|\breasoning\b/i },
  { part: 'cache-key', pattern: /prompt_cache_key/i },
  { part: 'usual-limit-field', pattern: /max_tokens|max_completion_tokens/i, secondPattern: UNSUPPORTED_PATTERN },
]

/** Records which API an endpoint supports and which optional parts it has rejected. */
export class EndpointSupport {
  #api: OpenAIApi
  readonly #rejectedParts = new Set<OptionalPart>()

  constructor(api: OpenAIApi) {
    this.#api = api
  }

  get api(): OpenAIApi {
    return this.#api
  }

  accepts(part: OptionalPart): boolean {
    return !this.#rejectedParts.has(part)
  }

  /** Records what a failure shows about the endpoint. Returns whether to repeat the request in another form; `sentParts` lists its optional parts. */
  recordFailure(failure: EndpointFailure, sentParts: ReadonlySet<OptionalPart>): boolean {
    const { status } = failure
    if (this.#api === 'responses' && lacksResponsesApi(failure)) {
      this.#api = 'chat'
      return true
    }
    const rejectedPart = status === 400 || status === 422 ? findRejected(failure, sentParts) : undefined
    if (rejectedPart !== undefined) return this.#reject(rejectedPart)
    // Servers that parse arguments report invalid JSON in different ways, some even with status 500.
    const mayBeParseError = status === 400 || status === 422 || status === 500
    return (
      mayBeParseError &&
      sentParts.has('invalid-arguments') &&
      this.accepts('invalid-arguments') &&
      this.#reject('invalid-arguments')
    )
  }

  #reject(part: OptionalPart): true {
    this.#rejectedParts.add(part)
    return true
  }
}

function lacksResponsesApi(failure: EndpointFailure): boolean {
  return [404, 405, 501].includes(failure.status ?? 0) && !isAboutModel(failure)
}

function findRejected(
  { param, message }: EndpointFailure,
  sentParts: ReadonlySet<OptionalPart>,
): OptionalPart | undefined {
  // `param` names the rejected field. It comes first, because some patterns are anchored to the start.
  const text = `${param} ${message}`
  return REJECTION_PATTERNS.find(
    ({ part, pattern, secondPattern }) =>
      sentParts.has(part) && pattern.test(text) && (secondPattern?.test(text) ?? true),
  )?.part
}
