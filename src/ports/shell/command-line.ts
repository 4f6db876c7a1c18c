import { ToolCallError } from '../../contract/errors.js'
import type { ShellRequest } from '../../contract/ports/shell.js'
import { becoming, handedOver, isProgramAlone } from './bash-arguments.js'
import type { CommandPrefix } from './confine.js'

/** An argument of Linux holds 128 KiB. */
const MOST_ARGUMENT_BYTES = 100_000

export interface CommandLine {
  /** The program that reads the command, and its arguments. */
  readonly argv: readonly string[]
  /** What bash finds on descriptor 3. */
  readonly text?: string
  /** The shell gives way to the one program that the command is. */
  readonly isProgramAlone: boolean
}

/** Throws where no shell could read the command. */
export function checkCommand({ shell, command }: ShellRequest): void {
  if (command.includes('\0')) {
    throw new ToolCallError('input_refused', 'The command has a NUL character: a shell would stop reading there.')
  }
  if (shell === 'powershell' && Buffer.byteLength(command) > MOST_ARGUMENT_BYTES) {
    const advice = 'Write it to a script file and run that.'
    throw new ToolCallError('input_refused', `The command has more than ${MOST_ARGUMENT_BYTES} bytes. ${advice}`)
  }
}

export function commandLine(request: ShellRequest, prefix: CommandPrefix): CommandLine {
  const { shell, command } = request
  if (shell === 'powershell') {
    return { argv: ['pwsh', '-NoProfile', '-NonInteractive', '-Command', command], isProgramAlone: false }
  }
  if (mayTakeItsPlace(request, prefix) && isProgramAlone(command)) {
    return { argv: ['bash', ...becoming(command)], isProgramAlone: true }
  }
  return { argv: ['bash', ...handedOver(command)], text: command, isProgramAlone: false }
}

/**
 * A program in the place of its shell leads a session, and its parent is this process. Only one that is known, since it
 * does no more than read, surely minds neither. A prefix stays around it, and would have the text among its arguments:
 * `pgrep -f` would then find itself.
 */
function mayTakeItsPlace({ confinement, isAllowedByRule }: ShellRequest, { argvPrefix }: CommandPrefix): boolean {
  return confinement === 'read-only' && isAllowedByRule === true && argvPrefix.length === 0
}
