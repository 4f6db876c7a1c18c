/** @typedef {import('@xterm/headless').IBufferCell} Cell */

const FONT_SIZE = 13
const CELL_WIDTH = 7.8
const LINE_HEIGHT = 18
const PADDING = 20
const TITLE_HEIGHT = 36
const DIM_OPACITY = 0.6

/** The colours of a terminal: background, text, and the first 16 colours. */
const PALETTES = {
  dark: {
    background: '#15191f',
    text: '#d7dde5',
    colours:
      '#15191f #f2777a #8fd18f #f0c674 #81a2be #c397d8 #70c0b1 #c5c8c6 #7f8a98 #f2777a #8fd18f #f0c674 #81a2be #c397d8 #70c0b1 #ffffff',
  },
  light: {
    background: '#ffffff',
    text: '#1f2328',
    colours:
      '#24292f #cf222e #116329 #7d4e00 #0969da #8250df #1b7c83 #6e7781 #57606a #a40e26 #1a7f37 #633c01 #218bff #a475f9 #3192aa #8c959f',
  },
}

/**
 * Draws the screen of a terminal emulator as an SVG picture, without empty rows at the end.
 * @param {import('@xterm/headless').Terminal} terminal
 * @param {{ title: string, isLight?: boolean, hasScrollback?: boolean, hasCursor?: boolean }} options
 */
export function drawScreen(terminal, { title, isLight = false, hasScrollback = false, hasCursor = false }) {
  const palette = createPalette(isLight ? PALETTES.light : PALETTES.dark)
  const { active } = terminal.buffer
  const firstLine = hasScrollback ? 0 : active.baseY
  const rows = []
  for (let index = firstLine; index < active.length; index++)
    rows.push(drawRow(active, index, index - firstLine, palette))
  while (rows.at(-1) === '') rows.pop()
  const width = Math.ceil(terminal.cols * CELL_WIDTH + 2 * PADDING)
  const height = TITLE_HEIGHT + rows.length * LINE_HEIGHT + PADDING
  const cursor = hasCursor ? drawCursor(active, firstLine, palette) : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
<rect width="${width}" height="${height}" rx="10" fill="${palette.background}"${isLight ? ' stroke="#d0d7de"' : ''}/>
<circle cx="22" cy="18" r="5.5" fill="#f2777a"/><circle cx="41" cy="18" r="5.5" fill="#f0c674"/><circle cx="60" cy="18" r="5.5" fill="#8fd18f"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${FONT_SIZE}" fill="${palette.text}" style="white-space:pre">
<text x="${width / 2}" y="22" text-anchor="middle" fill="${palette.colours[8]}">${escapeXml(title)}</text>
${rows.filter((row) => row !== '').join('\n')}${cursor}
</g>
</svg>
`
}

/** @typedef {{ background: string, text: string, colours: readonly string[] }} Palette */

/** Creates the palette of 256 colours: 16 of the theme, a cube of 216 and 24 greys. @returns {Palette} */
function createPalette(/** @type {{ background: string, text: string, colours: string }} */ theme) {
  const levels = [0, 95, 135, 175, 215, 255]
  const cube = levels.flatMap((red) => levels.flatMap((green) => levels.map((blue) => toHex(red, green, blue))))
  const greys = Array.from({ length: 24 }, (_, index) => toHex(8 + index * 10, 8 + index * 10, 8 + index * 10))
  return { ...theme, colours: [...theme.colours.split(' '), ...cube, ...greys] }
}

/** @param {number} red @param {number} green @param {number} blue */
function toHex(red, green, blue) {
  return `#${[red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/**
 * Draws one `text` element for each run of cells in one style. `textLength` keeps the columns aligned in any font.
 * @param {import('@xterm/headless').IBuffer} buffer
 * @param {number} index of the line in the buffer
 * @param {number} row in the picture
 * @param {Palette} palette
 */
function drawRow(buffer, index, row, palette) {
  const line = buffer.getLine(index)
  if (line === undefined) return ''
  const parts = []
  let column = 0
  while (column < line.length) {
    const cell = line.getCell(column)
    if (cell === undefined) break
    const style = styleOf(cell, palette)
    const start = column
    let text = ''
    for (
      let next = /** @type {Cell | undefined} */ (cell);
      next !== undefined && styleOf(next, palette).key === style.key;
    ) {
      if (next.getWidth() > 0) text += next.getChars() || ' '
      next = line.getCell(++column)
    }
    parts.push(drawRun(text, { start, end: column, row, style }))
  }
  return parts.join('')
}

/** @param {Cell} cell @param {Palette} palette */
function styleOf(cell, palette) {
  const colour = colourOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor(), palette) ?? undefined
  const background = colourOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor(), palette)
  const isInverse = cell.isInverse() !== 0
  const style = {
    fill: isInverse ? (background ?? palette.background) : colour,
    background: isInverse ? (colour ?? palette.text) : background,
    isBold: cell.isBold() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
    isStruck: cell.isStrikethrough() !== 0,
    isDim: cell.isDim() !== 0,
  }
  return { ...style, key: Object.values(style).join(' ') }
}

/** @param {boolean} isDefault @param {boolean} isRgb @param {number} value @param {Palette} palette */
function colourOf(isDefault, isRgb, value, palette) {
  if (isDefault) return undefined
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : palette.colours[value]
}

/** @param {string} text @param {{ start: number, end: number, row: number, style: ReturnType<typeof styleOf> }} run */
function drawRun(text, { start, end, row, style }) {
  const top = TITLE_HEIGHT + row * LINE_HEIGHT
  const rectangle =
    style.background === undefined
      ? ''
      : `<rect x="${(PADDING + start * CELL_WIDTH).toFixed(1)}" y="${top}" width="${((end - start) * CELL_WIDTH).toFixed(1)}" height="${LINE_HEIGHT}" fill="${style.background}"/>`
  const indent = text.length - text.trimStart().length
  const trimmedText = text.trim()
  if (trimmedText === '') return rectangle
  const columns = end - start - (text.length - trimmedText.length)
  const decoration = [...(style.isUnderlined ? ['underline'] : []), ...(style.isStruck ? ['line-through'] : [])]
  const attributes = [
    `x="${(PADDING + (start + indent) * CELL_WIDTH).toFixed(1)}" y="${top + LINE_HEIGHT - 4}" textLength="${(columns * CELL_WIDTH).toFixed(1)}"`,
    ...(style.fill === undefined ? [] : [`fill="${style.fill}"`]),
    ...(style.isBold ? ['font-weight="700"'] : []),
    ...(style.isItalic ? ['font-style="italic"'] : []),
    ...(decoration.length > 0 ? [`text-decoration="${decoration.join(' ')}"`] : []),
    ...(style.isDim ? [`opacity="${DIM_OPACITY}"`] : []),
  ]
  return `${rectangle}<text ${attributes.join(' ')}>${escapeXml(trimmedText)}</text>`
}

/** @param {import('@xterm/headless').IBuffer} buffer @param {number} firstLine @param {Palette} palette */
function drawCursor(buffer, firstLine, palette) {
  const x = PADDING + buffer.cursorX * CELL_WIDTH
  const y = TITLE_HEIGHT + (buffer.baseY - firstLine + buffer.cursorY) * LINE_HEIGHT
  return `\n<rect x="${x.toFixed(1)}" y="${y}" width="${CELL_WIDTH}" height="${LINE_HEIGHT}" fill="${palette.text}" opacity="0.5"/>`
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
