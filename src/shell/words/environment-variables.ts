/** Variables that affect neither which program runs nor what it loads, reads or writes. */
const HARMLESS = new Set(
  [
    'LANG LANGUAGE NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM COLUMNS LINES',
    'CI DEBUG NODE_ENV RAILS_ENV RACK_ENV APP_ENV VERBOSE LOG_LEVEL RUST_LOG RUST_BACKTRACE PORT HOST',
    'BLOCKSIZE BLOCK_SIZE TIME_STYLE QUOTING_STYLE LS_COLORS GREP_COLOR GREP_COLORS JQ_COLORS',
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE DEBIAN_FRONTEND FOO BAR BAZ QUX',
  ].flatMap((names) => names.split(' ')),
)
const LOCALE = /^LC_[A-Z]+$/
const ONE_LETTER = /^[A-Z]$/
/** POSIX reserves lower-case names for scripts, but programs read a few of them. */
const LOWER_CASE = /^[a-z_][A-Za-z0-9_]*$/
const LOWER_CASE_PROGRAM_VARIABLES =
  /^(?:_|[a-z]+_proxy|npm_.*|rvm_.*|histchars|auto_resume|path|fpath|cdpath|manpath|mailpath)$/i
/** Upper-case names that scripts commonly use for their own variables. */
const SCRIPT_NAMES = new Set(
  [
    'FILE FILES FOLDER DIR LINE NAME ITEM WORD VAR COUNT RESULT OUTPUT INDEX NUM BRANCH COMMIT TAG',
    'DATE TODAY NOW YEAR MONTH DAY MSG MESSAGE TEXT STR STRING VALUE KEY TOTAL START END',
  ].flatMap((names) => names.split(' ')),
)
/** A value that is neither a path nor a list of options. */
const PLAIN_VALUE = /^[A-Za-z0-9_.,:@+%=*][A-Za-z0-9_.,:@+%=*-]*$|^$/
/** Variables of pagers and git that are harmless only with these values, which disable the pager or feature. */
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

/** Whether setting the variable does not change what a command does. `value` is undefined if it is unknown. */
export function isHarmlessVariable(name: string, value: string | undefined): boolean {
  if (Object.hasOwn(DISABLING_VALUES, name))
    return value !== undefined && DISABLING_VALUES[name]?.includes(value) === true
  if (isScriptVariable(name)) return true
  if (value === undefined) return false
  if (name === 'TZ') return /^[A-Za-z0-9_+,:-][A-Za-z0-9_+,:/-]*$/.test(value)
  return (HARMLESS.has(name) || LOCALE.test(name) || ONE_LETTER.test(name)) && PLAIN_VALUE.test(value)
}

/** Whether programs do not read a variable of that name from their environment. */
export function isScriptVariable(name: string): boolean {
  return (
    (LOWER_CASE.test(name) && !LOWER_CASE_PROGRAM_VARIABLES.test(name)) ||
    ONE_LETTER.test(name) ||
    SCRIPT_NAMES.has(name)
  )
}

/** Whether the shell or the dynamic loader uses the variable, so that setting it changes how the rest of the script runs. */
export function isShellVariable(name: string): boolean {
  return /^(?:PATH|IFS|ENV|CDPATH|GLOBIGNORE|POSIXLY_CORRECT|PS[0-4]|PROMPT_.*|BASH.*|SHELL.*|FUNCNEST|TIMEFORMAT|EXECIGNORE|HIST.*|OPT.*|LD_.*|DYLD_.*|TMOUT|MAIL.*|FC.*|INPUTRC|DIRSTACK|GROUPS|_)$/.test(
    name,
  )
}
