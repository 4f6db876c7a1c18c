import { type EndpointFailure, isAboutModel } from './openai-error.js'

export type OpenAIApi = 'chat' | 'responses'

/** Optional parts of a request that not every server accepts. */
export type OptionalPart =
  | 'usage'
  | 'reasoning'
  | 'sealed-reasoning'
  | 'sent-reasoning'
  | 'cache-key'
  | 'usual-limit'
  | 'raw-arguments'

const UNSUPPORTED =
  /unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|extra|not permitted|not allowed|instead/i

/** Error messages by which servers reject an optional part. */
const REJECTIONS: readonly { readonly extra: OptionalPart; readonly sign: RegExp; readonly and?: RegExp }[] = [
  { extra: 'usage', sign: /stream_options|include_usage/i },
  { extra: 'sealed-reasoning', sign: /^include|encrypted[_ ]content/i },
  { extra: 'sent-reasoning', sign: /reasoning_content|messages.{0,40}reasoning|input.{0,40}reasoning/i },
  { extra: 'reasoning', sign: /reasoning[._ ]?(effort|summary|summaries)|['"`]reasoning['"`]|\breasoning\b/i },
  { extra: 'cache-key', sign: /prompt_cache_key/i },
  { extra: 'usual-limit', sign: /max_tokens|max_completion_tokens/i, and: UNSUPPORTED },
]

/** Remembers which optional parts an endpoint has rejected. */
export class EndpointSupport {
  #api: OpenAIApi
  readonly #rejected = new Set<OptionalPart>()

  constructor(api: OpenAIApi) {
    this.#api = api
  }

  get api(): OpenAIApi {
    return this.#api
  }

  accepts(extra: OptionalPart): boolean {
    return !this.#rejected.has(extra)
  }

  /** Records a rejection. Returns whether to repeat the request without the rejected part; `sent` lists its optional parts. */
  learn(failure: EndpointFailure, sent: ReadonlySet<OptionalPart>): boolean {
    const { status } = failure
    if (this.#api === 'responses' && isMissing(failure)) {
      this.#api = 'chat'
      return true
    }
    const rejected = status === 400 || status === 422 ? findRejected(failure, sent) : undefined
    if (rejected !== undefined) return this.#reject(rejected)
    // Servers that parse arguments report invalid JSON in different ways, even with status 500.
    const isClientError = status === 400 || status === 422 || status === 500
    return isClientError && sent.has('raw-arguments') && this.accepts('raw-arguments') && this.#reject('raw-arguments')
  }

  #reject(extra: OptionalPart): true {
    this.#rejected.add(extra)
    return true
  }
}

function isMissing(failure: EndpointFailure): boolean {
  return [404, 405, 501].includes(failure.status ?? 0) && !isAboutModel(failure)
}

function findRejected({ param, message }: EndpointFailure, sent: ReadonlySet<OptionalPart>): OptionalPart | undefined {
  // `param` names the rejected field, so it comes first.
  const text = `${param} ${message}`
  return REJECTIONS.find(({ extra, sign, and }) => sent.has(extra) && sign.test(text) && (and?.test(text) ?? true))
    ?.extra
}
