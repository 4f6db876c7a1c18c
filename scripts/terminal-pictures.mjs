// Plays scenes of an interactive session and draws each as an SVG picture, for visual review:
//   node scripts/terminal-pictures.mjs FOLDER [--columns=N] [--rows=N] [--theme=dark|light|none] [SCENE…]
// docs/terminal.svg is the scene "edit-dialog".
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { createInteractive } from '../test/terminal/interactive-fixture.mjs'
import { drawScreen } from './terminal/draw-screen.mjs'
import { SCENES } from './terminal/scenes.mjs'

const CONTROL_D = '\u0004'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    columns: { type: 'string', default: '100' },
    rows: { type: 'string', default: '36' },
    theme: { type: 'string', default: 'dark' },
  },
})
const [folder, ...names] = positionals
if (folder === undefined) throw new Error('Pass the folder for the pictures: node scripts/terminal-pictures.mjs FOLDER')
mkdirSync(folder, { recursive: true })
for (const scene of SCENES) if (names.length === 0 || names.includes(scene.name)) await drawScene(scene, folder)

/** @param {import('./terminal/scenes.mjs').Scene} scene @param {string} folder */
async function drawScene(scene, folder) {
  const { name, turns = [], files = {}, isTrusted = true, args = [] } = scene
  const script = { id: 'example-model', ...scene.script }
  const interactive = await createInteractive({ turns, script, files, isTrusted })
  const options = {
    columns: Number(values.columns),
    rows: Number(values.rows),
    // The project is shown as ~/project.
    variables: { HOME: dirname(interactive.project), ...variablesOf(values.theme) },
  }
  try {
    for (const prompt of scene.earlierPrompts ?? []) {
      const earlierTerminal = interactive.start([prompt], options)
      await earlierTerminal.waitFor('of context')
      earlierTerminal.type(CONTROL_D)
      await earlierTerminal.waitForExit()
    }
    const terminal = interactive.start(args, options)
    await scene.play(terminal)
    const hasCursor = !terminal.readModes().includes('?25')
    const isLight = values.theme === 'light'
    writeFileSync(join(folder, `${name}.svg`), drawScreen(terminal.terminal, { title: 'haft', isLight, hasCursor }))
    process.stdout.write(`${name}\n`)
  } finally {
    await interactive.close()
  }
}

/** @param {string} theme @returns {Record<string, string>} */
function variablesOf(theme) {
  if (theme === 'none') return { NO_COLOR: '1' }
  return { COLORTERM: 'truecolor', ...(theme === 'light' && { COLORFGBG: '0;15' }) }
}
