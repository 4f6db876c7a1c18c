import { type EndpointFailure, isAboutModel } from './openai-error.js'

export type OpenAIApi = 'chat' | 'responses'

/** What a request may have that not every server takes. */
export type Extra =
  | 'usage'
  | 'reasoning'
  | 'sealed-reasoning'
  | 'sent-reasoning'
  | 'cache-key'
  | 'usual-limit'
  | 'raw-arguments'

const UNSUPPORTED =
  /unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|extra|not permitted|not allowed|instead/i

/** How a server says that it takes no such thing. */
const SIGNS: readonly { readonly extra: Extra; readonly sign: RegExp; readonly and?: RegExp }[] = [
  { extra: 'usage', sign: /stream_options|include_usage/i },
  { extra: 'sealed-reasoning', sign: /^include|encrypted[_ ]content/i },
  { extra: 'sent-reasoning', sign: /reasoning_content|messages.{0,40}reasoning|input.{0,40}reasoning/i },
  { extra: 'reasoning', sign: /reasoning[._ ]?(effort|summary|summaries)|['"`]reasoning['"`]|\breasoning\b/i },
  { extra: 'cache-key', sign: /prompt_cache_key/i },
  { extra: 'usual-limit', sign: /max_tokens|max_completion_tokens/i, and: UNSUPPORTED },
]

/** What is learnt of an endpoint while talking to it. */
export class EndpointHabits {
  #api: OpenAIApi
  readonly #refused = new Set<Extra>()

  constructor(api: OpenAIApi) {
    this.#api = api
  }

  get api(): OpenAIApi {
    return this.#api
  }

  takes(extra: Extra): boolean {
    return !this.#refused.has(extra)
  }

  /** Whether the request is worth sending again, now without what was refused; `sent` is what it had. */
  learn(failure: EndpointFailure, sent: ReadonlySet<Extra>): boolean {
    const { status } = failure
    if (this.#api === 'responses' && isMissing(failure)) {
      this.#api = 'chat'
      return true
    }
    const refused = status === 400 || status === 422 ? refusedExtra(failure, sent) : undefined
    if (refused !== undefined) return this.#refuse(refused)
    // Servers that read arguments say in many ways, even by a 500, that they cannot.
    const isOurs = status === 400 || status === 422 || status === 500
    return isOurs && sent.has('raw-arguments') && this.takes('raw-arguments') && this.#refuse('raw-arguments')
  }

  #refuse(extra: Extra): true {
    this.#refused.add(extra)
    return true
  }
}

function isMissing(failure: EndpointFailure): boolean {
  return [404, 405, 501].includes(failure.status ?? 0) && !isAboutModel(failure)
}

function refusedExtra({ param, message }: EndpointFailure, sent: ReadonlySet<Extra>): Extra | undefined {
  // What is refused stands first, where it is named by itself.
  const said = `${param} ${message}`
  return SIGNS.find(({ extra, sign, and }) => sent.has(extra) && sign.test(said) && (and?.test(said) ?? true))?.extra
}
