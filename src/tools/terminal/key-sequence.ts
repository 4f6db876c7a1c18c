import { ToolCallError } from '../../contract/errors.js'
import { didYouMean } from '../../shared/nearest-names.js'
import { quote } from '../../shared/quote.js'

const ESCAPE_CHARACTER = '\u001b'

/** The characters that a terminal sends for each key. */
const KEY_SEQUENCES: Readonly<Record<string, string>> = {
  Enter: '\r',
  Tab: '\t',
  'S-Tab': `${ESCAPE_CHARACTER}[Z`,
  Escape: ESCAPE_CHARACTER,
  Space: ' ',
  Backspace: '\u007f',
  Delete: `${ESCAPE_CHARACTER}[3~`,
  Insert: `${ESCAPE_CHARACTER}[2~`,
  Up: `${ESCAPE_CHARACTER}[A`,
  Down: `${ESCAPE_CHARACTER}[B`,
  Right: `${ESCAPE_CHARACTER}[C`,
  Left: `${ESCAPE_CHARACTER}[D`,
  Home: `${ESCAPE_CHARACTER}[H`,
  End: `${ESCAPE_CHARACTER}[F`,
  PageUp: `${ESCAPE_CHARACTER}[5~`,
  PageDown: `${ESCAPE_CHARACTER}[6~`,
  F1: `${ESCAPE_CHARACTER}OP`,
  F2: `${ESCAPE_CHARACTER}OQ`,
  F3: `${ESCAPE_CHARACTER}OR`,
  F4: `${ESCAPE_CHARACTER}OS`,
  F5: `${ESCAPE_CHARACTER}[15~`,
  F6: `${ESCAPE_CHARACTER}[17~`,
  F7: `${ESCAPE_CHARACTER}[18~`,
  F8: `${ESCAPE_CHARACTER}[19~`,
  F9: `${ESCAPE_CHARACTER}[20~`,
  F10: `${ESCAPE_CHARACTER}[21~`,
  F11: `${ESCAPE_CHARACTER}[23~`,
  F12: `${ESCAPE_CHARACTER}[24~`,
}

export const NAMED_KEYS: readonly string[] = Object.keys(KEY_SEQUENCES).map((name) => `<${name}>`)

const SEQUENCES_BY_LOWER_CASE = new Map(
  Object.entries(KEY_SEQUENCES).map(([name, sequence]) => [name.toLowerCase(), sequence]),
)
const KEY_IN_BRACKETS = /^<([A-Za-z0-9]+|[CMS]-[^>]+)>$/

/**
 * Returns the characters for a list of texts and keys. An unknown key is refused, because sent as text it would have another
 * effect.
 */
export function toKeySequence(keys: readonly string[]): string {
  return keys.map(toSequence).join('')
}

function toSequence(item: string): string {
  const name = KEY_IN_BRACKETS.exec(item)?.[1]
  if (name === undefined) return item
  const sequence = SEQUENCES_BY_LOWER_CASE.get(name.toLowerCase()) ?? findModifiedKey(name)
  if (sequence !== undefined) return sequence
  const suggestion = didYouMean(item, NAMED_KEYS)
  throw new ToolCallError(
    'input_refused',
    `Unknown key ${quote(item)}.${suggestion} To type it as text, split it: ["<", ${quote(item.slice(1))}].`,
  )
}

function findModifiedKey(name: string): string | undefined {
  const controlCharacter = /^C-([a-zA-Z@[\\\]^_])$/.exec(name)?.[1]
  if (controlCharacter !== undefined) return String.fromCharCode(controlCharacter.toUpperCase().charCodeAt(0) & 0x1f)
  const alt = /^M-(.)$/.exec(name)?.[1]
  return alt === undefined ? undefined : ESCAPE_CHARACTER + alt
}
