/** One setting: `diff.x.textconv` is section `diff`, subsection `x`, name `textconv`. */
export interface GitSetting {
  readonly section: string
  readonly subsection: string
  readonly name: string
  /** Null for a name without `=`, which git reads as true. */
  readonly value: string | null
}

export interface GitConfigText {
  readonly settings: readonly GitSetting[]
  /** Whether the file contains syntax that git rejects or that this parser does not support. */
  readonly isMalformed: boolean
}

const ESCAPED_CHARACTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' }

/** Parses a git configuration file as git does; stops at the first construct that it does not support. */
export function parseGitConfig(text: string): GitConfigText {
  const reader = new ConfigReader(text)
  const settings: GitSetting[] = []
  try {
    for (;;) {
      const setting = reader.readNext()
      if (setting === null) return { settings, isMalformed: false }
      settings.push(setting)
    }
  } catch (error) {
    if (error instanceof MalformedConfig) return { settings, isMalformed: true }
    throw error
  }
}

class MalformedConfig extends Error {}

class ConfigReader {
  readonly #text: string
  #at = 0
  #section: string | null = null

  constructor(text: string) {
    this.#text = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
    if (this.#text.includes('\0')) this.#at = -1
  }

  readNext(): GitSetting | null {
    if (this.#at < 0) throw new MalformedConfig()
    for (;;) {
      this.#match(/[\s]*/y)
      if (this.#at >= this.#text.length) return null
      if (this.#match(/[#;][^\n]*/y) !== '') continue
      if (this.#text[this.#at] === '[') this.#section = this.#readHeader()
      else return this.#readSetting()
    }
  }

  #readHeader(): string {
    const header = this.#match(/\[[A-Za-z0-9.-]+(?:[ \t]+"(?:[^"\\\n]|\\[^\n])*")?\]/y)
    const match = /^\[([^\s"\]]+)(?:[ \t]+"(.*)")?\]$/s.exec(header)
    if (match?.[1] === undefined) throw new MalformedConfig()
    const section = match[1].toLowerCase()
    return match[2] === undefined ? section : `${section}.${match[2].replace(/\\(.)/gs, '$1')}`
  }

  #readSetting(): GitSetting {
    const name = this.#match(/[A-Za-z][A-Za-z0-9-]*/y).toLowerCase()
    if (name === '' || this.#section === null) throw new MalformedConfig()
    this.#match(/[ \t]*/y)
    const dot = this.#section.indexOf('.')
    return {
      section: dot < 0 ? this.#section : this.#section.slice(0, dot),
      subsection: dot < 0 ? '' : this.#section.slice(dot + 1),
      name,
      value: this.#match(/=/y) === '' ? this.#expectNoValue() : this.#readValue(),
    }
  }

  #expectNoValue(): null {
    const nextCharacter = this.#text[this.#at]
    if (nextCharacter !== undefined && nextCharacter !== '\n') throw new MalformedConfig()
    return null
  }

  #readValue(): string {
    this.#match(/[ \t]*/y)
    let value = ''
    let trimmedLength = 0
    for (;;) {
      const plainText = this.#match(/[^"\\\n#;]+/y)
      const quotedText = plainText === '' ? this.#match(/"(?:[^"\\\n]|\\.)*"|\\./sy) : ''
      if (plainText === '' && quotedText === '') break
      value += plainText + resolveEscapes(quotedText.replace(/^"(.*)"$/s, '$1'))
      // Trailing blanks are dropped unless quoted.
      trimmedLength = plainText === '' ? value.length : Math.max(trimmedLength, value.trimEnd().length)
    }
    this.#match(/[#;][^\n]*/y)
    if (this.#at < this.#text.length && this.#match(/\n/y) === '') throw new MalformedConfig()
    return value.slice(0, trimmedLength)
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match === null) return ''
    this.#at += match[0].length
    return match[0]
  }
}

function resolveEscapes(text: string): string {
  return text.replace(/\\(.)/gs, (_, character: string) => {
    const meaning = character === '\n' ? '' : ESCAPED_CHARACTERS[character]
    if (meaning === undefined) throw new MalformedConfig()
    return meaning
  })
}
