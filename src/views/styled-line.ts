import type { ViewTone } from '../contract/views.js'

/**
 * A line of text for a screen: styled spans without line breaks and control characters. Lines come from `renderView`,
 * either as logical lines of any length or wrapped to a width.
 */
export type StyledLine = readonly StyledSpan[]

/** A part of a line with one style. */
export interface StyledSpan {
  readonly text: string
  readonly style?: SpanStyle
  /**
   * Set for the indentation, marker or gutter at the start of a line. If the line is wrapped, the next rows start with
   * the same text (`repeat`) or with spaces of the same width (`space`).
   */
  readonly prefix?: 'repeat' | 'space'
}

/** A style in terms of roles. The theme maps roles to colours. */
export interface SpanStyle {
  readonly tone?: ViewTone | SyntaxTone | DiffTone
  /** The background of changed lines, whose text has its own tone. */
  readonly background?: DiffTone
  readonly bold?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly strikethrough?: boolean
  readonly inverse?: boolean
  /** A web address or `file:` URL, for terminals that support hyperlinks. */
  readonly href?: string
}

/** Roles of the tokens of highlighted source code. */
export type SyntaxTone = 'keyword' | 'string' | 'number' | 'comment' | 'name' | 'type' | 'punctuation'

/** Roles of the added and removed lines of a diff. */
export type DiffTone = 'added' | 'removed'

/** Returns the text of a line without styles. */
export function textOfLine(line: StyledLine): string {
  return line.map(({ text }) => text).join('')
}
