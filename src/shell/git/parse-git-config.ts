/** One setting: `diff.x.textconv` is section `diff`, subsection `x`, name `textconv`. */
export interface GitSetting {
  readonly section: string
  readonly subsection: string
  readonly name: string
  /** Null where only the name stands, which git reads as true. */
  readonly value: string | null
}

export interface GitConfigText {
  readonly settings: readonly GitSetting[]
  /** Something stands there that git would refuse, or that is read otherwise than here. */
  readonly isOdd: boolean
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' }

/** Reads a git configuration file as git does; stops at the first thing that it does not understand. */
export function parseGitConfig(text: string): GitConfigText {
  const reader = new ConfigReader(text)
  const settings: GitSetting[] = []
  try {
    for (;;) {
      const setting = reader.next()
      if (setting === null) return { settings, isOdd: false }
      settings.push(setting)
    }
  } catch (error) {
    if (error instanceof OddConfig) return { settings, isOdd: true }
    throw error
  }
}

class OddConfig extends Error {}

class ConfigReader {
  readonly #text: string
  #at = 0
  #section: string | null = null

  constructor(text: string) {
    this.#text = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
    if (this.#text.includes('\0')) this.#at = -1
  }

  next(): GitSetting | null {
    if (this.#at < 0) throw new OddConfig()
    for (;;) {
      this.#take(/[\s]*/y)
      if (this.#at >= this.#text.length) return null
      if (this.#take(/[#;][^\n]*/y) !== '') continue
      if (this.#text[this.#at] === '[') this.#section = this.#header()
      else return this.#setting()
    }
  }

  #header(): string {
    const header = this.#take(/\[[A-Za-z0-9.-]+(?:[ \t]+"(?:[^"\\\n]|\\[^\n])*")?\]/y)
    const match = /^\[([^\s"\]]+)(?:[ \t]+"(.*)")?\]$/s.exec(header)
    if (match?.[1] === undefined) throw new OddConfig()
    const section = match[1].toLowerCase()
    return match[2] === undefined ? section : `${section}.${match[2].replace(/\\(.)/gs, '$1')}`
  }

  #setting(): GitSetting {
    const name = this.#take(/[A-Za-z][A-Za-z0-9-]*/y).toLowerCase()
    if (name === '' || this.#section === null) throw new OddConfig()
    this.#take(/[ \t]*/y)
    const dot = this.#section.indexOf('.')
    return {
      section: dot < 0 ? this.#section : this.#section.slice(0, dot),
      subsection: dot < 0 ? '' : this.#section.slice(dot + 1),
      name,
      value: this.#take(/=/y) === '' ? this.#noValue() : this.#value(),
    }
  }

  #noValue(): null {
    const next = this.#text[this.#at]
    if (next !== undefined && next !== '\n') throw new OddConfig()
    return null
  }

  #value(): string {
    this.#take(/[ \t]*/y)
    let value = ''
    let keep = 0
    for (;;) {
      const plain = this.#take(/[^"\\\n#;]+/y)
      const quoted = plain === '' ? this.#take(/"(?:[^"\\\n]|\\.)*"|\\./sy) : ''
      if (plain === '' && quoted === '') break
      value += plain + unescaped(quoted.replace(/^"(.*)"$/s, '$1'))
      // Only blanks outside quotes are left out at the end.
      keep = plain === '' ? value.length : Math.max(keep, value.trimEnd().length)
    }
    this.#take(/[#;][^\n]*/y)
    if (this.#at < this.#text.length && this.#take(/\n/y) === '') throw new OddConfig()
    return value.slice(0, keep)
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match === null) return ''
    this.#at += match[0].length
    return match[0]
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, character: string) => {
    const meaning = character === '\n' ? '' : ESCAPES[character]
    if (meaning === undefined) throw new OddConfig()
    return meaning
  })
}
