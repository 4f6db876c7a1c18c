import type { Terminal } from '@xterm/headless'
import type { TerminalScreen } from '../../contract/ports/terminal.js'

/** Returns the visible text of the screen without trailing spaces. */
export function readScreen(terminal: Terminal): Pick<TerminalScreen, 'text' | 'cursor'> {
  const { cursorX, cursorY } = terminal.buffer.active
  const text = readRows(terminal)
    .map(({ text: line }) => line.trimEnd())
    .join('\n')
  return { text: text.trimEnd(), cursor: { row: cursorY, column: cursorX } }
}

/** Returns the visible text of the screen with wrapped lines joined. */
export function readSearchableScreen(terminal: Terminal): string {
  return readRows(terminal)
    .map(({ text, isWrapped }, index) => (isWrapped || index === 0 ? text : `\n${text}`))
    .join('')
}

function readRows({ buffer, rows }: Terminal): readonly { readonly text: string; readonly isWrapped: boolean }[] {
  const { active } = buffer
  return Array.from({ length: rows }, (_, row) => {
    const line = active.getLine(active.baseY + row)
    const isContinued = active.getLine(active.baseY + row + 1)?.isWrapped === true
    // Trailing spaces are removed only at the end of a whole line, because a space before a wrap is part of the text.
    return { text: line?.translateToString(!isContinued) ?? '', isWrapped: line?.isWrapped ?? false }
  })
}
