type Variables = Readonly<Record<string, string | undefined>>

/** Variables for commands without a user at a terminal: pagers print everything, and prompts fail at once. */
const NON_INTERACTIVE_VARIABLES: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GH_PAGER: 'cat',
  PSQL_PAGER: 'cat',
  AWS_PAGER: '',
  // An editor that saves nothing would accept git's proposed message. One that fails can explain what to do instead.
  GIT_EDITOR: 'echo "No editor is available: pass the text with an option such as -m or --no-edit." >&2; false',
  GIT_SEQUENCE_EDITOR: 'echo "No editor is available: set GIT_SEQUENCE_EDITOR to a command." >&2; false',
  // Vim would wait forever, because neither stdin nor stderr is a terminal. This makes it quit after its `-c` commands. The
  // minimal Vim of Debian (vim.tiny) does not support it and runs into the time limit.
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

/** Variables that make bash run or interpret more than the command, or that make a program prompt or print colours. */
const REMOVED_VARIABLES: ReadonlySet<string> = new Set([
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

/** Returns the environment of a command: the host's variables, adapted to run unattended, then the variables of the call. */
export function createCommandEnvironment(options: {
  readonly host: Variables
  readonly requestedVariables?: Variables | undefined
  readonly cwd: string
  /** The variables that mark the process tree. A call cannot change them. */
  readonly mark: Variables
}): Record<string, string> {
  const { host, requestedVariables, cwd, mark } = options
  const inheritedVariables = Object.entries(host).filter(
    ([name]) => !REMOVED_VARIABLES.has(name) && !name.startsWith(EXPORTED_FUNCTION),
  )
  const mergedVariables = {
    ...Object.fromEntries(inheritedVariables),
    ...NON_INTERACTIVE_VARIABLES,
    // If this spelling of the folder is correct, bash keeps it instead of resolving links.
    PWD: cwd,
    ...requestedVariables,
    ...mark,
  }
  return Object.fromEntries(
    Object.entries(mergedVariables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Variables that most programs need. Services are third-party code, so they do not inherit the host's keys and tokens. */
const SERVICE_VARIABLES: ReadonlySet<string> = new Set([
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  // Windows
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
])

export function createServiceEnvironment(host: Variables): Record<string, string> {
  const inheritedVariables = Object.entries(host).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (SERVICE_VARIABLES.has(entry[0]) || entry[0].startsWith('LC_')),
  )
  return Object.fromEntries(inheritedVariables)
}
