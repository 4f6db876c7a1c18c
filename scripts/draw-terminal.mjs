// Draws terminal output as an SVG picture. These commands created docs/demo.svg:
//   tmux new-session -d -s demo -x 100 -y 200 'node bin/haft demo; sleep 60'
//   tmux capture-pane -e -p -t demo | node scripts/draw-terminal.mjs 'node bin/haft demo' > docs/demo.svg
import { readFileSync } from 'node:fs'
import { createXterm, writeNow } from '../test/terminal/xterm.mjs'
import { drawScreen } from './terminal/draw-screen.mjs'

const COLUMN_COUNT = 100

const title = process.argv[2] ?? ''
const text = readFileSync(0, 'utf8').trimEnd()
const terminal = createXterm({ columns: COLUMN_COUNT, rows: text.split('\n').length, convertEol: true })
writeNow(terminal, text)
process.stdout.write(drawScreen(terminal, { title }))
