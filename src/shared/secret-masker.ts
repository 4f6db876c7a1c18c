/** A secret value and the name of the variable that holds it. */
export interface NamedSecret {
  readonly name: string
  readonly value: string
}

/** Shorter values are not masked: they would match ordinary words and numbers. */
const MIN_SECRET_CHARS = 8
/** Lines of a longer value, such as a private key, are masked from this length on: Read and Grep show one line at a time. */
const MIN_LINE_CHARS = 16
const NO_FIELDS: ReadonlySet<string> = new Set()

/** Replaces secret values with `[masked NAME]`. Other forms of a value, such as its base64, are not recognised. */
export class SecretMasker {
  readonly #masks: ReadonlyMap<string, string>
  readonly #pattern: RegExp
  /** Like `#masks`, for text with one character for each byte. */
  readonly #byteMasks: ReadonlyMap<string, string>
  readonly #bytePattern: RegExp

  private constructor(masks: ReadonlyMap<string, string>) {
    this.#masks = masks
    this.#pattern = createPattern(masks)
    this.#byteMasks = new Map(Array.from(masks, ([value, mask]) => [toByteString(value), toByteString(mask)]))
    this.#bytePattern = createPattern(this.#byteMasks)
  }

  /** Returns undefined if no value is long enough to be masked. */
  static create(secrets: readonly NamedSecret[]): SecretMasker | undefined {
    const masks = new Map<string, string>()
    for (const { name, value } of secrets) {
      for (const part of listSecretTexts(value)) if (!masks.has(part)) masks.set(part, `[masked ${name}]`)
    }
    return masks.size === 0 ? undefined : new SecretMasker(masks)
  }

  maskText(text: string): string {
    return text.replace(this.#pattern, (value) => this.#masks.get(value) ?? '')
  }

  /**
   * Returns a copy of plain data in which the strings are masked, except those of `keptFields` outside of call inputs. Items
   * of lists that must not be changed are left out if they contain a secret. Other objects are shared with the original; a
   * cycle is cut.
   */
  maskData<T>(
    data: T,
    keptFields: ReadonlySet<string> = NO_FIELDS,
    isUnchangeable: (item: object) => boolean = () => false,
  ): T {
    const ancestors = new Set<object>()
    const mask = (value: unknown, unmaskedFields: ReadonlySet<string>): unknown => {
      if (typeof value === 'string') return this.maskText(value)
      if (!isPlain(value)) return value
      if (ancestors.has(value)) return undefined
      ancestors.add(value)
      const copy = Array.isArray(value)
        ? value.flatMap((item) => maskItem(item, unmaskedFields))
        : Object.fromEntries(Object.entries(value).map(([key, field]) => [key, maskField(key, field, unmaskedFields)]))
      ancestors.delete(value)
      return copy
    }
    const maskItem = (item: unknown, unmaskedFields: ReadonlySet<string>): readonly unknown[] => {
      const maskedItem = mask(item, unmaskedFields)
      const isLeftOut = isPlain(item) && isUnchangeable(item) && JSON.stringify(item) !== JSON.stringify(maskedItem)
      return isLeftOut ? [] : [maskedItem]
    }
    const maskField = (key: string, value: unknown, unmaskedFields: ReadonlySet<string>): unknown =>
      typeof value === 'string' && unmaskedFields.has(key)
        ? value
        : mask(value, key === 'input' ? NO_FIELDS : unmaskedFields)
    return mask(data, keptFields) as T
  }

  /** Masks bytes that arrive in chunks. */
  openStream(): MaskingStream {
    return new MaskingStream(this.#byteMasks, this.#bytePattern)
  }
}

/** Masks a stream of bytes. It holds back only bytes that may be the start of a secret, until the next chunk decides. */
export class MaskingStream {
  readonly #masks: ReadonlyMap<string, string>
  readonly #pattern: RegExp
  readonly #maxLength: number
  #heldBack = ''

  constructor(masks: ReadonlyMap<string, string>, pattern: RegExp) {
    this.#masks = masks
    this.#pattern = pattern
    this.#maxLength = Math.max(...Array.from(masks.keys(), ({ length }) => length))
  }

  push(chunk: Uint8Array): Uint8Array {
    const text = this.#heldBack + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    let maskedText = ''
    let end = 0
    for (const { 0: value, index } of text.matchAll(this.#pattern)) {
      // The value may be part of a longer secret that continues in the next chunk.
      if (index >= this.#findPossibleStart(text, end)) break
      maskedText += text.slice(end, index) + this.#masks.get(value)
      end = index + value.length
    }
    const possibleStart = this.#findPossibleStart(text, end)
    this.#heldBack = text.slice(possibleStart)
    return Buffer.from(maskedText + text.slice(end, possibleStart), 'latin1')
  }

  /** Returns the bytes that were held back, masked. Call it after the last chunk. */
  end(): Uint8Array {
    const maskedText = this.#heldBack.replace(this.#pattern, (value) => this.#masks.get(value) ?? '')
    this.#heldBack = ''
    return Buffer.from(maskedText, 'latin1')
  }

  /** Returns the first position from which the text up to its end is the start of a longer secret. */
  #findPossibleStart(text: string, from: number): number {
    for (let at = Math.max(from, text.length - this.#maxLength + 1); at < text.length; at++) {
      const textEnd = text.slice(at)
      for (const value of this.#masks.keys()) if (value.length > textEnd.length && value.startsWith(textEnd)) return at
    }
    return text.length
  }
}

/** Returns the value itself and, if it has several lines, each long line except the BEGIN and END lines of a key. */
function listSecretTexts(value: string): readonly string[] {
  const trimmedValue = value.trim()
  const lines = trimmedValue.split(/\r?\n/).map((line) => line.trim())
  const longLines = lines.filter((line) => line.length >= MIN_LINE_CHARS && !line.startsWith('-----'))
  return [...(trimmedValue.length >= MIN_SECRET_CHARS ? [trimmedValue] : []), ...(lines.length > 1 ? longLines : [])]
}

/** Creates the pattern that finds secrets. Longer values come first, because one value may start with another. */
function createPattern(masks: ReadonlyMap<string, string>): RegExp {
  const values = [...masks.keys()].toSorted((a, b) => b.length - a.length)
  return new RegExp(values.map((value) => value.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')).join('|'), 'g')
}

/** Returns one character for each byte, so that chunks can be cut inside a character. */
function toByteString(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
