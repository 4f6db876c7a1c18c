import type { KeyEvent } from './input-event.js'

type Modifiers = Pick<KeyEvent, 'ctrl' | 'alt' | 'shift'>

const NO_MODIFIERS: Modifiers = { ctrl: false, alt: false, shift: false }

/** The keys by the final byte of `CSI` and `SS3` sequences. */
const KEYS_BY_LETTER: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'clear',
  F: 'end',
  H: 'home',
  M: 'enter',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
}

/** The keys by the number in `CSI number ~`. */
const KEYS_BY_NUMBER: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
}

const KEYS_BY_CODE: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  32: 'space',
  127: 'backspace',
}

/** The keypad in the kitty protocol, from KP_0 on. */
const FIRST_KEYPAD_CODE = 57399
const KEYPAD_KEYS = [
  ...'0123456789./*-+',
  ...['enter', '=', ',', 'left', 'right', 'up', 'down', 'pageup', 'pagedown', 'home', 'end', 'insert', 'delete'],
]

/** Creates a key that types `text`, which is one grapheme. */
export function createTextKey(text: string): KeyEvent {
  const key = text === ' ' ? 'space' : text.toLowerCase()
  return { type: 'key', key, text, ...NO_MODIFIERS, shift: key !== text && text !== ' ' }
}

/** Returns the key for which a terminal without a keyboard protocol sends this control character. */
export function decodeControlCharacter(code: number): KeyEvent {
  if (code !== 8 && KEYS_BY_CODE[code] !== undefined) return createKey(KEYS_BY_CODE[code], NO_MODIFIERS)
  if (code === 0) return createKey('space', { ...NO_MODIFIERS, ctrl: true })
  // 1 to 26 are the letters, the others are \ ] ^ _
  return createKey(String.fromCharCode(code <= 26 ? code + 96 : code + 64), { ...NO_MODIFIERS, ctrl: true })
}

/** Returns the key of a `CSI` sequence, or undefined if it is not a key. */
export function decodeCsi(parameters: string, finalByte: string): KeyEvent | undefined {
  if (finalByte === 'Z') return createKey('tab', { ...NO_MODIFIERS, shift: true })
  const fields = parameters.split(';').map((field) => field.split(':').map((number) => Number.parseInt(number, 10)))
  const [[code = Number.NaN, shiftedCode = Number.NaN] = [], [modifiers = 1, eventType = 1] = []] = fields
  if (eventType === 3 || hasCommandModifier(modifiers)) return undefined
  if (finalByte === 'u') return decodeCode(code, shiftedCode, readModifiers(modifiers))
  if (finalByte === '~') {
    if (code === 27) return decodeCode(fields[2]?.[0] ?? Number.NaN, Number.NaN, readModifiers(modifiers))
    const key = KEYS_BY_NUMBER[code]
    return key === undefined ? undefined : createKey(key, readModifiers(modifiers))
  }
  const key = KEYS_BY_LETTER[finalByte]
  return key === undefined || finalByte === 'M' ? undefined : createKey(key, readModifiers(modifiers))
}

/** Returns the key of `ESC O letter`. */
export function decodeSs3(letter: string): KeyEvent | undefined {
  const key = KEYS_BY_LETTER[letter]
  return key === undefined ? undefined : createKey(key, NO_MODIFIERS)
}

function decodeCode(code: number, shiftedCode: number, modifiers: Modifiers): KeyEvent | undefined {
  const name = KEYS_BY_CODE[code] ?? KEYPAD_KEYS[code - FIRST_KEYPAD_CODE]
  if (name === undefined && !hasCharacter(code)) return undefined
  const character = name === 'space' ? ' ' : (name ?? String.fromCodePoint(code))
  if (character.length > 1 && name !== undefined) return createKey(name, modifiers)
  const { key, shift: isUpperCase } = createTextKey(character)
  const shift = modifiers.shift || isUpperCase
  if (modifiers.ctrl || modifiers.alt) return createKey(key, { ...modifiers, shift })
  const shiftedText = hasCharacter(shiftedCode) ? String.fromCodePoint(shiftedCode) : character.toUpperCase()
  return { ...createKey(key, { ...modifiers, shift }), text: shift ? shiftedText : character }
}

/** Whether a code of the kitty protocol means a character. Keys without one have codes in a private range. */
function hasCharacter(code: number): boolean {
  return code >= 32 && code <= 0x10ffff && !(code >= 57344 && code <= 63743)
}

function createKey(key: string, modifiers: Modifiers): KeyEvent {
  return { type: 'key', key, ...modifiers }
}

/**
 * Reads the modifiers, which are sent as their sum plus 1: Shift 1, Alt 2, Ctrl 4, Super 8, Hyper 16, Meta 32, Caps Lock 64,
 * Num Lock 128.
 */
function readModifiers(sum: number): Modifiers {
  const bits = Number.isNaN(sum) ? 0 : sum - 1
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 }
}

/** Whether Super or Hyper is pressed. Such keys belong to the window manager and the terminal. */
function hasCommandModifier(sum: number): boolean {
  return !Number.isNaN(sum) && ((sum - 1) & 24) !== 0
}
