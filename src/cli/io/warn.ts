import { toPrintable } from '../../shared/printable.js'
import type { CommandIo } from './command.js'

/** Prints a one-line message to standard error. */
export function warn({ err }: Pick<CommandIo, 'err'>, message: string): void {
  err(`haft: ${toPrintable(toOneLine(message))}\n`)
}

function toOneLine(message: string): string {
  const lines = message.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}
