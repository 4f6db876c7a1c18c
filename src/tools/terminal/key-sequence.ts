import { ToolCallError } from '../../contract/errors.js'
import { didYouMean } from '../../shared/nearest-names.js'
import { quote } from '../../shared/quote.js'

const ESCAPE = '\u001b'

/** The characters that a terminal sends for each key. */
const SEQUENCES: Readonly<Record<string, string>> = {
  Enter: '\r',
  Tab: '\t',
  'S-Tab': `${ESCAPE}[Z`,
  Escape: ESCAPE,
  Space: ' ',
  Backspace: '\u007f',
  Delete: `${ESCAPE}[3~`,
  Insert: `${ESCAPE}[2~`,
  Up: `${ESCAPE}[A`,
  Down: `${ESCAPE}[B`,
  Right: `${ESCAPE}[C`,
  Left: `${ESCAPE}[D`,
  Home: `${ESCAPE}[H`,
  End: `${ESCAPE}[F`,
  PageUp: `${ESCAPE}[5~`,
  PageDown: `${ESCAPE}[6~`,
  F1: `${ESCAPE}OP`,
  F2: `${ESCAPE}OQ`,
  F3: `${ESCAPE}OR`,
  F4: `${ESCAPE}OS`,
  F5: `${ESCAPE}[15~`,
  F6: `${ESCAPE}[17~`,
  F7: `${ESCAPE}[18~`,
  F8: `${ESCAPE}[19~`,
  F9: `${ESCAPE}[20~`,
  F10: `${ESCAPE}[21~`,
  F11: `${ESCAPE}[23~`,
  F12: `${ESCAPE}[24~`,
}

export const NAMED_KEYS: readonly string[] = Object.keys(SEQUENCES).map((name) => `<${name}>`)

const SEQUENCES_BY_LOWER_CASE = new Map(
  Object.entries(SEQUENCES).map(([name, sequence]) => [name.toLowerCase(), sequence]),
)
const KEY_IN_BRACKETS = /^<([A-Za-z0-9]+|[CMS]-[^>]+)>$/

/**
 * Returns the characters for a list of texts and keys. An unknown key is refused, because sent as text it would have another
 * effect.
 */
export function toKeySequence(keys: readonly string[]): string {
  return keys.map(sequenceOf).join('')
}

function sequenceOf(item: string): string {
  const name = KEY_IN_BRACKETS.exec(item)?.[1]
  if (name === undefined) return item
  const sequence = SEQUENCES_BY_LOWER_CASE.get(name.toLowerCase()) ?? withModifier(name)
  if (sequence !== undefined) return sequence
  const suggestion = didYouMean(item, NAMED_KEYS)
  throw new ToolCallError(
    'input_refused',
    `Unknown key ${quote(item)}.${suggestion} To type it as text, split it: ["<", ${quote(item.slice(1))}].`,
  )
}

function withModifier(name: string): string | undefined {
  const control = /^C-([a-zA-Z@[\\\]^_])$/.exec(name)?.[1]
  if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f)
  const alt = /^M-(.)$/.exec(name)?.[1]
  return alt === undefined ? undefined : ESCAPE + alt
}
