import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { Editor } from '../../src/terminal/editor/editor.js'
import type { InputEvent } from '../../src/terminal/input/input-event.js'
import { Screen } from '../../src/terminal/screen/screen.js'
import type { StyledLine } from '../../src/views/styled-line.js'
import { chooseTheme } from '../../src/views/themes.js'
import { toAnsi } from '../../src/views/to-ansi.js'
import { wrapLines } from '../../src/views/wrap-lines.js'

/**
 * A program with a screen and an editor, for tests and benches. It sends its process id through a socket. Then commands
 * arrive as lines of JSON, and the program replies after it has run each.
 */
export interface ScreenCommand {
  /** Lines to commit. */
  commit?: readonly string[]
  /** Rows above the editor, for example an open answer. */
  open?: readonly string[]
  /**
   * Commits `count` lines, one every `intervalMs`. With `isByWord`, adds a word every `intervalMs`, above the editor until
   * its line is complete.
   */
  stream?: { readonly count: number; readonly intervalMs: number; readonly text: string; readonly isByWord?: boolean }
  title?: string
  notify?: readonly [title: string, body: string]
  copy?: string
  alternate?: readonly string[] | null
  outside?: string
  suspend?: true
  /** Draws this many frames and answers with the CPU time of one in microseconds. */
  frames?: number
  throws?: string
  exit?: number
}

const theme = chooseTheme({ variables: process.env })
const screen = new Screen({
  input: process.stdin,
  output: process.stdout,
  variables: process.env,
  toAnsi: (line) => toAnsi(line, theme),
})
const editor = new Editor()
let open: readonly string[] = []
let alternate: ReturnType<Screen['enterAlternate']> | undefined

function draw(): void {
  const { lines, cursor } = editor.render(screen.columns - 2, 10)
  const rows = wrapLines(
    open.map((text) => [{ text }]),
    screen.columns,
  )
  const prompt = lines.map((line, index): StyledLine => [{ text: index === 0 ? '> ' : '  ' }, ...line])
  const menu = editor.renderMenu(screen.columns, 5)
  const status: StyledLine = [{ text: `ready ${screen.columns}x${screen.rows}`, style: { tone: 'muted' } }]
  screen.setFooter({
    lines: [...rows, ...prompt, ...menu, status],
    cursor: { row: rows.length + cursor.row, column: cursor.column + 2 },
  })
}

function describe(text: string): string {
  return `${text.length} characters, sha256 ${createHash('sha256').update(text).digest('hex')}`
}

screen.onInput((event: InputEvent) => {
  const result = editor.handle(event)
  if (result === 'submit') {
    const { text } = editor.takeSubmission()
    screen.commit([[{ text: text.length < 100 && !text.includes('\n') ? `you: ${text}` : `you: ${describe(text)}` }]])
  } else if (result === 'ignored' && event.type === 'key') {
    if (event.ctrl && event.key === 'd') process.exit(0)
    if (event.ctrl && event.key === 'z') screen.suspend()
    screen.commit([[{ text: `key: ${JSON.stringify(event)}` }]])
  }
  draw()
})
screen.onResize(draw)
draw()

const { SCREEN_SOCKET } = process.env
if (SCREEN_SOCKET !== undefined) {
  const socket = connect(SCREEN_SOCKET)
  socket.write(`${process.pid}\n`)
  createInterface(socket).on('line', async (line) => {
    socket.write(`${(await run(JSON.parse(line) as ScreenCommand)) ?? 'done'}\n`)
  })
}

async function run(command: ScreenCommand): Promise<number | undefined> {
  if (command.commit !== undefined) screen.commit(command.commit.map((text) => [{ text }]))
  if (command.open !== undefined) open = command.open
  if (command.title !== undefined) screen.setTitle(command.title)
  if (command.notify !== undefined) screen.notify(...command.notify)
  if (command.copy !== undefined) screen.copy(command.copy)
  if (command.stream !== undefined) await stream(command.stream)
  if (command.outside !== undefined) {
    const { spawn } = await import('node:child_process')
    const shellCommand = command.outside
    await screen.runOutside(
      () => new Promise((resolve) => spawn('sh', ['-c', shellCommand], { stdio: 'inherit' }).on('exit', resolve)),
    )
  }
  if (command.alternate === null) alternate?.close()
  else if (command.alternate !== undefined) {
    alternate = screen.enterAlternate()
    alternate.draw({ lines: command.alternate.map((text) => [{ text }]) })
  }
  if (command.suspend) screen.suspend()
  if (command.throws !== undefined) {
    const message = command.throws
    setImmediate(() => {
      throw new Error(message)
    })
  }
  if (command.exit !== undefined) process.exit(command.exit)
  draw()
  return command.frames === undefined ? undefined : await measureFrames(command.frames)
}

async function measureFrames(count: number): Promise<number> {
  const before = process.cpuUsage()
  for (let frame = 0; frame < count; frame++) {
    open = [`frame ${frame}`]
    draw()
    screen.flush()
    // The terminal reads between two frames.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

async function stream({
  count,
  intervalMs,
  text,
  isByWord = false,
}: NonNullable<ScreenCommand['stream']>): Promise<void> {
  const wait = async () => {
    if (intervalMs > 0) await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
  for (let index = 0; index < count; index++) {
    const line = `${index} ${text}`
    for (let end = line.indexOf(' '); isByWord && end !== -1; end = line.indexOf(' ', end + 1)) {
      open = [line.slice(0, end)]
      draw()
      await wait()
    }
    open = []
    screen.commit([[{ text: line }]])
    if (isByWord) draw()
    await wait()
  }
}
