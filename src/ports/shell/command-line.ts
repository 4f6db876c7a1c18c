import { ToolCallError } from '../../contract/errors.js'
import type { ShellRequest } from '../../contract/ports/shell.js'
import { bashArguments } from './bash-arguments.js'

/** An argument of Linux holds 128 KiB. */
const MOST_ARGUMENT_BYTES = 100_000

/** The program that reads the command, and its arguments; bash finds the text itself on descriptor 3. */
export function commandLine({ shell, command }: ShellRequest): readonly [program: string, ...args: string[]] {
  if (command.includes('\0')) {
    throw new ToolCallError('input_refused', 'The command has a NUL character: a shell would stop reading there.')
  }
  if (shell !== 'powershell') return ['bash', ...bashArguments(command)]
  if (Buffer.byteLength(command) > MOST_ARGUMENT_BYTES) {
    const advice = 'Write it to a script file and run that.'
    throw new ToolCallError('input_refused', `The command has more than ${MOST_ARGUMENT_BYTES} bytes. ${advice}`)
  }
  return ['pwsh', '-NoProfile', '-NonInteractive', '-Command', command]
}
