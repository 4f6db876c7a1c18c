import { toPrintable } from '../../shared/printable.js'

const ESC = '\u001b'
const CSI = `${ESC}[`
const ST = `${ESC}\\`

/** Bracketed paste, focus events, and the kitty keyboard protocol, which distinguishes Shift+Enter from Enter. */
export const ENTER_MODES = `${CSI}?2004h${CSI}?1004h${CSI}>1u`
/** Far enough to the right: a reply with a column up to 16 could also be F3 with modifiers. */
const PROBE_COLUMN = 20
/** Writes a character of ambiguous width, asks where the cursor is then, and removes the character. */
const PROBE_WIDTH = `${CSI}${PROBE_COLUMN}G●${CSI}6n\r${CSI}K`
/** The column of the cursor, counted from 0, if the character is two columns wide. */
export const WIDE_PROBE_COLUMN = PROBE_COLUMN + 1
/**
 * Asks for the keyboard protocol, synchronised updates and the width of ambiguous characters. Every terminal replies to
 * the last query (attributes).
 */
export const QUERIES = `${CSI}?u${CSI}?2026$p${PROBE_WIDTH}${CSI}c`
/** For terminals without the kitty protocol: modifyOtherKeys. */
export const MODIFY_OTHER_KEYS = `${CSI}>4;2m`
export const LEAVE_MODES = `${CSI}<u${CSI}>4;0m${CSI}?1004l${CSI}?2004l${CSI}?7h${CSI}?25h${CSI}m`
/** Sets the keyboard protocol again, because the alternate screen has its own setting for it. */
export const ENTER_ALTERNATE = `${CSI}?1049h${CSI}>1u${CSI}?25l`
export const LEAVE_ALTERNATE = `${CSI}<u${CSI}?1049l${CSI}?25h`
export const SAVE_TITLE = `${CSI}22;0t`
export const RESTORE_TITLE = `${CSI}23;0t`
export const ASK_POSITION = `${CSI}6n`
/** For a terminal in any state: ends an unfinished sequence, link and update, and erases the rest of the footer. */
export const RESET_AFTER_KILL = `\u0018${ST}${ESC}]8;;${ST}${CSI}?2026l${LEAVE_MODES}${CSI}J`

/** A reply to `QUERIES` or `ASK_POSITION`. */
export type Reply =
  | { readonly type: 'position'; readonly column: number }
  | { readonly type: 'synchronised-updates' | 'kitty-keyboard' | 'attributes' }

/** Reads a reply of the terminal. Columns are counted from 0. */
export function readReply(sequence: string): Reply | undefined {
  const reply = sequence.replace(ESC, '')
  const position = /^\[\d+;(\d+)R$/.exec(reply)
  if (position !== null) return { type: 'position', column: Number(position[1]) - 1 }
  if (/^\[\?2026;[12]\$y$/.test(reply)) return { type: 'synchronised-updates' }
  if (/^\[\?\d+u$/.test(reply)) return { type: 'kitty-keyboard' }
  return /^\[\?[\d;]*c$/.test(reply) ? { type: 'attributes' } : undefined
}

type Variables = Readonly<Record<string, string | undefined>>

export function encodeTitle(text: string): string {
  return `${ESC}]2;${toPrintable(text)}${ST}`
}

/**
 * Returns a bell and a desktop notification: OSC 99 (kitty, foot) or OSC 9 (most others). If the terminal is unknown, both are
 * sent, because terminals ignore sequences that they do not know.
 */
export function encodeNotification(title: string, body: string, variables: Variables): string {
  const text = toPrintable(body === '' ? title : `${title}: ${body}`)
  const osc9 = `${ESC}]9;${text}${ST}`
  const osc99 =
    `${ESC}]99;i=haft:d=0;${toPrintable(title)}${ST}` + `${ESC}]99;i=haft:d=1:p=body;${toPrintable(body)}${ST}`
  const sequences = /kitty|foot/.test(variables.TERM ?? '') ? osc99 : osc9 + osc99
  return `\u0007${passThrough(sequences, variables)}`
}

/**
 * Returns the sequence that copies a text to the clipboard. tmux accepts OSC 52 itself or passes it on, depending on its
 * settings.
 */
export function encodeCopy(text: string, variables: Variables): string {
  const sequence = `${ESC}]52;c;${Buffer.from(text).toString('base64')}${ST}`
  return variables.TMUX === undefined ? sequence : sequence + passThrough(sequence, variables)
}

/** Wraps sequences for tmux, which otherwise drops those that it does not know. */
function passThrough(sequences: string, { TMUX }: Variables): string {
  return TMUX === undefined ? sequences : `${ESC}Ptmux;${sequences.replaceAll(ESC, ESC + ESC)}${ST}`
}

/** Whether the terminal wraps lines again when its width changes. Almost all terminals do. */
export function wrapsOnResize({ TERM = '', TMUX, XTERM_VERSION }: Variables): boolean {
  return TMUX !== undefined || (XTERM_VERSION === undefined && !/^(?:linux|screen|vt\d)/.test(TERM))
}

/**
 * Whether the terminal is based on xterm.js. Such terminals do not wrap the row of the cursor, and move the cursor for rows below
 * it.
 */
export function isXtermJs({ TERM_PROGRAM = '', TMUX }: Variables): boolean {
  return TMUX === undefined && /^(?:vscode|Hyper|Tabby)$/.test(TERM_PROGRAM)
}
