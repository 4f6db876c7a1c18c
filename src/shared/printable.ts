/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: this file escapes control characters */

/**
 * Control characters (C0, DEL, C1), line separators, characters that override the direction of text, byte order marks and
 * lone surrogates.
 */
const UNPRINTABLE_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu
/** The same without newlines, tabs and the carriage return before a newline. */
const UNPRINTABLE_CHARACTER_IN_LINES =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\r(?!\n)|\p{Cs}/gu

/** Escapes line breaks and other characters that could control the terminal, for example as `\u001b`. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE_CHARACTER, escapeCharacter)
}

/**
 * Like `toPrintable`, but keeps newlines and tabs. JSON text keeps its value, because `\u001b` is also an escape in JSON.
 */
export function toPrintableLines(text: string): string {
  return text.replace(UNPRINTABLE_CHARACTER_IN_LINES, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
