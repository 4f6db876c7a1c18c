import type { HttpPort } from '../../contract/ports/http.js'

/** The content of a URL. */
export type WebContent =
  | {
      readonly type: 'text'
      /** The URL after redirects. */
      readonly url: string
      readonly title: string
      readonly text: string
      readonly isDownloadTruncated: boolean
      /** Set if the rest of the page did not arrive in time. */
      readonly isDownloadSlow?: boolean
    }
  | { readonly type: 'image'; readonly url: string; readonly mediaType: string; readonly base64: string }

const KEPT_MS = 15 * 60_000
/** The maximum number of characters of all pages together. The oldest pages are dropped first. */
const MAX_CHARS = 20_000_000

interface CacheEntry {
  readonly content: WebContent
  readonly chars: number
  readonly endTime: number
}

/** The pages that were fetched through one HTTP port. */
export class PageCache {
  readonly #entries = new Map<string, CacheEntry>()
  #chars = 0

  get(key: string, now: number): WebContent | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.endTime > now) return entry?.content
    this.#delete(key, entry)
    return undefined
  }

  set(key: string, content: WebContent, now: number): void {
    const existingEntry = this.#entries.get(key)
    if (existingEntry !== undefined) this.#delete(key, existingEntry)
    const chars = content.type === 'image' ? content.base64.length : content.text.length
    this.#entries.set(key, { content, chars, endTime: now + KEPT_MS })
    this.#chars += chars
    for (const [oldKey, entry] of this.#entries) {
      if (this.#chars <= MAX_CHARS) return
      this.#delete(oldKey, entry)
    }
  }

  #delete(key: string, { chars }: CacheEntry): void {
    this.#entries.delete(key)
    this.#chars -= chars
  }
}

const caches = new WeakMap<HttpPort, PageCache>()

/** Returns the cache of a port. Ports belong to one runtime, so runtimes do not share pages. */
export function cacheOf(http: HttpPort): PageCache {
  const cache = caches.get(http) ?? new PageCache()
  caches.set(http, cache)
  return cache
}
