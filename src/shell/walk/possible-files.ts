import type { PossibleEffects } from '../../contract/command.js'
import { hasGitMessage, hasMessages, isMessage, isMessageOption } from '../words/message-options.js'
import type { Scope } from '../words/scope.js'
import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'
import { globsOf } from './paths-of.js'
import { baseNameOf } from './program-names.js'

interface FoundPaths {
  readonly paths: Set<string>
  readonly partPaths: Set<string>
}

/** The words of a command that no table describes completely. */
interface CommandWords {
  readonly words: readonly ShellWord[]
  /** Variables, redirections and input, which may name files, too. */
  readonly files: readonly ShellWord[]
  readonly scope: Scope
  /** Whether the command runs in another folder than the script. */
  readonly isElsewhere: boolean
  /** Folders that the command uses, even if no word names them. */
  readonly folders: readonly string[]
}

/** Finds the files that the words of a command may name. */
export function findNamedFiles(
  commandWords: CommandWords,
): Pick<PossibleEffects, 'paths' | 'partPaths' | 'mayNameHiddenFile'> {
  const { words, files, scope } = commandWords
  const args = words.slice(1)
  const name = baseNameOf(words[0]?.text ?? '')
  const pathWords = [...withoutTexts(name, args), ...files]
  const { paths, partPaths } = findPaths(pathWords, scope)
  const names = args.filter((word) => isKnown(word) && !exceedsLimits(word)).flatMap(({ text }) => valuesOf(text))
  addAllPaths(paths, names.flatMap(listUnpackedNames), scope)
  addAllPaths(paths, commandWords.folders, scope)
  if (name === 'git' && args.some(({ text }) => text === 'clone'))
    addAllPaths(paths, args.flatMap(listClonedNames), scope)
  // The command may write a file in its folder that no word names. A placeholder is used as its name.
  if (commandWords.isElsewhere) addAllPaths(paths, ['file'], scope)
  const mayNameHidden =
    paths.size + partPaths.size > MAX_PATHS ||
    pathWords.some(mayNameHiddenFile) ||
    args.some(exceedsLimits) ||
    choosesNames(name, args, scope)
  return {
    paths: [...paths].slice(0, MAX_PATHS),
    partPaths: [...partPaths].slice(0, MAX_PATHS),
    mayNameHiddenFile: mayNameHidden ? true : undefined,
  }
}

/** Returns the arguments without messages and titles, which are not files. */
function withoutTexts(program: string, args: readonly ShellWord[]): readonly ShellWord[] {
  if (!hasMessages(program)) return args
  const verb =
    args.find(({ text }, at) => !text.startsWith('-') && !/^-[A-Za-z]$/.test(args[at - 1]?.text ?? ''))?.text ?? ''
  if (program === 'git' && !hasGitMessage(verb)) return args
  return args.filter(
    ({ text }, index) =>
      !isMessageOption(program, text) && !isMessage(program, text, args[index - 1]?.text ?? '', verb),
  )
}

/** Returns the name that `git clone` gives to the folder: the last part of the URL, without its suffix. */
function listClonedNames({ text }: ShellWord): readonly string[] {
  const [, name] = /([^/:]+?)(?:\.bundle|\/?\.git)?\/*$/.exec(text) ?? []
  return name === undefined ? [] : [name, `${name}/`]
}

const PACKED_SUFFIX = /(.)\.(?:gz|xz|bz2|zst|lzma|lz|lz4|lzo|br|Z|z|gpg|asc|age|enc|uu|b64|orig|bak|rej|zip)$/

/** Returns the name that a program gives to what it unpacks. */
function listUnpackedNames(name: string): readonly string[] {
  return PACKED_SUFFIX.test(name) ? [name.replace(PACKED_SUFFIX, '$1')] : []
}

/** Options with which the server chooses the name of a downloaded file. */
const REMOTE_NAMES = /^-[A-Za-z]*J|^--(?:remote-header-name|content-disposition|recursive|mirror)|^-r$|^-[a-z]*[rm]$/

/** Whether a program writes files whose names come from an archive or a server, where protected files may be. */
function choosesNames(name: string, args: readonly ShellWord[], { folders, home }: Scope): boolean {
  const hasOption = (pattern: RegExp) => args.some(({ text }) => pattern.test(text))
  if (name === 'uudecode' || (/^(?:gzip|gunzip)$/.test(name) && hasOption(/^-[A-Za-z]*N|^--na/))) return true
  if (name === 'wget' || name === 'curl')
    return hasOption(REMOTE_NAMES) && (name === 'wget' || hasOption(/J|header-name/))
  const isHome = home !== undefined && folders?.includes(home.use()) === true
  return isHome && /^(?:tar|bsdtar|unzip|7z|7za|cpio|pax)$/.test(name)
}

/** Finds the files that the words of a redirection may name if its path is not certain. */
export function findPossibleFiles(words: readonly ShellWord[], scope: Scope): PossibleEffects {
  return { usesAnyFile: true, paths: [...findPaths(words, scope).paths], partPaths: [] }
}

function findPaths(words: readonly ShellWord[], scope: Scope): FoundPaths {
  const foundPaths: FoundPaths = { paths: new Set(), partPaths: new Set() }
  for (const word of words) {
    if (foundPaths.paths.size > MAX_PATHS) break
    addPaths(word, scope, foundPaths)
  }
  return foundPaths
}

/** The limit for the paths that are checked. Beyond it, the command may name any file. */
const MAX_PATHS = 300

/** Adds the paths that a word may name. A trailing slash means that the rest of the path is known only at run time. */
function addPaths(word: ShellWord, scope: Scope, foundPaths: FoundPaths): void {
  if (namesNoPath(word)) return
  if (word.hasPattern === true && globsOf(word, scope, '') !== undefined) {
    addAllPaths(foundPaths.paths, [word.text], scope)
    return
  }
  if (word.searchRoots !== undefined) for (const root of word.searchRoots) addPaths(root, scope, foundPaths)
  // The end of an unknown word may be literal, as in `"$dir/.bashrc"`.
  const texts = word.alternatives ?? (isKnown(word) ? [word.text] : [word.text, folderOf(knownPartOf(word))])
  for (const text of texts.flatMap((possibleText) => [...new Set([possibleText, decodePercents(possibleText)])])) {
    const values = valuesOf(text)
    addAllPaths(foundPaths.paths, values, scope)
    addAllPaths(foundPaths.partPaths, listAttachedNames(text), scope)
    if (URL.test(text)) continue
    addAllPaths(foundPaths.partPaths, partsOf(text), scope)
  }
}

/** Whether the text of a word names no path, or any path, so that its parts do not matter. */
function namesNoPath(word: ShellWord): boolean {
  if (word.isPipe === true || exceedsLimits(word)) return true
  // The output of a substitution is unknown, whatever names are in its script, which is judged as a command of its own.
  return word.knownLength === 0 && WHOLE_SUBSTITUTION.test(word.text)
}

/** A substitution that contains no further ones, with nothing before or after it. */
const WHOLE_SUBSTITUTION = /^\$\((?:[^()'"`]|'[^']*'|"[^"$`]*")*\)$/

function addAllPaths(paths: Set<string>, texts: readonly string[], scope: Scope): void {
  for (const text of texts) {
    if (text.length < MAX_PATH_CHARS) addPossiblePaths(paths, text, scope)
  }
}

/** `PATH_MAX` on Linux. Some programs shorten a longer path, such as `./././file`, before they open it. */
const MAX_PATH_CHARS = 4_096

/** Whether a word is too long to look for all files that it may name, so that it may name any. */
function exceedsLimits({ text }: ShellWord): boolean {
  if (text.length >= MAX_PATH_CHARS && /^\S+$/.test(text)) return true
  return (OPTION_CLUSTER.exec(text)?.[0].length ?? 0) > MAX_CLUSTER_CHARS
}

/** Returns the folder part of a word whose end is unknown. */
function folderOf(knownText: string): string {
  return knownText.slice(0, knownText.lastIndexOf('/') + 1)
}

const URL = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//
/** Schemes of URLs on other machines. Any other scheme may name a local file. */
const NETWORK_SCHEME =
  /^(?:https?|s?ftps?|ssh|git|git\+(?:https?|ssh)|wss?|s3|gs|az|r2|postgres(?:ql)?|mysql|mariadb|rediss?|mongodb(?:\+srv)?|amqps?|nats|kafka|ldaps?|smtps?|imaps?|tcp|udp|docker|oci|npm|rtmp|rtsp|udp|magnet|mailto)$/i

/** Returns the whole word and the values that it may contain: `file`, `-ofile`, `--output=file`, `of=file`, `file:///file`. */
function valuesOf(text: string): readonly string[] {
  if (text === '') return []
  const scheme = URL.exec(text)?.[1]
  if (scheme !== undefined) {
    // A folder may have the name of a scheme, as in `http://../file`.
    const literalPaths = text.includes('..') ? [text] : []
    const filePaths = NETWORK_SCHEME.test(scheme) ? [] : filePathsOf(text)
    return [...literalPaths, ...filePaths, ...remoteNameOf(text)]
  }
  const equals = text.indexOf('=')
  const value = equals === -1 ? [] : valuesOf(text.slice(equals + 1))
  if (/^--|^-.?$/.test(text)) return value
  return text.startsWith('-') ? [...clusterValuesOf(text), ...value] : [text, ...value]
}

/** Returns the name that a program may give to what it downloads: the last part of the URL. */
function remoteNameOf(url: string): readonly string[] {
  const [path = ''] = decodePercents(url).split(/[?#]/, 1)
  const name = path.slice(path.replace(/\/+$/, '').lastIndexOf('/') + 1).replace(/\/+$/, '')
  return name === '' ? [] : [name, name.replace(/(.)\.git$/, '$1')]
}

/**
 * Returns the possible values in a cluster such as `-ft.git`, where the text after any letter may be the value of that letter.
 */
function clusterValuesOf(text: string): readonly string[] {
  const clusterLength = OPTION_CLUSTER.exec(text)?.[0].length ?? 1
  const lastIndex = Math.min(Math.max(clusterLength, 2), text.length - 1, MAX_CLUSTER_CHARS)
  const values: string[] = []
  for (let at = 2; at <= lastIndex; at += 1) {
    const end = text.slice(at)
    if (end.startsWith('-')) continue
    values.push(end)
    if (URL.test(end)) values.push(...valuesOf(end))
  }
  return values
}

const OPTION_CLUSTER = /^-[A-Za-z0-9]*/
const MAX_CLUSTER_CHARS = 64

/**
 * Returns the paths that a local URL may mean, with and without its query and fragment. Programs such as curl expand
 * braces and brackets, so a path with these is cut to its folder.
 */
function filePathsOf(url: string): readonly string[] {
  const start = url.indexOf('//') + 2
  const hostAndPath = url.slice(start)
  const absolutePath = url.slice(start).replace(/^[^/]*/, '')
  return [absolutePath, hostAndPath, absolutePath.replace(/^\/+/, ''), absolutePath.replace(/^\/+/, '/')].flatMap(
    (path) => {
      const pattern = path.search(/[{[]/)
      const literalPath = pattern === -1 ? path : path.slice(0, path.lastIndexOf('/', pattern) + 1)
      return literalPath === ''
        ? []
        : [decodePercents(literalPath), decodePercents(literalPath.replace(/[?#].*$/s, ''))]
    },
  )
}

function decodePercents(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** A pattern such as `src/**\/*.{js,ts}`: the text before its first wildcard, and the rest. */
const FILE_PATTERN = /^!?([\w.@/-]*)[*?{[][\w.@*?{},[\]/!-]*$/

/** Splits a word at every character that is unusual in names, as in `host:file`, `@file`, `a;file` and `src=from,dst=to`. */
function partsOf(text: string): readonly string[] {
  if (!/[^\w./~-]/.test(text)) return []
  // A pattern that the program expands itself means files below its first folder.
  const [, start] = text.includes('..') ? [] : (FILE_PATTERN.exec(text) ?? [])
  if (start !== undefined) return [start.includes('/') ? folderOf(start) : './']
  // A shell removes quotes and backslashes.
  const unquotedParts = /["'\\]/.test(text) ? text.replace(/["'\\]/g, '').split(/[^\w./~+-]+/) : []
  const fragments = [...text.split(/[^\w./~+-]+/), ...unquotedParts]
  return [...fragments, ...fragments.flatMap((fragment) => (fragment.includes('+') ? fragment.split('+') : []))].filter(
    (fragment) => fragment !== '',
  )
}

const MAX_ATTACHED_NAMES = 8

/** Returns the names that may follow an `@`, as in `-d @name`. They may contain blanks and commas. */
function listAttachedNames(text: string): readonly string[] {
  const parts = text.split('@')
  return parts.slice(1, MAX_ATTACHED_NAMES + 1).map((_, at) => parts.slice(at + 1).join('@'))
}

/** Adds the path in every folder in which the command may run. `..` is kept, because it may follow a symbolic link. */
function addPossiblePaths(paths: Set<string>, text: string, { folders, home }: Scope): void {
  if (text.startsWith('/')) {
    paths.add(text)
    return
  }
  // The home of another user, or the previous folder, is unknown. A path that does not exist is added instead.
  const isUnknown = /^~[^/+]/.test(text)
  if (isUnknown) paths.add(`/${text}`)
  if (/^~(?:\/|$)/.test(text)) paths.add(home === undefined ? text : home.use() + text.slice(1))
  const isCurrentFolder = /^~\+(?:\/|$)/.test(text)
  for (const folder of folders ?? []) paths.add(isCurrentFolder ? folder + text.slice(2) : `${folder}/${text}`)
}

/** Whether an argument starts like the name of a hidden file and its end is known only at run time. */
function mayNameHiddenFile(word: ShellWord): boolean {
  if (/\s/.test(word.text) && HIDDEN_PATTERN.test(word.text)) return true
  if (isKnown(word) || word.alternatives !== undefined) return false
  const start = knownPartOf(word)
  return /^\.[A-Za-z.]/.test(start.slice(start.search(/[^/=:@]*$/)))
}

/** An incomplete name of a hidden file in a script, such as `.gi*` or `.g[i]t`. */
const HIDDEN_PATTERN = /(?:^|[\s/=;])\.[\w.-]*[*?[{$`]/
