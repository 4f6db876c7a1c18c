import { quoteForShell } from '../../shared/quote-for-shell.js'

/** Of bash: out of the way of those that commands use. */
const REPORT_DESCRIPTOR = 99
/** Where the host puts the text of the command, and where it reads the folder from. */
const COMMAND_DESCRIPTOR = 3
const FOLDER_DESCRIPTOR = 4

const OPTIONS = ['--noprofile', '--norc', '-c']

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

/** What bash does itself, and words by which more than one command begins. */
const OF_BASH: ReadonlySet<string> = new Set(
  `. .. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable
  eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read
  readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait
  if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc`.split(/\s+/),
)
/** Narrow: whatever is not known to be one program is run as any other line. */
const WORDS = /^([\w./][\w./-]*)(?: +[\w./,:@%+=-]+)*$/
/** An argument of Linux holds 128 KiB; so long a line is rarely one of words. */
const MOST_CHARS = 10_000

/**
 * Whether a line is one program with its arguments, each a plain word. It cannot change the folder of the shell, which
 * need not tell it then, and has nothing to wait for: bash becomes the program.
 */
export function isProgramAlone(command: string): boolean {
  const program = command.length > MOST_CHARS ? undefined : WORDS.exec(command)?.[1]
  return program !== undefined && !OF_BASH.has(program)
}

/** Runs such a line. Nobody else needs its text, and no process but the program has it among its arguments. */
export function becoming(command: string): readonly string[] {
  return [...OPTIONS, command]
}

/** Runs the text on descriptor 3, whatever its length, and tells on descriptor 4 in which folder it ends. */
export function handedOver(command: string): readonly string[] {
  const mayMissExit = /\b(?:trap|exec)\b/.test(command)
  return [...OPTIONS, mayMissExit ? WATCHED : PLAIN]
}
