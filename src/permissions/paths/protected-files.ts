import { foldForRestricting, withoutTrailers } from './fold-path.js'
import { isWithin, type JudgedPath, type Lookup } from './judge-path.js'
import { joinPath, splitPath } from './normalise-path.js'

/** Files that make programs run later or change settings, by their names. Writes to them are always asked about. */
const PROTECTED_FILES = [
  {
    what: 'a shell start-up file',
    names: [
      ...[
        '.bashrc',
        '.bash_profile',
        '.bash_login',
        '.bash_logout',
        '.bash_aliases',
        '.bash_completion',
        '.profile',
        '.inputrc',
        '.envrc',
      ],
      ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.mkshrc', '.cshrc', '.tcshrc'],
      ...['.login', '.logout', '.xinitrc', '.xprofile', '.xsession', '.xsessionrc', '.pam_environment'],
      ...['profile.ps1', 'microsoft.powershell_profile.ps1', 'microsoft.vscode_profile.ps1'],
    ],
    folders: [['.config', 'fish'], ['.config', 'environment.d'], ['.config', 'autostart'], ['.ssh'], ['.zsh']],
    absolute: [
      ...['/etc/profile', '/etc/profile.d', '/etc/bash.bashrc', '/etc/bashrc', '/etc/bash_completion.d'],
      ...['/etc/zsh', '/etc/zshrc', '/etc/zshenv', '/etc/zprofile', '/etc/zlogin', '/etc/zlogout'],
      ...['/etc/csh.cshrc', '/etc/csh.login', '/etc/csh.logout', '/etc/inputrc', '/etc/fish', '/etc/environment'],
    ],
  },
  {
    what: 'git configuration',
    names: ['.gitconfig', '.gitmodules', '.gitattributes', '.lfsconfig'],
    folders: [['.git'], ['.config', 'git'], ['.husky'], ['.githooks']],
    absolute: ['/etc/gitconfig', '/etc/gitattributes'],
  },
  {
    what: 'editor configuration',
    names: [
      ...['.vimrc', '.gvimrc', '.exrc', '_vimrc', '_gvimrc', '_exrc', '.nvimrc', '.nvim.lua', '.ideavimrc'],
      ...['.emacs', '.emacs.el', '.dir-locals.el', '.nanorc'],
    ],
    folders: [
      ['.vscode'],
      ['.idea'],
      ['.vim'],
      ['.emacs.d'],
      ['.zed'],
      ['.cursor'],
      ['.fleet'],
      ['.config', 'nvim'],
      ['.config', 'code'],
      ['.config', 'cursor'],
      ['.config', 'zed'],
      ['.config', 'helix'],
      ['.helix'],
      ['application support', 'code', 'user'],
      ['application support', 'cursor', 'user'],
      ['appdata', 'roaming', 'code', 'user'],
      ['appdata', 'roaming', 'cursor', 'user'],
    ],
    absolute: [],
    suffixes: ['.code-workspace', '.sublime-project'],
  },
  {
    what: "Haft's own settings or hooks",
    names: ['.mcp.json'],
    folders: [['.haft'], ['.claude']],
    absolute: [...['/etc/haft', '/library/application support/haft', 'c:/program files/haft', 'c:/programdata/haft']],
  },
] as const

/** Returns why a write to this path must always be asked about, or undefined. */
export function findProtection({ forms, isFolder }: JudgedPath, extra: readonly string[] = []): string | undefined {
  for (const form of forms) {
    // Always ignores letter case: a needless question costs less than a missed protected file.
    const path = foldForRestricting(withoutTrailers(form), true)
    const kind = findProtectedKind(path, isFolder) ?? findExtraProtected(path, isFolder, extra)
    if (kind !== undefined) return kind
  }
  return undefined
}

function findProtectedKind(given: string, isFolder: boolean): string | undefined {
  // On macOS, /etc is a link to /private/etc.
  const path = given.replace(/^\/private(?=\/etc(?:\/|$))/, '')
  const names = splitPath(path)
  const judgedNames = afterWorktree(names)
  const lastName = judgedNames.at(-1) ?? ''
  for (const { what, ...list } of PROTECTED_FILES) {
    const suffixes: readonly string[] = 'suffixes' in list ? list.suffixes : []
    const isNamed =
      (list.names as readonly string[]).includes(lastName) || suffixes.some((suffix) => lastName.endsWith(suffix))
    if (isNamed) return what
    if (list.folders.some((folder) => hasFolder(judgedNames, folder))) return what
    const covers = (folder: string) => isWithin(path, folder, true) || (isFolder && isWithin(folder, path, true))
    if (list.absolute.some(covers)) return what
  }
  return undefined
}

function hasFolder(names: readonly string[], folder: readonly string[]): boolean {
  return names.some((_, at) => folder.every((name, offset) => names[at + offset] === name))
}

/** Worktrees lie below Haft's own protected folder: for a path in a worktree, only the part inside it is judged. */
function afterWorktree(names: readonly string[]): readonly string[] {
  const worktreeIndex = names.findLastIndex(
    (name, index) => (name === '.haft' || name === '.claude') && names[index + 1] === 'worktrees',
  )
  const isBelow = worktreeIndex !== -1 && names.length > worktreeIndex + 3
  return isBelow ? names.slice(worktreeIndex + 3) : names
}

function findExtraProtected(path: string, isFolder: boolean, extra: readonly string[]): string | undefined {
  const protectedFile = extra.find((file) => {
    const extraPath = foldForRestricting(file.replaceAll('\\', '/'), true)
    return isWithin(path, extraPath, true) || (isFolder && isWithin(extraPath, path, true))
  })
  return protectedFile === undefined ? undefined : `the protected file ${protectedFile}`
}

/** Folders that make the folder that contains them protected as a whole. */
export const PROTECTED_FOLDERS: readonly string[] = PROTECTED_FILES.flatMap(({ folders }) =>
  folders.map((folder) => folder.join('/')),
)

const MENTIONS: readonly { readonly what: string; readonly pattern: RegExp }[] = PROTECTED_FILES.map(
  ({ what, ...list }) => {
    const relative = [...list.names, ...list.folders.map((folder) => folder.join('/'))].map(escapeForPattern)
    const suffixes: readonly string[] = 'suffixes' in list ? list.suffixes : []
    const anywhere = [...list.absolute, ...suffixes].map(escapeForPattern)
    const starts = [`(?<![\\w.-])(?:${relative.join('|')})`, ...anywhere].join('|')
    return { what, pattern: new RegExp(`(?:${starts})(?![\\w-])`) }
  },
)

/** Finds a mention of a protected file, quoted or not, in a command that could not be parsed. Returns what is mentioned. */
export function findProtectedMention(text: string, extra: readonly string[] = []): string | undefined {
  const unquoted = foldForRestricting(text, true).replace(/["']/g, '')
  for (const reading of [unquoted.replaceAll('\\', ''), unquoted.replaceAll('\\', '/')]) {
    const mention = MENTIONS.find(({ pattern }) => pattern.test(reading))
    if (mention !== undefined) return mention.what
    const file = extra.find((path) => {
      const name = splitPath(foldForRestricting(path.replaceAll('\\', '/'), true)).at(-1)
      return name !== undefined && reading.includes(name)
    })
    if (file !== undefined) return `the protected file ${file}`
  }
  return undefined
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Looks for a protected folder inside a folder that will be written, moved or deleted. */
export async function withProtectedFolder(path: JudgedPath, lookup: Lookup): Promise<JudgedPath> {
  if (!path.isFolder || path.problem !== undefined) return path
  for (const form of path.forms) {
    const looks = PROTECTED_FOLDERS.map((name) => lookup(joinPath([...splitPath(form), ...name.split('/')])))
    const foundIndex = (await Promise.all(looks)).findIndex((look) => look?.isFolder === true)
    if (foundIndex !== -1) return { ...path, protectedFolder: PROTECTED_FOLDERS[foundIndex] ?? '' }
  }
  return path
}
