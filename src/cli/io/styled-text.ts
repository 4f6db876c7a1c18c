import { toPrintableLines } from '../../shared/printable.js'

/**
 * Text with styles for a terminal. For commands, only this file creates escape sequences. Everything that is put into a
 * styled text is escaped first.
 */
export class StyledText {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  /** Returns the text with its escape sequences. */
  toString(): string {
    return this.#text
  }

  /** Creates a styled text from a template. The values may be untrusted text. */
  static join(literals: TemplateStringsArray, ...values: readonly (string | StyledText)[]): StyledText {
    const parts = literals.flatMap((literal, index) => [literal, toTerminalText(values[index] ?? '')])
    return new StyledText(parts.join(''))
  }

  /** Puts text between the SGR codes that start and end a style. */
  static wrap(text: string | StyledText, start: number, end: number): StyledText {
    return new StyledText(`\u001b[${start}m${toTerminalText(text)}\u001b[${end}m`)
  }
}

/** Converts text for a terminal: all control characters are escaped, except those of a style. */
export function toTerminalText(text: string | StyledText): string {
  return text instanceof StyledText ? text.toString() : toPrintableLines(text)
}

/** The members of `CommandIo` that decide whether styles are used. */
interface StyleOptions {
  readonly columns: number | undefined
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Creates functions that style text, or return it unchanged if colours are not supported or disabled. */
export function createStyles({ columns, variables }: StyleOptions) {
  const isPlain = columns === undefined || (variables.NO_COLOR ?? '') !== '' || variables.TERM === 'dumb'
  const style = (start: number, end: number) => (text: string | StyledText) =>
    isPlain ? text : StyledText.wrap(text, start, end)
  return { bold: style(1, 22), dim: style(2, 22), red: style(31, 39), green: style(32, 39), yellow: style(33, 39) }
}
