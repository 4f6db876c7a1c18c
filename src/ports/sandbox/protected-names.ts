/**
 * What would let a command act later, outside of the sandbox, if it could write there. The permission system asks about the
 * same names; the layers keep that list out of reach here, and a test compares the two.
 */
export const PROTECTED_NAMES: ReadonlySet<string> = new Set([
  // Shells
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.bash_completion', '.profile'],
  ...['.inputrc', '.envrc', '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.mkshrc', '.cshrc'],
  ...['.tcshrc', '.login', '.logout', '.xinitrc', '.xprofile', '.xsession', '.xsessionrc', '.pam_environment'],
  ...['.zsh', '.ssh'],
  // Git
  ...['.gitconfig', '.gitmodules', '.gitattributes', '.lfsconfig', '.husky', '.githooks'],
  // Editors
  ...['.vimrc', '.gvimrc', '.exrc', '.nvimrc', '.nvim.lua', '.ideavimrc', '.emacs', '.emacs.el', '.dir-locals.el'],
  ...['.nanorc', '.vscode', '.idea', '.vim', '.emacs.d', '.zed', '.cursor', '.fleet', '.helix'],
  // Haft itself
  ...['.haft', '.claude', '.mcp.json'],
  // Credentials
  ...['.netrc', '.npmrc', '.pypirc', '.git-credentials', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.pgpass'],
])

/** The same for what lies in another folder. */
export const PROTECTED_INSIDE: ReadonlyMap<string, readonly string[]> = new Map([
  [
    '.config',
    [
      ...['fish', 'environment.d', 'autostart', 'git', 'nvim', 'Code', 'code', 'Cursor', 'cursor', 'zed', 'helix'],
      ...['gh', 'gcloud', 'systemd'],
    ],
  ],
  ['.cargo', ['credentials', 'credentials.toml', 'config', 'config.toml']],
  ['.local', ['bin']],
])

/** The parts of a git folder that can run programs; the rest must stay writable, or nothing could be committed. */
export const PROTECTED_IN_GIT: readonly string[] = ['hooks', 'config', 'config.worktree', 'info/attributes']

/** Leads git to the configuration and the hooks of another folder. Only linked worktrees have it, and those elsewhere. */
export const GIT_REDIRECT = 'commondir'

/** What must not come into being at the top of a writable folder either, because Haft or git would act on it. */
export const BARRED_AT_TOP: readonly string[] = [
  ...PROTECTED_IN_GIT.map((part) => `.git/${part}`),
  ...['.haft', '.claude', '.mcp.json'],
]

/** What must not come into being in home, because the next login would run it. */
export const BARRED_IN_HOME: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.pam_environment', '.ssh'],
  ...['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout', '.xprofile', '.xsessionrc', '.gitconfig'],
  ...['.config/fish', '.config/environment.d', '.config/autostart', '.config/systemd', '.config/git', '.local/bin'],
]
