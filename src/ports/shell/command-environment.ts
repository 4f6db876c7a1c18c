import { MARK_VARIABLE, withOuterMark } from './process-mark.js'

type Variables = Readonly<Record<string, string | undefined>>

/** Nobody sits at a keyboard: what would page prints, and what would prompt fails at once. */
const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GH_PAGER: 'cat',
  PSQL_PAGER: 'cat',
  AWS_PAGER: '',
  // An editor that changes nothing would commit a proposed message that nobody wrote; one that fails says what to do.
  GIT_EDITOR: 'echo "There is no editor here: give the text by an option such as -m or --no-edit." >&2; false',
  GIT_SEQUENCE_EDITOR: 'echo "There is no editor here: set GIT_SEQUENCE_EDITOR to a command." >&2; false',
  // The small vim of Debian has no such commands and waits for the time limit. Vim waits for ever where neither its input nor its errors are a terminal; by then what `-c` says is done.
  VIMINIT: 'if !has("nvim") | silent! source ~/.vimrc | endif | autocmd VimEnter * set viminfo= | silent! cquit',
  EDITOR: 'false',
  VISUAL: 'false',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  GH_PROMPT_DISABLED: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
}

/** Each makes bash run or mean something that is not in the command, or a program ask or paint. */
const REMOVED: ReadonlySet<string> = new Set([
  'BASH_ENV',
  'ENV',
  'SHELLOPTS',
  'BASHOPTS',
  'BASH_COMPAT',
  'BASH_XTRACEFD',
  'BASH_LOADABLES_PATH',
  'PS4',
  'CDPATH',
  'GLOBIGNORE',
  'EXECIGNORE',
  'OLDPWD',
  'SUDO_ASKPASS',
  'GPG_TTY',
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
])
const EXPORTED_FUNCTION = 'BASH_FUNC_'

/** The environment of a command: what the host gives, made fit for nobody watching, then what the call asks for. */
export function commandEnvironment(options: {
  readonly host: Variables
  readonly requested?: Variables | undefined
  readonly cwd: string
  readonly mark: string
}): Record<string, string> {
  const { host, requested, cwd, mark } = options
  const kept = Object.entries(host).filter(([name]) => !REMOVED.has(name) && !name.startsWith(EXPORTED_FUNCTION))
  const merged = {
    ...Object.fromEntries(kept),
    ...UNATTENDED,
    // Bash keeps this name of the folder where it is right, instead of the one with links resolved.
    PWD: cwd,
    ...requested,
    [MARK_VARIABLE]: withOuterMark(mark, host),
  }
  return Object.fromEntries(Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
