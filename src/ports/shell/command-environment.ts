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
  // An editor that saves nothing would accept git's proposed message. A command that fails can explain what to do instead.
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

/** Variables that make bash run or interpret more than the command. */
const SHELL_VARIABLES: ReadonlySet<string> = new Set([
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
])
const EXPORTED_FUNCTION = 'BASH_FUNC_'

/** Variables that make a program prompt or print colours. */
const INTERACTIVE_VARIABLES: ReadonlySet<string> = new Set(['SUDO_ASKPASS', 'GPG_TTY', 'FORCE_COLOR', 'CLICOLOR_FORCE'])

function changesShell(name: string): boolean {
  return SHELL_VARIABLES.has(name) || name.startsWith(EXPORTED_FUNCTION)
}

/** Returns the variables of a program at a terminal, without those that change how bash reads a command, because permission was decided without them. */
export function createTerminalEnvironment(host: Variables): Variables {
  return Object.fromEntries(Object.entries(host).filter(([name]) => !changesShell(name)))
}

/** Returns the environment of a command: the host's variables, adapted to run unattended, then the variables of the call. */
export function createCommandEnvironment(options: {
  readonly host: Variables
  /** Whether the command runs without approval because it only reads. It then inherits only variables that are listed here. */
  readonly isReadOnly?: boolean | undefined
  readonly requestedVariables?: Variables | undefined
  readonly cwd: string
  /** The variables that mark the process tree. A call cannot change them. */
  readonly mark: Variables
}): Record<string, string> {
  const { host, isReadOnly = false, requestedVariables, cwd, mark } = options
  const inheritedVariables = Object.entries(host).filter(([name]) =>
    isReadOnly
      ? isBasicVariable(name) || READING_VARIABLES.has(name)
      : !changesShell(name) && !INTERACTIVE_VARIABLES.has(name),
  )
  const mergedVariables = {
    ...Object.fromEntries(inheritedVariables),
    ...NON_INTERACTIVE_VARIABLES,
    ...(isReadOnly && SIDE_EFFECT_FREE_VARIABLES),
    // If this spelling of the folder is correct, bash keeps it instead of resolving links.
    PWD: cwd,
    ...requestedVariables,
    ...mark,
  }
  return Object.fromEntries(
    Object.entries(mergedVariables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Variables that most programs need, and that neither name a program to run nor hold keys. */
const BASIC_VARIABLES: ReadonlySet<string> = new Set([
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

function isBasicVariable(name: string): boolean {
  return BASIC_VARIABLES.has(name) || name.startsWith('LC_')
}

/**
 * Further variables for commands that run without approval. Any other variable could name a program or an options file
 * (`RIPGREP_CONFIG_PATH`, `LESSOPEN`, `TAR_OPTIONS`), or hold a secret that the command prints. The variables of git select a
 * repository or a configuration file; the analysis of the repository takes them into account.
 */
const READING_VARIABLES: ReadonlySet<string> = new Set(
  [
    'CI COLORTERM COLUMNS LINES NO_COLOR HOSTNAME SHLVL XDG_CONFIG_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS',
    'GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES',
    'GIT_NAMESPACE GIT_CEILING_DIRECTORIES GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM',
    // The folders in which version managers and toolchains look for the program to run.
    'ASDF_DIR ASDF_DATA_DIR CARGO_HOME CONDA_PREFIX GOPATH GOROOT JAVA_HOME MISE_DATA_DIR NVM_DIR PYENV_ROOT PYENV_VERSION',
    'RBENV_ROOT RBENV_VERSION RUSTUP_HOME SDKMAN_DIR VIRTUAL_ENV VOLTA_HOME',
  ].flatMap((names) => names.split(' ')),
)

/** Variables that keep Python programs from writing compiled modules, and pip from asking a server for its newest version. */
const SIDE_EFFECT_FREE_VARIABLES: Readonly<Record<string, string>> = {
  PYTHONDONTWRITEBYTECODE: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
}

/** Returns the environment of a service without the host's keys and tokens, because services are third-party code. */
export function createServiceEnvironment(host: Variables): Record<string, string> {
  const inheritedVariables = Object.entries(host).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isBasicVariable(entry[0]),
  )
  return Object.fromEntries(inheritedVariables)
}
