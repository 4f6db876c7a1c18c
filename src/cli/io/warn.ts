import { printable } from '../../shared/printable.js'
import type { CommandIo } from './command.js'

/** Tells the person something beside the output, in one line. */
export function warn({ err }: Pick<CommandIo, 'err'>, message: string): void {
  err(`haft: ${printable(message.replace(/\s*\n\s*/g, ' ').trim())}\n`)
}
