import { isRecord } from '../../shared/is-record.js'

export interface PrintedImage {
  readonly mediaType: string
  readonly base64: string
}

const MAX_IMAGES = 10
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const MAX_STORED_CHARS = 1024 ** 2
const MAX_LINES = 20_000

/** The text and images that one run of code has printed, within limits. */
export class PrintedOutput {
  readonly images: PrintedImage[] = []
  readonly #notes = new Set<string>()
  readonly #lines: string[] = []
  readonly #onStore: (key: string, json: string | null) => void
  #storedChars = 0

  constructor(onStore: (key: string, json: string | null) => void) {
    this.#onStore = onStore
  }

  get text(): string {
    return this.#lines.join('\n')
  }

  get notes(): readonly string[] {
    return [...this.#notes]
  }

  addText(text: string): void {
    if (this.#lines.length < MAX_LINES) this.#lines.push(text)
    else this.#notes.add(`Only the first ${MAX_LINES.toLocaleString('en')} printed texts are kept.`)
  }

  receive(name: string, argument: unknown): void {
    if (name === 'text') this.addText(String(argument))
    else if (name === 'image') this.#addImage(argument)
    else if (name === 'store' && isRecord(argument)) this.#store(String(argument.key), argument.json)
  }

  #addImage(argument: unknown): void {
    const { mediaType, base64 } = isRecord(argument) ? argument : {}
    if (typeof mediaType !== 'string' || typeof base64 !== 'string') return
    if (!IMAGE_TYPES.has(mediaType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
      this.#notes.add('An image was dropped: images are PNG, JPEG, GIF or WebP in Base64.')
    else if (this.images.length >= MAX_IMAGES) this.#notes.add(`Only the first ${MAX_IMAGES} images are shown.`)
    else this.images.push({ mediaType, base64 })
  }

  #store(key: string, json: unknown): void {
    if (json !== null && typeof json !== 'string') return
    this.#storedChars += key.length + (json?.length ?? 0)
    if (this.#storedChars > MAX_STORED_CHARS) this.#notes.add(`store() keeps at most ${MAX_STORED_CHARS} characters.`)
    else this.#onStore(key, json)
  }
}
