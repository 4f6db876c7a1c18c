import xterm from '@xterm/headless'
import stringWidth from 'string-width'

/**
 * A terminal emulator with the widths of characters that current terminals use.
 * @param {{
 *   columns: number, rows: number, scrollback?: number, convertEol?: boolean, isAmbiguousWide?: boolean,
 * }} options
 */
export function createXterm({ columns, rows, scrollback = 100_000, convertEol = false, isAmbiguousWide = false }) {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback, convertEol, allowProposedApi: true })
  // The addon is typed for terminals with a renderer.
  terminal.loadAddon(/** @type {any} */ (new UnicodeGraphemesAddon()))
  if (isAmbiguousWide) {
    terminal.unicode.register(WIDE_WIDTHS)
    terminal.unicode.activeVersion = WIDE_WIDTHS.version
  }
  return terminal
}

/** The widths of a terminal that draws ambiguous characters in two columns. */
const WIDE_WIDTHS = {
  version: 'ambiguous-wide',
  /** @param {number} code @returns {0 | 1 | 2} */
  wcwidth(code) {
    const width = stringWidth(String.fromCodePoint(code), { ambiguousIsNarrow: false })
    return width === 2 ? 2 : 1
  },
  /** @param {number} code */
  charProperties(code) {
    return this.wcwidth(code) << 1
  },
}

/**
 * Writes synchronously. `write` waits for the next turn of the event loop.
 * @param {import('@xterm/headless').Terminal} terminal
 * @param {string | Uint8Array} data
 */
export function writeNow(terminal, data) {
  const { _core: core } = /** @type {{ _core: { writeSync(data: string | Uint8Array): void } }} */ (
    /** @type {unknown} */ (terminal)
  )
  core.writeSync(data)
}

const UnicodeGraphemesAddon = await loadAddon()

/** The addon reads the memory of a buffer from its start, so the buffer must not be a slice of Node's pool. */
async function loadAddon() {
  const { poolSize } = Buffer
  Buffer.poolSize = 0
  const addon = await import('@xterm/addon-unicode-graphemes')
  Buffer.poolSize = poolSize
  return addon.UnicodeGraphemesAddon
}

/**
 * Logical lines from the first line of the scrollback, without spaces at their ends and without empty ones at the end.
 * @param {import('@xterm/headless').Terminal} terminal
 */
export function readLines({ buffer: { normal } }) {
  /** @type {string[]} */
  const lines = []
  for (let index = 0; index < normal.length; index++) {
    const line = normal.getLine(index)
    if (line === undefined) continue
    // Where a wide character did not fit into the last column, the cell is empty.
    const isFilled = line.getCell(line.length - 1)?.getChars() !== '' || line.getCell(line.length - 1)?.getWidth() === 0
    const isContinued = normal.getLine(index + 1)?.isWrapped === true
    const text = line.translateToString(!(isContinued && isFilled))
    if (line.isWrapped) lines.push((lines.pop() ?? '') + text)
    else lines.push(text)
  }
  const trimmedLines = lines.map((line) => line.trimEnd())
  while (trimmedLines.at(-1) === '') trimmedLines.pop()
  return trimmedLines
}

/** Sequences that clear the screen or the scrollback, scroll a region or switch to the alternate screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals understand control characters
export const FORBIDDEN_SEQUENCES = /\u001b\[(?:[23]J|\d*;?\d*r|\d*S|\?1049h|\?1047h|\?47h)/g
