import { toPrintable } from '../../shared/printable.js'
import type { CommandIo } from './command.js'

/** Prints a one-line message to standard error. */
export function warn({ err }: Pick<CommandIo, 'err'>, message: string): void {
  err(`haft: ${toPrintable(message.replace(/\s*\n\s*/g, ' ').trim())}\n`)
}
