import { ToolCallError } from '../../contract/errors.js'
import type { ShellRequest } from '../../contract/ports/shell.js'
import { quoteForShell } from '../../shared/quote.js'

/** A safe limit: Linux accepts at most 128 KiB in one argument. */
const MAX_ARGUMENT_BYTES = 100_000

/** Descriptors that the host opens for bash: the text of the command, and the file for its final working folder. */
const COMMAND_DESCRIPTOR = 3
const FOLDER_DESCRIPTOR = 4
/** Bash moves the folder file to this descriptor, which commands are unlikely to use. */
const REPORT_DESCRIPTOR = 99

/**
 * Writes the working folder. Uses `builtin`, because the command may define its own `pwd`. Prints nothing under `set -x` and
 * does not fail under `set -e`.
 */
const REPORT_FOLDER = `{ builtin pwd; builtin printf '\\0'; } 2>/dev/null >&${REPORT_DESCRIPTOR} || :`
/** Reports only changes, so that a loop does not report in each iteration. */
const REPORT_CHANGE = `{ [[ \${PWD-} == "\${HAFT_FOLDER-}" ]] || { HAFT_FOLDER=\${PWD-}; ${REPORT_FOLDER}; }; } 2>/dev/null`

const READ_COMMAND = [
  `IFS= read -r -d '' -u ${COMMAND_DESCRIPTOR}`,
  `exec ${REPORT_DESCRIPTOR}>&${FOLDER_DESCRIPTOR} ${COMMAND_DESCRIPTOR}<&- ${FOLDER_DESCRIPTOR}>&-`,
  `trap ${quoteForShell(REPORT_FOLDER)} EXIT`,
]
const REPORT_AT_EXIT = [...READ_COMMAND, 'eval "$REPLY"'].join('; ')
/** For commands that may set their own EXIT trap or exec another program: also reports each change of the folder. */
const REPORT_EACH_CHANGE = [
  ...READ_COMMAND,
  `trap ${quoteForShell(REPORT_CHANGE)} DEBUG`,
  'eval "$REPLY"',
  `{ HAFT_STATUS=$?; ${REPORT_FOLDER}; (exit "$HAFT_STATUS"); } 2>/dev/null`,
].join('; ')

export interface Argv {
  readonly argv: readonly string[]
  /** The text that bash reads from descriptor 3. Omitted if the command is an argument. */
  readonly text?: string
}

/** Throws if the shell could not receive the whole command. */
export function checkCommand({ shell, command }: ShellRequest): void {
  if (command.includes('\0')) {
    throw new ToolCallError('input_refused', 'The command contains a NUL character, where a shell would stop reading.')
  }
  if (shell === 'powershell' && Buffer.byteLength(command) > MAX_ARGUMENT_BYTES) {
    const advice = 'Write it to a script file and run that.'
    throw new ToolCallError('input_refused', `The command is longer than ${MAX_ARGUMENT_BYTES} bytes. ${advice}`)
  }
}

/**
 * Returns the program that runs the command. Bash reads the text from descriptor 3, because the length of an argument is
 * limited and `pgrep -f` would find it. Bash writes the folder in which the command ends to descriptor 4.
 */
export function buildArgv({ shell, command, analysis }: ShellRequest): Argv {
  if (shell === 'powershell') return { argv: ['pwsh', '-NoProfile', '-NonInteractive', '-Command', command] }
  const script = analysis?.mayReplaceShell === false ? REPORT_AT_EXIT : REPORT_EACH_CHANGE
  return { argv: ['bash', '--noprofile', '--norc', '-c', script], text: command }
}
