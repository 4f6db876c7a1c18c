import type { FileGlob, FoundFiles } from '../../contract/command.js'
import type { TouchedWord } from '../programs/effects.js'
import { folderWordOf } from '../words/glob-words.js'
import type { Scope } from '../words/scope.js'
import { joinPath } from '../words/scope.js'
import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'

/** Returns the paths that a word names; undefined if they are unknown. A trailing slash means everything below the folder. */
export function pathsOf(touchedWord: TouchedWord, scope: Scope, start: string): readonly string[] | undefined {
  const { word, isTree } = touchedWord
  if (word.isPipe === true) return []
  if (touchedWord.isOnlyListed === true) return findListedFolder(word, scope, start)
  if (word.searchRoots !== undefined) {
    return flatten(word.searchRoots.map((root) => pathsOf({ word: root, isTree: true }, scope, start)))
  }
  const { text, alternatives, isQuoted = false } = word
  if (alternatives === undefined && !isKnown(word)) return findFolderOfGlob(word, scope, start)
  const paths =
    alternatives === undefined
      ? resolvePath(text, isQuoted, scope, start)
      : flatten(alternatives.map((alternative) => resolvePath(alternative, isQuoted, scope, start)))
  return isTree ? paths?.map(withSlash) : paths
}

/** Returns the folder whose names the shell reads to expand a glob. */
function findListedFolder(word: ShellWord, scope: Scope, start: string): readonly string[] | undefined {
  const folder = folderWordOf(word)
  if (folder === undefined) return undefined
  return resolvePath(folder.text.replace(/(.)\/+$/, '$1'), folder.isQuoted === true, scope, start)
}

function findFolderOfGlob(word: ShellWord, scope: Scope, start: string): readonly string[] | undefined {
  const folder = folderWordOf(word)
  if (folder === undefined) return undefined
  return resolvePath(folder.text, folder.isQuoted === true, scope, start)?.map(withSlash)
}

/** Returns descriptions of the files that the words select at run time: by a glob, by `find` or through links. Undefined if there are none. */
export function foundFilesOf(
  words: readonly TouchedWord[],
  scope: Scope,
  start: string,
): readonly FoundFiles[] | undefined {
  const foundFiles: FoundFiles[] = []
  for (const touchedWord of words) {
    if (touchedWord.hasIgnoreFiles === true) foundFiles.push(...listIgnoreFiles(touchedWord, scope, start))
    if (touchedWord.followsLinks === true) foundFiles.push(...listFilesBelow(touchedWord, scope, start))
    else if (touchedWord.mustNotBeArchive === true) foundFiles.push(...listObjects(touchedWord, scope, start))
    else if (touchedWord.isOnlyListed === true) foundFiles.push(...listNamesOfGlob(touchedWord.word, scope, start))
    else foundFiles.push(...listFilesOfWord(touchedWord.word, scope, start))
  }
  if (foundFiles.length === 0) return undefined
  const otherwiseUsedWords = new Set(
    words
      .filter((touchedWord) => !isGlob(touchedWord))
      .flatMap((touchedWord) => pathsOf(touchedWord, scope, start) ?? []),
  )
  return foundFiles.map((foundFile) =>
    foundFile.isDeep || otherwiseUsedWords.has(foundFile.folder) ? foundFile : { ...foundFile, isOnlyUse: true },
  )
}

/** Whether a word names files only by patterns, without the files in folders among them. */
function isGlob({ word, isTree, followsLinks }: TouchedWord): boolean {
  const areGlobs = word.globs === undefined ? word.searchRoots === undefined : !word.globs.some(isKnown)
  return !isTree && followsLinks !== true && areGlobs && !isKnown(word)
}

function listFilesBelow(touchedWord: TouchedWord, scope: Scope, start: string): readonly FoundFiles[] {
  const folders = pathsOf(touchedWord, scope, start) ?? []
  return folders.map(describeAllBelow)
}

function listIgnoreFiles(touchedWord: TouchedWord, scope: Scope, start: string): readonly FoundFiles[] {
  return listFilesBelow(touchedWord, scope, start).map((foundFile) => ({ ...foundFile, areIgnoreFiles: true as const }))
}

function describeAllBelow(folder: string): FoundFiles {
  return { folder, prefix: '', suffix: '', areFolders: false, isDeep: true, ...LINKS_FOLLOWED }
}

/** Describes the files that must not be archives. */
function listObjects(touchedWord: TouchedWord, scope: Scope, start: string): readonly FoundFiles[] {
  const { word } = touchedWord
  if (!isKnown(word) && word.alternatives === undefined)
    return listFilesOfWord(word, scope, start).map((foundFile) => ({ ...foundFile, excludesArchives: true as const }))
  return (pathsOf(touchedWord, scope, start) ?? []).map((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const folder = path.slice(0, path.length - name.length) || '.'
    const query = { prefix: name, suffix: name, areFolders: false, isDeep: false }
    return { folder, ...query, ...LINKS_FOLLOWED, excludesArchives: true as const }
  })
}

/** Lists the names that a glob matches. The shell itself follows links only to folders in which it looks for further names. */
function listNamesOfGlob(word: ShellWord, scope: Scope, start: string): readonly FoundFiles[] {
  return listFilesOfGlob(word, scope, start).map((foundFile) =>
    foundFile.isDeep ? foundFile : { ...foundFile, excludesLinks: true },
  )
}

function listFilesOfWord(word: ShellWord, scope: Scope, start: string): readonly FoundFiles[] {
  if (word.globs !== undefined) return word.globs.flatMap((glob) => listFilesOfGlob(glob, scope, start))
  if (word.searchRoots === undefined) return listFilesOfGlob(word, scope, start)
  const { excludesLinks = false, suffix = '', mustBePlain = false } = word.names ?? {}
  if (excludesLinks && !mustBePlain) return []
  const folders = word.searchRoots.flatMap((root) => pathsOf({ word: root, isTree: true }, scope, start) ?? [])
  return folders.map((folder) => ({
    folder,
    prefix: '',
    suffix,
    areFolders: false,
    isDeep: true,
    excludesLinks,
    mustBePlain,
    mustBeOperands: false,
  }))
}

const LINKS_FOLLOWED = { excludesLinks: false, mustBePlain: false, mustBeOperands: false }

function listFilesOfGlob(word: ShellWord, scope: Scope, start: string): readonly FoundFiles[] {
  const paths = findFolderOfGlob(word, scope, start)
  if (paths === undefined) return []
  const folderLength = knownPartOf(word).lastIndexOf('/') + 1
  const areFolders = word.text.endsWith('/')
  const mustBeOperands = word.knownLength === 0
  const pattern = word.text.slice(folderLength).replace(/\/+$/, '')
  if (pattern.includes('/')) {
    return paths.map((folder) => ({ ...describeAllBelow(folder), mustBeOperands }))
  }
  const prefix = knownPartOf(word).slice(folderLength)
  // Other characters may be parts of a pattern.
  const suffix = /^[\w.*?-]*$/.test(pattern) ? (/[^*?]*$/.exec(pattern)?.[0] ?? '') : ''
  return paths.map((folder) => ({
    folder,
    prefix,
    suffix,
    areFolders,
    isDeep: false,
    ...LINKS_FOLLOWED,
    mustBeOperands,
  }))
}

/** Returns the patterns that a word consists of, with the folders in which the shell looks; undefined if there are none. */
export function globsOf(word: ShellWord, scope: Scope, start: string): readonly FileGlob[] | undefined {
  if (word.globs !== undefined) {
    const lists = word.globs.map((glob) => globsOf(glob, scope, start))
    return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? [])
  }
  if (isKnown(word) || word.alternatives !== undefined || word.searchRoots !== undefined) return undefined
  const folders = findFolderOfGlob(word, scope, start)
  const pattern = word.text.slice(knownPartOf(word).lastIndexOf('/') + 1)
  return GLOB_PATTERN.test(pattern) ? folders?.map((folder) => ({ folder, pattern })) : undefined
}

/** Names with `*`, `?` and sets of characters, but without braces, extended patterns and expansions. */
const GLOB_PATTERN = /^(?:[\w.*?@%+,:=~ -]|\[[\w^!-]+\])+(?:\/(?:[\w.*?@%+,:=~ -]|\[[\w^!-]+\])+)*\/?$/

/** Returns the patterns that select what a command writes, in folders in which it writes nothing else. */
export function writtenGlobsOf(
  writes: readonly TouchedWord[],
  scope: Scope,
  start: string,
): readonly FileGlob[] | undefined {
  if (writes.every(({ word }) => isKnown(word))) return undefined
  const otherPaths = new Set<string>()
  const globs: FileGlob[] = []
  for (const touchedWord of writes) {
    const wordGlobs = globsOf(touchedWord.word, scope, start)
    if (wordGlobs !== undefined) globs.push(...wordGlobs)
    else for (const path of pathsOf(touchedWord, scope, start) ?? []) otherPaths.add(path)
  }
  const onlyGlobs = globs.filter(({ folder }) => !otherPaths.has(folder))
  return onlyGlobs.length === 0 ? undefined : onlyGlobs
}

function resolvePath(text: string, isQuoted: boolean, scope: Scope, start: string): readonly string[] | undefined {
  if (isTooLongToResolve(text)) return undefined
  const paths = joinWithFolders(text, isQuoted, scope, start)
  return paths?.some(dependsOnProcess) === true ? undefined : paths
}

/** No system opens a longer path, and each `..` costs a lookup. */
const MAX_PATH_CHARS = 4_096
const MAX_PARENT_SEGMENTS = 100

function isTooLongToResolve(text: string): boolean {
  if (text.length <= MAX_PARENT_SEGMENTS * 2) return false
  return text.length > MAX_PATH_CHARS || text.split('..').length > MAX_PARENT_SEGMENTS
}

/**
 * Whether the path leads through links that belong to a process, such as `/proc/self/cwd` and `/dev/fd/3`. Resolving them here
 * would use the wrong process.
 */
function dependsOnProcess(path: string): boolean {
  if (!PROCESS_FOLDER.test(path)) return false
  // `/dev/fd` is a link to a folder of the process, so `..` leads to the files of the process.
  if (/\/fd\/+(?:.*\/)?\.\.(?:\/|$)/.test(path)) return true
  const plainPath = joinPath('/', path)
  return (
    /^\/dev\/fd\//.test(plainPath) || (/^\/proc\/[^/]*(?:self|\d)/.test(plainPath) && !PROCESS_FILE.test(plainPath))
  )
}

const PROCESS_FOLDER = /^\/.*(?:proc|fd)(?:\/|$)/
const PROCESS_FILE =
  /^\/proc\/(?:self|thread-self|\d+)\/(?:status|stat|statm|cmdline|comm|cgroup|environ|io|limits|loginuid|maps|mountinfo|mounts|oom_score|smaps)$/

function joinWithFolders(text: string, isQuoted: boolean, scope: Scope, start: string): readonly string[] | undefined {
  if (text === '') return []
  if (text.startsWith('~') && !isQuoted) return expandHome(text, scope)
  const path = text.startsWith('~') ? `./${text}` : text
  if (path.startsWith('/')) return [path]
  const { folders } = scope
  if (folders === undefined) return undefined
  // If the folder is a symbolic link, `..` does not lead to its textual parent. The path is kept as written, so that
  // permission can check both.
  const join = PARENT_SEGMENT.test(path)
    ? (folder: string) => `${folder}/${path}`
    : (folder: string) => joinPath(folder, path)
  return folders.map((folder) => (folder === start ? path : join(folder)))
}

const PARENT_SEGMENT = /(?:^|\/)\.\.(?:\/|$)/

function expandHome(text: string, { home }: Scope): readonly string[] | undefined {
  if (text !== '~' && !text.startsWith('~/')) return undefined
  return [home === undefined ? text : home.use() + text.slice(1)]
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

function flatten(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? [])
}
