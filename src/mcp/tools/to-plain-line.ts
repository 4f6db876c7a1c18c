import { shortenText } from '../../shared/cut-text.js'
import { toPlainOutput } from '../../shared/plain-output.js'

/** Maximum length of a description that a model receives. */
export const MAX_DESCRIPTION_CHARS = 2_048

/** Invisible characters that reverse or hide text, or encode text that only a model reads. */
const INVISIBLE_CHARACTERS = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g

/** Cleans untrusted text, so that a person and the model see the same text. */
export function toPlainText(text: string): string {
  return toPlainOutput(text).replace(INVISIBLE_CHARACTERS, '')
}

/** Cleans untrusted text and shortens it to one line of at most `maxChars` characters. */
export function toPlainLine(text: string, maxChars: number): string {
  return shortenText(
    toPlainText(text.slice(0, maxChars * 4))
      .replace(/\s+/g, ' ')
      .trim(),
    maxChars,
  )
}
