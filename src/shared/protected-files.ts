/** One kind of file that makes programs run later or changes settings. */
interface ProtectedKind {
  /** What such a file is, for questions to the user. */
  readonly what: string
  /** Names of files, in any folder. */
  readonly names: readonly string[]
  /** Folders with their contents, as one or more path segments, in any folder. */
  readonly folders: readonly string[]
  /** Absolute paths of files and folders. */
  readonly absolutePaths: readonly string[]
  /** Suffixes of file names. */
  readonly suffixes?: readonly string[]
}

/**
 * Files that make programs run later or change settings. The permission system asks before they are written, and the sandbox
 * makes them read-only. Both ignore letter case.
 */
export const PROTECTED_FILES: readonly ProtectedKind[] = [
  {
    what: 'a shell start-up file',
    names: [
      ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.bash_completion', '.profile'],
      ...['.inputrc', '.envrc', '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.mkshrc', '.cshrc'],
      ...['.tcshrc', '.login', '.logout', '.xinitrc', '.xprofile', '.xsession', '.xsessionrc', '.pam_environment'],
      ...['.bash_functions', '.aliases', '.zsh_aliases', '.direnvrc', '.shrc', '.kshenv', '.xserverrc', '.xonshrc'],
      ...['.wgetrc', '.curlrc', '_curlrc'],
      ...['profile.ps1', 'Microsoft.PowerShell_profile.ps1', 'Microsoft.VSCode_profile.ps1'],
    ],
    folders: [
      ...[
        '.config/fish',
        '.config/environment.d',
        '.config/autostart',
        '.config/zsh',
        '.config/nushell',
        '.config/xonsh',
      ],
      ...['.config/direnv', '.config/plasma-workspace', '.ssh', '.zsh', '.oh-my-zsh', '.bashrc.d', '.elvish'],
      '.local/share/bash-completion',
    ],
    absolutePaths: [
      ...['/etc/profile', '/etc/profile.d', '/etc/bash.bashrc', '/etc/bashrc', '/etc/bash_completion.d'],
      ...['/etc/zsh', '/etc/zshrc', '/etc/zshenv', '/etc/zprofile', '/etc/zlogin', '/etc/zlogout'],
      ...['/etc/csh.cshrc', '/etc/csh.login', '/etc/csh.logout', '/etc/inputrc', '/etc/fish', '/etc/environment'],
      ...['/etc/ld.so.preload', '/etc/sudoers', '/etc/sudoers.d', '/etc/security/pam_env.conf', '/etc/X11/Xsession.d'],
    ],
  },
  {
    what: 'git configuration',
    names: [
      ...['.gitconfig', '.gitmodules', '.gitattributes', '.lfsconfig', '.pre-commit-config.yaml'],
      ...['lefthook.yml', 'lefthook.yaml', '.lefthook.yml', 'lefthook-local.yml'],
    ],
    folders: ['.git', '.config/git', '.husky', '.githooks', '.git-hooks'],
    absolutePaths: ['/etc/gitconfig', '/etc/gitattributes'],
  },
  {
    what: 'editor configuration',
    names: [
      ...['.vimrc', '.gvimrc', '.exrc', '_vimrc', '_gvimrc', '_exrc', '.nvimrc', '.nvim.lua', '.ideavimrc'],
      ...['.emacs', '.emacs.el', '.dir-locals.el', '.nanorc', '.spacemacs', '.lvimrc', '.vimrc.local', '.gdbinit'],
      '.tmux.conf',
    ],
    folders: [
      ...['.vscode', '.idea', '.vim', '.emacs.d', '.zed', '.cursor', '.fleet', '.helix', '.doom.d', '.nvim'],
      ...['.vscode-server', '.windsurf', '.devcontainer', '.config/Code - Insiders', '.config/VSCodium', '.config/kak'],
      ...['.config/emacs', '.config/nano', '.config/vim', '.config/lvim', '.config/sublime-text'],
      ...['.config/nvim', '.config/Code', '.config/Cursor', '.config/zed', '.config/helix'],
      ...['Application Support/Code/User', 'Application Support/Cursor/User'],
      ...['AppData/Roaming/Code/User', 'AppData/Roaming/Cursor/User'],
    ],
    absolutePaths: [],
    suffixes: ['.code-workspace', '.sublime-project', '.sublime-workspace'],
  },
  {
    what: 'a schedule of commands',
    names: [],
    folders: ['.config/systemd', '.local/share/systemd', 'Library/LaunchAgents'],
    absolutePaths: [
      ...[
        '/etc/crontab',
        '/etc/cron.d',
        '/etc/cron.hourly',
        '/etc/cron.daily',
        '/etc/cron.weekly',
        '/etc/cron.monthly',
      ],
      ...['/var/spool/cron', '/etc/systemd', '/Library/LaunchAgents', '/Library/LaunchDaemons'],
    ],
  },
  {
    what: "Haft's own settings or hooks",
    names: ['.mcp.json'],
    folders: ['.haft', '.claude'],
    absolutePaths: ['/etc/haft', '/Library/Application Support/Haft', 'C:/Program Files/Haft', 'C:/ProgramData/Haft'],
  },
]

/** Folders that are protected wherever they are. A folder that contains one of them is protected too. */
export const PROTECTED_FOLDERS: readonly string[] = PROTECTED_FILES.flatMap(({ folders }) => folders)
