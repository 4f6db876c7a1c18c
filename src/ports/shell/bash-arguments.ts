import { quoteForShell } from '../../shared/quote-for-shell.js'

/** Of bash: out of the way of those that commands use. */
const REPORT_DESCRIPTOR = 99
/** Where the host puts the text of the command, and where it reads the folder from. */
const COMMAND_DESCRIPTOR = 3
const FOLDER_DESCRIPTOR = 4

/** `builtin`, because the command may have its own `pwd`; no trace under `set -x`, and no failure under `set -e`. */
const REPORT = `{ builtin pwd; builtin printf '\\0'; } 2>/dev/null >&${REPORT_DESCRIPTOR} || :`
/** A loop must not pay for it at each step. */
const REPORT_CHANGE = `{ [[ \${PWD-} == "\${HAFT_FOLDER-}" ]] || { HAFT_FOLDER=\${PWD-}; ${REPORT}; }; } 2>/dev/null`

const OPENING = [
  `IFS= read -r -d '' -u ${COMMAND_DESCRIPTOR}`,
  `exec ${REPORT_DESCRIPTOR}>&${FOLDER_DESCRIPTOR} ${COMMAND_DESCRIPTOR}<&- ${FOLDER_DESCRIPTOR}>&-`,
  `trap ${quoteForShell(REPORT)} EXIT`,
]
const PLAIN = [...OPENING, 'eval "$REPLY"'].join('; ')
/** Where the command may set its own EXIT trap or become another program, the folder is told as it changes, too. */
const WATCHED = [
  ...OPENING,
  `trap ${quoteForShell(REPORT_CHANGE)} DEBUG`,
  'eval "$REPLY"',
  `{ HAFT_STATUS=$?; ${REPORT}; (exit "$HAFT_STATUS"); } 2>/dev/null`,
].join('; ')

/** Runs the text on descriptor 3, whatever its length, and tells on descriptor 4 in which folder it ends. */
export function bashArguments(command: string): readonly string[] {
  const mayMissExit = /\b(?:trap|exec)\b/.test(command)
  return ['--noprofile', '--norc', '-c', mayMissExit ? WATCHED : PLAIN]
}
