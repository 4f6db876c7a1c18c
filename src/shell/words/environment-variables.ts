/** Variables that, with a plain value, affect neither which program runs nor what it loads, reads or writes. */
const HARMLESS_VARIABLES = new Set(
  [
    'NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES',
    'CI DEBUG NODE_ENV RAILS_ENV RACK_ENV APP_ENV VERBOSE LOG_LEVEL RUST_LOG RUST_BACKTRACE PORT HOST',
    'BLOCKSIZE BLOCK_SIZE TIME_STYLE QUOTING_STYLE LS_COLORS GREP_COLOR GREP_COLORS JQ_COLORS',
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE DEBIAN_FRONTEND FOO BAR BAZ QUX VAR A B X Y foo bar x y',
  ].flatMap((names) => names.split(' ')),
)
const LOCALE_NAME = /^(?:LANG|LANGUAGE|LC_[A-Z]+)$/
/** Common terminals. The description of any other one may be a file in the home folder. */
export const COMMON_TERMINAL_NAME =
  /^(?:ansi|dumb|linux|vt[12]\d0|(?:xterm|screen|tmux|rxvt|rxvt-unicode|alacritty|konsole|gnome|putty)(?:-256color)?|xterm-color|xterm-kitty)$/
/** Locales with ASCII or UTF-8. In other character sets, bytes of a character may be read as quotes or separators. */
const LOCALE_VALUE = /^(?:C|POSIX|C\.(?:UTF-8|utf8)|[a-z]{2,3}_[A-Z]{2}\.(?:UTF-8|utf8))?$/
const ONE_LETTER = /^[A-Za-z]$/
/** POSIX reserves lower-case names for applications, so few programs read them. */
const LOWER_CASE_NAME = /^[a-z][A-Za-z0-9_]*$/
const PROGRAM_VARIABLES =
  /^(?:[a-z]+_proxy|npm_.*|rvm_.*|path|fpath|cdpath|manpath|mailpath|module_path|prompt|term|home|user|shell|cwd)$/i
/** Upper-case names that scripts commonly use for their own variables. */
const SCRIPT_NAMES = new Set(
  [
    'FILE FILES FOLDER DIR LINE NAME ITEM WORD VAR COUNT RESULT OUTPUT INDEX NUM BRANCH COMMIT TAG',
    'DATE TODAY NOW YEAR MONTH DAY MSG MESSAGE TEXT STR STRING VALUE KEY TOTAL START END',
  ].flatMap((names) => names.split(' ')),
)
/** A value that is neither a path nor a list of options. */
const PLAIN_VALUE = /^[A-Za-z0-9_.,:@+%=*][A-Za-z0-9_.,:@+%=*-]*$|^$/
/** Variables of pagers and git that are harmless only with these values. */
const DISABLING_VALUES: Readonly<Record<string, readonly string[]>> = {
  PAGER: ['cat', ''],
  GIT_PAGER: ['cat', ''],
  MANPAGER: ['cat'],
  BAT_PAGER: ['', 'cat'],
  SYSTEMD_PAGER: ['cat', ''],
  GIT_OPTIONAL_LOCKS: ['0'],
  GIT_TERMINAL_PROMPT: ['0'],
  GIT_CONFIG_NOSYSTEM: ['1'],
}

/**
 * Whether a variable in the environment cannot change what programs do. `value` is undefined if it is unknown; such a variable
 * never qualifies.
 */
export function isHarmlessVariable(name: string, value: string | undefined): boolean {
  if (value === undefined) return false
  if (Object.hasOwn(DISABLING_VALUES, name)) return DISABLING_VALUES[name]?.includes(value) === true
  if (LOCALE_NAME.test(name)) return LOCALE_VALUE.test(value)
  if (name === 'TERM') return COMMON_TERMINAL_NAME.test(value)
  // A leading colon or slash would make the value the name of a file.
  if (name === 'TZ') return /^[A-Za-z][A-Za-z0-9_+,-]*(?:\/[A-Za-z][A-Za-z0-9_+-]*)*$/.test(value)
  return HARMLESS_VARIABLES.has(name) && PLAIN_VALUE.test(value)
}

/**
 * Whether scripts may set a shell variable of this name without affecting programs, because no program is expected to read it.
 */
export function isScriptVariable(name: string): boolean {
  return (
    !isShellVariable(name) &&
    ((LOWER_CASE_NAME.test(name) && !PROGRAM_VARIABLES.test(name)) || ONE_LETTER.test(name) || SCRIPT_NAMES.has(name))
  )
}

/**
 * The variables with a meaning for bash 5.3, except those with the prefixes below. Bash evaluates what is assigned to some of
 * them: `RANDOM='x[$(ls)]'` runs `ls`.
 */
const SHELL_VARIABLES: ReadonlySet<string> = new Set(
  [
    '_ CDPATH CHILD_MAX COLUMNS COMPREPLY COPROC DIRSTACK EMACS ENV EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE FCEDIT',
    'FIGNORE FUNCNAME FUNCNEST GLOBIGNORE GLOBSORT GROUPS HISTCMD HOME HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC',
    'INSIDE_EMACS LANG LANGUAGE LINENO LINES MACHTYPE MAIL MAILCHECK MAILPATH MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE',
    'PATH PIPESTATUS POSIXLY_CORRECT POSIX_PEDANTIC PPID PS0 PS1 PS2 PS3 PS4 PWD RANDOM REPLY SECONDS SHELL SHELLOPTS SHLVL',
    'SRANDOM TERM TERMINFO TERMCAP TIMEFORMAT TMOUT TMPDIR TZ UID auto_resume histchars ignoreeof',
  ].flatMap((names) => names.split(' ')),
)
const SHELL_PREFIXES = /^(?:BASH|COMP_|DYLD_|HIST|LC_|LD_|PROMPT_|READLINE_)/

/** Whether the shell or the dynamic loader uses the variable, so that setting it may change how the rest of the script runs. */
export function isShellVariable(name: string): boolean {
  return SHELL_VARIABLES.has(name) || SHELL_PREFIXES.test(name)
}

/** Whether the variable decides to what a name or pattern resolves, or makes the shell or the loader run further code. */
export function isLookupVariable(name: string): boolean {
  return /^(?:PATH|ENV|PS[0-4]|PROMPT_.*|BASH.*|SHELLOPTS|EXECIGNORE|GLOBIGNORE|LD_.*|DYLD_.*)$/.test(name)
}
