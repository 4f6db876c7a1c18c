// Draws terminal output as an SVG picture. docs/demo.svg was made with it:
//   tmux new-session -d -s demo -x 100 -y 200 'node bin/haft demo; sleep 60'
//   tmux capture-pane -e -p -t demo | node scripts/draw-terminal.mjs 'node bin/haft demo' > docs/demo.svg
import { readFileSync } from 'node:fs'

const COLUMN_COUNT = 100
const FONT_SIZE = 13
const CHARACTER_WIDTH = 7.8
const LINE_HEIGHT = 18
const PADDING = 20
const TITLE_HEIGHT = 36
const BACKGROUND = '#15191f'
const FOREGROUND = '#d7dde5'
const DIM = '#7f8a98'
const COLOURS = { 31: '#f2777a', 32: '#8fd18f', 33: '#f0c674', 34: '#81a2be', 35: '#c397d8', 36: '#70c0b1' }

const ESCAPE_CHARACTER = String.fromCharCode(27)
const STYLE_SEQUENCE = new RegExp(`${ESCAPE_CHARACTER}\\[([\\d;]*)m`)

const title = process.argv[2] ?? ''
const lines = readFileSync(0, 'utf8').trimEnd().split('\n')
process.stdout.write(draw(lines))

/** @param {readonly string[]} lines */
function draw(lines) {
  const width = Math.ceil(COLUMN_COUNT * CHARACTER_WIDTH + 2 * PADDING)
  const height = TITLE_HEIGHT + lines.length * LINE_HEIGHT + PADDING
  const state = { bold: false, dim: false, colour: undefined }
  const rows = lines.map((line, index) => drawLine(line, TITLE_HEIGHT + (index + 1) * LINE_HEIGHT - 4, state))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
<rect width="${width}" height="${height}" rx="10" fill="${BACKGROUND}"/>
<circle cx="22" cy="18" r="5.5" fill="#f2777a"/><circle cx="41" cy="18" r="5.5" fill="#f0c674"/><circle cx="60" cy="18" r="5.5" fill="#8fd18f"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${FONT_SIZE}" fill="${FOREGROUND}" xml:space="preserve">
<text x="${width / 2}" y="22" text-anchor="middle" fill="${DIM}">${escapeXml(title)}</text>
${rows.filter((row) => row !== '').join('\n')}
</g>
</svg>
`
}

/**
 * One `text` element for each run of one style. `textLength` keeps the columns aligned in any font.
 * @param {string} line
 * @param {number} y
 * @param {{ bold: boolean, dim: boolean, colour: string | undefined }} state colours continue on the next line
 */
function drawLine(line, y, state) {
  let column = 0
  const texts = []
  for (const part of line.split(new RegExp(`(${STYLE_SEQUENCE.source.replace('(', '(?:')})`))) {
    const codes = STYLE_SEQUENCE.exec(part)?.[1]
    if (codes !== undefined) {
      for (const code of codes.split(';')) applyCode(Number(code), state)
      continue
    }
    const characters = [...part].slice(0, COLUMN_COUNT - column)
    const text = characters.join('').trimEnd()
    if (text !== '') texts.push(drawText(text, column, y, state))
    column += characters.length
  }
  return texts.join('')
}

/**
 * @param {string} text
 * @param {number} column
 * @param {number} y
 * @param {{ bold: boolean, dim: boolean, colour: string | undefined }} state
 */
function drawText(text, column, y, { bold, dim, colour }) {
  const indent = text.length - text.trimStart().length
  const trimmedText = text.trimStart()
  const x = PADDING + (column + indent) * CHARACTER_WIDTH
  const fillColour = colour ?? (dim ? DIM : undefined)
  const attributes = [
    `x="${x.toFixed(1)}" y="${y}" textLength="${([...trimmedText].length * CHARACTER_WIDTH).toFixed(1)}"`,
    ...(fillColour === undefined ? [] : [`fill="${fillColour}"`]),
    ...(bold ? ['font-weight="700"'] : []),
  ]
  return `<text ${attributes.join(' ')}>${escapeXml(trimmedText)}</text>`
}

/**
 * @param {number} code
 * @param {{ bold: boolean, dim: boolean, colour: string | undefined }} state
 */
function applyCode(code, state) {
  if (code === 0) Object.assign(state, { bold: false, dim: false, colour: undefined })
  else if (code === 1) state.bold = true
  else if (code === 2) state.dim = true
  else if (code === 22) Object.assign(state, { bold: false, dim: false })
  else if (code === 39) state.colour = undefined
  else if (code in COLOURS) state.colour = COLOURS[/** @type {keyof typeof COLOURS} */ (code)]
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
