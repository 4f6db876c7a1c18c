import { PathIndex } from '../../shared/path-containment.js'
import { PROTECTED_FILES, PROTECTED_FOLDERS } from '../../shared/protected-files.js'
import { foldForRestricting, withoutTrailers } from './fold-path.js'
import type { GlobNames } from './glob-files.js'
import { isWithin, type JudgedPath, type Lookup } from './judge-path.js'
import { joinPath, type PathContext, splitPath } from './normalise-path.js'

const IGNORING_CASE = { isCaseInsensitive: true }

/** The lists with all names folded, because letter case is always ignored: a needless question costs less than a missed file. */
const FOLDED_FILES = PROTECTED_FILES.map(({ what, names, folders, absolutePaths, suffixes = [] }) => ({
  what,
  names: new Set(foldAll(names)),
  folders: foldAll(folders).map(splitPath),
  absolute: foldAll(absolutePaths),
  absoluteIndex: new PathIndex(foldAll(absolutePaths), IGNORING_CASE),
  suffixes: foldAll(suffixes),
}))

function foldAll(texts: readonly string[]): readonly string[] {
  return texts.map((text) => foldForRestricting(text, true))
}

/** Returns why a write to this path always needs approval, or undefined if it need not. */
export function findProtection(
  { forms, isFolder }: JudgedPath,
  listExtra: PathContext['protectedPaths'] = () => [],
): string | undefined {
  for (const form of forms) {
    const path = foldForRestricting(withoutTrailers(form), true)
    const kind = findProtectedKind(path, isFolder) ?? findExtraProtected(path, isFolder, listExtra(form))
    if (kind !== undefined) return kind
  }
  return undefined
}

/**
 * Describes a hidden protected file or folder that a pattern in this folder may match, even if it does not exist yet. Protected
 * names without a leading dot are rare, so for them only existing files count.
 */
export function findProtectedMatch(folder: JudgedPath, globs: readonly GlobNames[]): string | undefined {
  const inFolder = findProtection({ ...folder, isFolder: false })
  if (inFolder !== undefined) return inFolder
  const mayMatch = (name: string) =>
    name.startsWith('.') && globs.some((glob) => glob.some((expression) => expression.test(name)))
  return FOLDED_FILES.find(({ names, folders }) => [...names, ...folders.flat()].some(mayMatch))?.what
}

function findProtectedKind(foldedPath: string, isFolder: boolean): string | undefined {
  // On macOS, /etc is a link to /private/etc.
  const path = foldedPath.replace(/^\/private(?=\/etc(?:\/|$))/, '')
  const names = splitPath(path)
  const judgedNames = withoutWorktreePrefix(names)
  const lastName = judgedNames.at(-1) ?? ''
  if (judgedNames.some((name, at) => name.endsWith('.git') && judgedNames[at + 1] === 'hooks'))
    return 'git configuration'
  for (const { what, names: fileNames, folders, absoluteIndex, suffixes } of FOLDED_FILES) {
    if (isNamed(lastName, fileNames) || suffixes.some((suffix) => lastName.endsWith(suffix))) return what
    if (folders.some((folder) => hasFolder(judgedNames, folder))) return what
    if (absoluteIndex.countContaining(path) > 0 || (isFolder && absoluteIndex.countInside(path) > 0)) return what
  }
  return undefined
}

/**
 * Whether a name is protected, or becomes so although no word of the command contains the protected name: a program may drop
 * the ending, as in `gunzip .bashrc.gz`, or append one or two characters, as in `cp -b -S c x ~/.bashr`.
 */
function isNamed(name: string, fileNames: ReadonlySet<string>): boolean {
  if (fileNames.has(name)) return true
  if (!name.startsWith('.') || name.length < MIN_NAME_START_CHARS || name === '.env') return false
  const start = name.replace(/\.[^.]*$/, '')
  if (fileNames.has(start)) return true
  for (const fileName of fileNames) {
    const missingLength = fileName.length - name.length
    if (missingLength > 0 && missingLength <= MAX_APPENDED_CHARS && fileName.startsWith(name)) return true
  }
  return false
}

const MIN_NAME_START_CHARS = 5
const MAX_APPENDED_CHARS = 2

function hasFolder(names: readonly string[], folder: readonly string[]): boolean {
  return names.some((_, at) => folder.every((name, offset) => names[at + offset] === name))
}

/**
 * Removes the path of a worktree. Worktrees are stored below a protected folder of Haft, so only the part of a path inside the
 * worktree is checked.
 */
function withoutWorktreePrefix(names: readonly string[]): readonly string[] {
  const worktreeIndex = names.findLastIndex(
    (name, index) => (name === '.haft' || name === '.claude') && names[index + 1] === 'worktrees',
  )
  const isBelowWorktree = worktreeIndex !== -1 && names.length > worktreeIndex + 3
  return isBelowWorktree ? names.slice(worktreeIndex + 3) : names
}

function findExtraProtected(path: string, isFolder: boolean, extraFiles: readonly string[]): string | undefined {
  const protectedFile = extraFiles.find((file) => {
    const extraPath = foldForRestricting(file.replaceAll('\\', '/'), true)
    return isWithin(path, extraPath, true) || (isFolder && isWithin(extraPath, path, true))
  })
  return protectedFile === undefined ? undefined : `the protected file ${protectedFile}`
}

const MENTION_PATTERNS: readonly { readonly what: string; readonly pattern: RegExp }[] = FOLDED_FILES.map(
  ({ what, names, folders, absolute, suffixes }) => {
    const relativePatterns = [...names, ...folders.map((folder) => folder.join('/'))].map(escapeForPattern)
    const unanchoredPatterns = [...absolute, ...suffixes].map(escapeForPattern)
    const startPattern = [`(?<![\\w.-])(?:${relativePatterns.join('|')})`, ...unanchoredPatterns].join('|')
    return { what, pattern: new RegExp(`(?:${startPattern})(?![\\w-])`) }
  },
)

/**
 * Finds a mention of a protected file in a command that could not be parsed, whether quoted or not. Returns a description of
 * the file.
 */
export function findProtectedMention(text: string, extraFiles: readonly string[] = []): string | undefined {
  const unquotedText = foldForRestricting(text, true).replace(/["']+/g, '')
  // A backslash can quote the next character, or separate folders.
  for (const variant of new Set([unquotedText.replaceAll('\\', ''), unquotedText.replaceAll('\\', '/')])) {
    const mention = MENTION_PATTERNS.find(({ pattern }) => pattern.test(variant))
    if (mention !== undefined) return mention.what
    const file = extraFiles.find((path) => {
      const name = splitPath(foldForRestricting(path.replaceAll('\\', '/'), true)).at(-1)
      return name !== undefined && variant.includes(name)
    })
    if (file !== undefined) return `the protected file ${file}`
  }
  return undefined
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Adds the protected folder, if any, that is inside a folder which will be written, moved or deleted. */
export async function withProtectedFolder(path: JudgedPath, lookup: Lookup): Promise<JudgedPath> {
  if (!path.isFolder || path.problem !== undefined) return path
  for (const form of path.forms) {
    const lookups = PROTECTED_FOLDERS.map((name) => lookup(joinPath([...splitPath(form), ...name.split('/')])))
    const foundIndex = (await Promise.all(lookups)).findIndex((pathInfo) => pathInfo?.isFolder === true)
    if (foundIndex !== -1) return { ...path, protectedFolder: PROTECTED_FOLDERS[foundIndex] ?? '' }
  }
  return path
}
