/** Variables that change neither which program runs nor what it loads, reads or writes. */
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
/** POSIX leaves names with small letters to scripts; these few are read by programs all the same. */
const SMALL = /^[a-z_][A-Za-z0-9_]*$/
const SMALL_BUT_READ = /^(?:_|[a-z]+_proxy|npm_.*|rvm_.*|histchars|auto_resume|path|fpath|cdpath|manpath|mailpath)$/i
/** What scripts call the things they go through. */
const LOOP_NAMES = new Set(
  [
    'FILE FILES FOLDER DIR LINE NAME ITEM WORD VAR COUNT RESULT OUTPUT INDEX NUM BRANCH COMMIT TAG',
    'DATE TODAY NOW YEAR MONTH DAY MSG MESSAGE TEXT STR STRING VALUE KEY TOTAL START END',
  ].flatMap((names) => names.split(' ')),
)
/** A value that can be neither a path nor a list of options. */
const PLAIN_VALUE = /^[A-Za-z0-9_.,:@+%=*][A-Za-z0-9_.,:@+%=*-]*$|^$/
/** Variables that say which program pages, edits or locks, and the values by which none does. */
const SWITCHED_OFF: Readonly<Record<string, readonly string[]>> = {
  PAGER: ['cat', ''],
  GIT_PAGER: ['cat', ''],
  MANPAGER: ['cat'],
  BAT_PAGER: ['', 'cat'],
  SYSTEMD_PAGER: ['cat', ''],
  GIT_OPTIONAL_LOCKS: ['0'],
  GIT_TERMINAL_PROMPT: ['0'],
  GIT_CONFIG_NOSYSTEM: ['1'],
}

/** Whether a variable in the environment of a command leaves what the command does unchanged; no value is unknown. */
export function isHarmlessVariable(name: string, value: string | undefined): boolean {
  if (Object.hasOwn(SWITCHED_OFF, name)) return value !== undefined && SWITCHED_OFF[name]?.includes(value) === true
  if (isScriptVariable(name)) return true
  if (value === undefined) return false
  if (name === 'TZ') return /^[A-Za-z0-9_+,:-][A-Za-z0-9_+,:/-]*$/.test(value)
  return (HARMLESS.has(name) || LOCALE.test(name) || ONE_LETTER.test(name)) && PLAIN_VALUE.test(value)
}

/** Whether no program reads a variable of that name from its environment. */
export function isScriptVariable(name: string): boolean {
  return (SMALL.test(name) && !SMALL_BUT_READ.test(name)) || ONE_LETTER.test(name) || LOOP_NAMES.has(name)
}

/** Variables that the shell itself obeys: to set one changes how the rest of the line is read. */
export function isShellVariable(name: string): boolean {
  return /^(?:PATH|IFS|ENV|CDPATH|GLOBIGNORE|POSIXLY_CORRECT|PS[0-4]|PROMPT_.*|BASH.*|SHELL.*|FUNCNEST|TIMEFORMAT|EXECIGNORE|HIST.*|OPT.*|LD_.*|DYLD_.*|TMOUT|MAIL.*|FC.*|INPUTRC|DIRSTACK|GROUPS|_)$/.test(
    name,
  )
}
