import type { PossibleEffects } from '../../contract/command.js'
import type { CommandEffects } from '../programs/effects.js'
import type { Scope } from '../words/scope.js'
import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'
import { mayRunArguments, operandIndexes, readsOnly, runsText } from './possible-programs.js'

/** A command that no table describes completely, and where it runs. */
interface OpaqueCommand {
  readonly words: readonly ShellWord[]
  /** Assignments before the program, or after `env`, that may change what the program does. */
  readonly settings: readonly ShellWord[]
  readonly effects: CommandEffects
  readonly scope: Scope
  /** The text of a here-document or here-string. */
  readonly input: ShellWord | undefined
  /** Further words that name files, whose paths are not certain. */
  readonly files: readonly ShellWord[]
}

/** Finds what a command may do according to its words alone. */
export function findPossibleEffects(command: OpaqueCommand): PossibleEffects {
  const { words, settings, effects, scope, input, files } = command
  const [program, ...args] = words
  const name = program === undefined ? '' : baseNameOf(program.text)
  const operands = operandIndexes(args)
  const subcommandAt = typeof effects.subcommandAt === 'number' ? effects.subcommandAt : operands[0]
  const verb = subcommandAt === undefined ? '' : (args[subcommandAt]?.text ?? '')
  const runsFrom = mayRunArguments(name, verb, subcommandAt)
  const isCode = runsText(name)
  const inputText = input === undefined || runsFrom === undefined ? [] : [input.text]
  // A variable such as `GIT_SSH_COMMAND` may name the program that runs.
  const ownTexts = [...settings.map(({ text }) => text), ...inputText]
  const texts = isCode ? [...args.map(({ text }) => text), ...ownTexts] : ownTexts
  const pathWords = [...args, ...settings, ...files]
  const found = findPaths(pathWords, isCode, scope)
  if (isCode) for (const text of inputText) addAll(found.paths, namesInCode(text), scope)
  const mayNameMore = found.paths.size + found.partPaths.size > MAX_PATHS || pathWords.some(mayNameHiddenFile)
  return {
    ...(runsFrom !== undefined && { runsFrom }),
    texts,
    paths: [...found.paths].slice(0, MAX_PATHS),
    partPaths: [...found.partPaths].slice(0, MAX_PATHS),
    ...(readsOnly(name, verb) && { onlyReads: true as const }),
    ...(mayNameMore && { mayNameHiddenFile: true as const }),
  }
}

interface FoundPaths {
  readonly paths: Set<string>
  readonly partPaths: Set<string>
}

/** Finds the files that words may name, for a redirection whose paths are not certain. */
export function findPossibleFiles(words: readonly ShellWord[], scope: Scope): PossibleEffects {
  return { texts: [], paths: [...findPaths(words, false, scope).paths], partPaths: [] }
}

function findPaths(words: readonly ShellWord[], isCode: boolean, scope: Scope): FoundPaths {
  const found: FoundPaths = { paths: new Set(), partPaths: new Set() }
  for (const word of words) {
    if (found.paths.size > MAX_PATHS) break
    addPaths(word, isCode, scope, found)
  }
  return found
}

/** Judging more paths would take too long: the rest may name any file. */
const MAX_PATHS = 300

/** The name of a program without its folder, in lower case. */
export function baseNameOf(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1).toLowerCase()
}

/** Adds what a word may name. A path ends with a slash if the rest is known only at run time. */
function addPaths(word: ShellWord, isCode: boolean, scope: Scope, found: FoundPaths): void {
  if (word.isPipe === true) return
  for (const each of word.below ?? []) addPaths(each, isCode, scope, found)
  // The end of an unknown word may be literal, as in `"$dir/.bashrc"`.
  const texts = word.alternatives ?? (isKnown(word) ? [word.text] : [word.text, folderOf(knownPartOf(word))])
  for (const text of texts) {
    const values = valuesOf(text)
    addAll(found.paths, values, scope)
    if (isCode) addAll(found.paths, namesInCode(text), scope)
    addAll(found.partPaths, values.flatMap(partsOf), scope)
  }
}

function addAll(paths: Set<string>, texts: readonly string[], scope: Scope): void {
  for (const text of texts) {
    if (text.length < MAX_PATH_CHARS) for (const path of possiblePathsOf(text, scope)) paths.add(path)
  }
}

/** No operating system accepts longer paths. */
const MAX_PATH_CHARS = 4_096

/** The known folder of a word with an unknown end. */
function folderOf(knownText: string): string {
  return knownText.slice(0, knownText.lastIndexOf('/') + 1)
}

const URL = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//

/** The whole word or the value of an option: `file`, `-ofile`, `--output=file`, `of=file`, `file:///file`. */
function valuesOf(text: string): readonly string[] {
  if (text.startsWith('file://')) return [text.slice('file://'.length).replace(/^[^/]*/, '')]
  if (text === '' || URL.test(text)) return []
  const equals = text.indexOf('=')
  const value = equals === -1 ? [] : valuesOf(text.slice(equals + 1))
  if (/^--|^-.?$/.test(text)) return value
  return text.startsWith('-') ? [...valuesOf(text.slice(2)), ...value] : [text, ...value]
}

/** `host:file`, `from:to` and `@file`. Text with blanks is no list of files. */
function partsOf(text: string): readonly string[] {
  return /[:@]/.test(text) && !/\s/.test(text) ? text.split(/[:@]/).filter((part) => part !== '') : []
}

/** Names in code that look like a file: with a slash, a dot or a tilde. */
function namesInCode(text: string): readonly string[] {
  return (text.match(/[A-Za-z0-9_./~+-]+/g) ?? []).filter((name) => /[./~]/.test(name) && /[A-Za-z0-9]/.test(name))
}

/** The path in every folder in which the command may run. `..` is kept: it may follow a symbolic link. */
function possiblePathsOf(text: string, { folders, home }: Scope): readonly string[] {
  if (text.startsWith('/')) return [text]
  const homePaths = /^~(?:\/|$)/.test(text) ? [home === undefined ? text : home.use() + text.slice(1)] : []
  return [...homePaths, ...(folders ?? []).map((folder) => `${folder}/${text}`)]
}

/** Whether an argument starts like a hidden file and its end is known only at run time. */
function mayNameHiddenFile(word: ShellWord): boolean {
  if (isKnown(word) || word.alternatives !== undefined) return false
  const start = knownPartOf(word)
  return /^\.[A-Za-z.]/.test(start.slice(start.search(/[^/=:@]*$/)))
}
