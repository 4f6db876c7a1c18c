import type { KeyEvent } from '../input/input-event.js'
import type { TextBuffer } from './text-buffer.js'

/** The parts of the editor that vim commands use. */
export interface VimContext {
  readonly buffer: TextBuffer
  moveRow(step: 1 | -1): void
  enterInsertMode(): void
}

type Motion = (buffer: TextBuffer, position: number) => number
type Operator = 'd' | 'c' | 'y'

const MOTIONS: Readonly<Record<string, Motion>> = {
  h: (buffer, position) => Math.max(buffer.findLineStart(position), buffer.findPreviousGrapheme(position)),
  l: (buffer, position) => Math.min(buffer.findLineEnd(position), buffer.findNextGrapheme(position)),
  0: (buffer, position) => buffer.findLineStart(position),
  '^': (buffer, position) => findFirstText(buffer, position),
  $: (buffer, position) => buffer.findLineEnd(position),
  w: (buffer, position) => findNextWordStart(buffer, position),
  b: (buffer, position) => buffer.findPreviousWord(position),
  e: (buffer, position) => buffer.findNextWord(buffer.findNextGrapheme(position)),
  G: (buffer) => buffer.text.length,
}

const ALIASES: Readonly<Record<string, string>> = {
  left: 'h',
  right: 'l',
  home: '0',
  end: '$',
  backspace: 'h',
  space: 'l',
  delete: 'x',
}

/** The common commands of vim's normal mode: motions, operators (d, c, y), inserting, pasting, counts and undo. */
export class VimKeys {
  #operator: Operator | undefined
  #count = ''
  /** A command that still needs its second key, such as `g` or `r`. */
  #prefix: 'g' | 'r' | undefined
  #isLineKill = false

  /** Returns whether the key is a command. */
  handle(event: KeyEvent, context: VimContext): boolean {
    if (event.alt || (event.ctrl && event.key !== 'r')) return false
    if (event.ctrl) {
      context.buffer.redo()
      return true
    }
    const key = ALIASES[event.key] ?? event.text ?? event.key
    if (key === 'escape') return this.#reset()
    if (this.#prefix !== undefined) return this.#completePrefix(key, context)
    return this.#startCommand(key) || this.#finishCommand(key, context) || event.text !== undefined
  }

  /** Handles keys whose effect depends on the next key. Returns whether this is one. */
  #startCommand(key: string): boolean {
    if (/^[1-9]$/.test(key) || (key === '0' && this.#count !== '')) {
      this.#count += key
      return true
    }
    if (key !== 'g' && (key !== 'r' || this.#operator !== undefined)) return false
    this.#prefix = key
    return true
  }

  #finishCommand(key: string, context: VimContext): boolean {
    const isKnown = this.#operator === undefined ? this.#runCommand(key, context) : this.#applyOperator(key, context)
    if (this.#operator === undefined || !isKnown) this.#count = ''
    if (!isKnown) this.#operator = undefined
    return isKnown
  }

  /** Returns whether a command was unfinished. */
  #reset(): boolean {
    const wasPending = this.#operator !== undefined || this.#prefix !== undefined || this.#count !== ''
    this.#operator = undefined
    this.#prefix = undefined
    this.#count = ''
    return wasPending
  }

  #completePrefix(key: string, { buffer }: VimContext): boolean {
    const prefix = this.#prefix
    this.#prefix = undefined
    if (prefix === 'g' && key === 'g') buffer.moveTo(0)
    if (prefix === 'r' && key.length > 0 && buffer.caret < buffer.findLineEnd()) {
      const { caret } = buffer
      buffer.replace(caret, buffer.findNextGrapheme(), key)
      buffer.moveTo(caret)
    }
    this.#count = ''
    return true
  }

  #runCommand(key: string, context: VimContext): boolean {
    const { buffer } = context
    const motion = MOTIONS[key]
    if (motion !== undefined) {
      buffer.moveTo(this.#repeat(buffer, motion))
      keepOnCharacter(buffer)
      return true
    }
    const command = COMMANDS[key]
    if (command !== undefined) {
      for (let count = this.#readCount(); count > 0; count--) command(context, this.#isLineKill)
      if (key === 'D' || key === 'C' || key === 'x') this.#isLineKill = false
      return true
    }
    if (key !== 'd' && key !== 'c' && key !== 'y') return false
    this.#operator = key
    return true
  }

  /** Applies the operator to a motion. The same key twice means the whole line. */
  #applyOperator(key: string, context: VimContext): boolean {
    const { buffer } = context
    const operator = this.#operator
    const motion = MOTIONS[key]
    this.#operator = undefined
    if (key === operator) this.#applyToLine(operator, context)
    else if (motion !== undefined && operator !== undefined) {
      // `cw` changes the word, not the space after it.
      const end = this.#repeat(buffer, operator === 'c' && key === 'w' ? (MOTIONS.e ?? motion) : motion)
      this.#isLineKill = false
      if (operator === 'y') buffer.addKill(buffer.text.slice(Math.min(buffer.caret, end), Math.max(buffer.caret, end)))
      else buffer.kill(buffer.caret, end)
    } else return false
    if (operator === 'c') context.enterInsertMode()
    else keepOnCharacter(buffer)
    return true
  }

  #applyToLine(operator: Operator, { buffer }: VimContext): void {
    const start = buffer.findLineStart()
    const end = buffer.findLineEnd()
    this.#isLineKill = operator !== 'c'
    if (operator === 'y') buffer.addKill(buffer.text.slice(start, end))
    else if (operator === 'c') buffer.kill(start, end)
    else {
      // The line break is deleted with the line, but not kept for `p`.
      const line = buffer.text.slice(start, end)
      const isLast = end === buffer.text.length
      buffer.delete(isLast ? Math.max(0, start - 1) : start, isLast ? end : end + 1)
      buffer.moveTo(buffer.findLineStart())
      buffer.addKill(line)
    }
  }

  #repeat(buffer: TextBuffer, motion: Motion): number {
    let position = buffer.caret
    for (let count = this.#readCount(); count > 0; count--) position = motion(buffer, position)
    return position
  }

  #readCount(): number {
    const count = Math.min(1_000, Number(this.#count || 1))
    this.#count = ''
    return count
  }
}

const COMMANDS: Readonly<Record<string, (context: VimContext, isLineKill: boolean) => void>> = {
  i: (context) => context.enterInsertMode(),
  a: (context) => insertAt(context, Math.min(context.buffer.findLineEnd(), context.buffer.findNextGrapheme())),
  I: (context) => insertAt(context, findFirstText(context.buffer, context.buffer.caret)),
  A: (context) => insertAt(context, context.buffer.findLineEnd()),
  o: (context) => openLine(context, context.buffer.findLineEnd(), 1),
  O: (context) => openLine(context, context.buffer.findLineStart(), 0),
  j: (context) => context.moveRow(1),
  k: (context) => context.moveRow(-1),
  down: (context) => context.moveRow(1),
  up: (context) => context.moveRow(-1),
  x: ({ buffer }) => {
    buffer.kill(buffer.caret, Math.min(buffer.findLineEnd(), buffer.findNextGrapheme()))
    keepOnCharacter(buffer)
  },
  D: ({ buffer }) => {
    buffer.kill(buffer.caret, buffer.findLineEnd())
    keepOnCharacter(buffer)
  },
  C: (context) => {
    context.buffer.kill(context.buffer.caret, context.buffer.findLineEnd())
    context.enterInsertMode()
  },
  p: ({ buffer }, isLineKill) => pasteLastKill(buffer, isLineKill, 1),
  P: ({ buffer }, isLineKill) => pasteLastKill(buffer, isLineKill, 0),
  u: ({ buffer }) => buffer.undo(),
}

function pasteLastKill(buffer: TextBuffer, isLineKill: boolean, side: 0 | 1): void {
  if (buffer.lastKill === '') return
  if (isLineKill) {
    const start = side === 1 ? buffer.findLineEnd() : buffer.findLineStart()
    buffer.replace(start, start, side === 1 ? `\n${buffer.lastKill}` : `${buffer.lastKill}\n`)
    buffer.moveTo(start + side)
    return
  }
  if (side === 1) buffer.moveTo(Math.min(buffer.findLineEnd(), buffer.findNextGrapheme()))
  buffer.insert(buffer.lastKill)
  buffer.moveTo(buffer.findPreviousGrapheme())
}

function insertAt(context: VimContext, position: number): void {
  context.buffer.moveTo(position)
  context.enterInsertMode()
}

function openLine(context: VimContext, position: number, offset: 0 | 1): void {
  context.buffer.replace(position, position, '\n')
  insertAt(context, position + offset)
}

function findFirstText(buffer: TextBuffer, position: number): number {
  const start = buffer.findLineStart(position)
  const indent = /^[ \t]*/.exec(buffer.text.slice(start, buffer.findLineEnd(position)))
  return start + (indent?.[0].length ?? 0)
}

function findNextWordStart(buffer: TextBuffer, position: number): number {
  const textAfter = buffer.text.slice(position)
  const wordAndSpace = /^(?:[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_\s]+)?\s*/u.exec(textAfter)
  return position + (wordAndSpace?.[0].length ?? 0)
}

/** Moves the caret back from the end of a line, because in normal mode it is on a character. */
function keepOnCharacter(buffer: TextBuffer): void {
  if (buffer.caret === buffer.findLineEnd() && buffer.caret > buffer.findLineStart())
    buffer.moveTo(buffer.findPreviousGrapheme())
}
