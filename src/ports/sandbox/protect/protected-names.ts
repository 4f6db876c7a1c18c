import { PROTECTED_FILES, PROTECTED_FOLDERS } from '../../../shared/protected-files.js'

/** Files and folders with credentials. Commands cannot write them; for the file tools, the usual permission rules apply. */
const CREDENTIAL_PATHS = [
  ...['.netrc', '.npmrc', '.pypirc', '.git-credentials', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.pgpass'],
  ...['.config/gh', '.config/gcloud', '.local/bin'],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.cargo/config', '.cargo/config.toml'],
]

/** Commits change this folder, so only parts of it are protected. */
const GIT_FOLDER = '.git'

/**
 * Relative paths through which a command could have effects later, outside the sandbox. They are protected in every folder.
 */
export const PROTECTED_PATHS: readonly string[] = [
  ...PROTECTED_FILES.flatMap(({ names }) => names),
  ...PROTECTED_FOLDERS.filter((folder) => folder !== GIT_FOLDER),
  ...CREDENTIAL_PATHS,
]

/** Suffixes of the names of protected files. */
export const PROTECTED_SUFFIXES: readonly string[] = PROTECTED_FILES.flatMap(({ suffixes = [] }) => suffixes)

const FOLDED_PATHS = PROTECTED_PATHS.map((path) => path.toLowerCase().split('/'))
const SINGLE_NAMES = new Set(FOLDED_PATHS.flatMap(([name, ...otherNames]) => (otherNames.length === 0 ? [name] : [])))

const NESTED_PATHS = FOLDED_PATHS.filter(({ length }) => length > 1)
const FIRST_NAMES_OF_PATHS = new Set(NESTED_PATHS.map(([first]) => first))

/** Whether the name alone makes a file or folder protected, in any letter case. */
export function isProtectedName(name: string): boolean {
  const foldedName = name.toLowerCase()
  return SINGLE_NAMES.has(foldedName) || PROTECTED_SUFFIXES.some((suffix) => foldedName.endsWith(suffix))
}

/** Returns the protected paths inside a folder of this name, as lists of folded names. */
export function listProtectedPathsInside(name: string): readonly (readonly string[])[] {
  const foldedName = name.toLowerCase()
  if (!FIRST_NAMES_OF_PATHS.has(foldedName)) return []
  return NESTED_PATHS.filter(([first]) => first === foldedName).map(([, ...otherNames]) => otherNames)
}

/** Folders for a rebase, `git am`, cherry-pick or revert that has not ended. `git rebase --continue` runs what they list. */
export const OPERATION_FOLDERS: readonly string[] = ['rebase-merge', 'rebase-apply', 'sequencer']

/**
 * Folders of a git folder in which each file can make git run programs. A file in `remotes` or `branches` is a remote in the
 * old format: git pushes to the repository that it names, and runs the hooks there.
 */
export const CONTROL_FOLDERS: readonly string[] = ['hooks', 'remotes', 'branches']

/**
 * The parts of a git folder that decide which programs git runs, where it reads its configuration, and whose objects it
 * borrows. The rest must stay writable for commits.
 */
export const CONTROL_FILES: readonly string[] = [
  ...['config', 'config.worktree', 'commondir', 'gitdir', 'info/attributes', 'objects/info/alternates'],
  ...CONTROL_FOLDERS,
  ...OPERATION_FOLDERS,
]

/**
 * Paths that must not be created at the top of a writable folder, because Haft or git would act on them. If there is no
 * `.git`, it cannot be created either.
 */
export const BARRED_AT_TOP: readonly string[] = [...[`${GIT_FOLDER}/hooks`, '.haft', '.claude', '.mcp.json']]

/** Paths that must not be created in the home folder, because a later login, shell, ssh or git would act on them. */
export const BARRED_IN_HOME: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.pam_environment', '.ssh'],
  ...['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout', '.xprofile', '.xsessionrc', '.gitconfig'],
  ...['.config/fish', '.config/environment.d', '.config/autostart', '.config/systemd', '.config/git', '.local/bin'],
]
