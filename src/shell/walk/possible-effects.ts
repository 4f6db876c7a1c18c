import type { PossibleEffects } from '../../contract/command.js'
import type { CommandEffects } from '../programs/effects.js'
import type { Scope } from '../words/scope.js'
import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'
import { namesFilesInData, runsCode } from './interpreter-input.js'
import {
  hasOnlyNames,
  mayRunArguments,
  operandIndexes,
  readsOnly,
  runsText,
  withoutTexts,
} from './possible-programs.js'

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
  /** A redirection reads a file. */
  readonly readsFile: boolean
  /** Runs in another folder than the script, or in one that is known only at run time. */
  readonly isElsewhere: boolean
}

/** Finds what a command may do according to its words alone. */
export function findPossibleEffects(command: OpaqueCommand): PossibleEffects {
  const { words, settings, files, scope } = command
  const args = words.slice(1)
  const name = baseNameOf(words[0]?.text ?? '')
  const isCode = runsText(name)
  const pathWords = [...args, ...settings, ...files]
  const found = findPaths(pathWords, isCode, scope)
  const programs = command.effects.isComplete ? NO_PROGRAMS : findPossiblePrograms(command, name, args)
  for (const text of [...programs.scripts, ...scriptsIn(settings)]) addAll(found.paths, namesInCode(text), scope)
  // A command that no table describes may write files in its folder that it does not name.
  if (command.isElsewhere && !command.effects.isComplete) addAll(found.paths, ['file'], scope)
  const mayNameMore = found.paths.size + found.partPaths.size > MAX_PATHS || pathWords.some(mayNameHiddenFile)
  // A variable such as `GIT_SSH_COMMAND` may name the program that runs.
  const codeWords = isCode ? [...args, ...settings] : settings
  return {
    ...programs.effects,
    ...(settings.some((word) => !isKnown(word)) && { runsAnything: true as const }),
    texts: [...codeWords.map(({ text }) => text), ...programs.inputs],
    paths: [...found.paths].slice(0, MAX_PATHS),
    partPaths: [...found.partPaths].slice(0, MAX_PATHS),
    ...(readsOnly(name, args, settings) && { onlyReads: true as const }),
    ...(mayNameMore && { mayNameHiddenFile: true as const }),
  }
}

interface PossiblePrograms {
  readonly effects: Pick<PossibleEffects, 'runsFrom' | 'runsOnlyOptionValues' | 'runsAnything' | 'namesFilesInData'>
  /** Texts of the input. */
  readonly inputs: readonly string[]
  /** Texts that may be scripts or lists, which name files. */
  readonly scripts: readonly string[]
}

/** A table that describes a command completely lists what it runs. */
const NO_PROGRAMS: PossiblePrograms = { effects: {}, inputs: [], scripts: [] }

function findPossiblePrograms(
  { effects, scope, input, readsFile }: OpaqueCommand,
  name: string,
  args: readonly ShellWord[],
): PossiblePrograms {
  const subcommandAt = typeof effects.subcommandAt === 'number' ? effects.subcommandAt : operandIndexes(args)[0]
  const verb = subcommandAt === undefined ? '' : (args[subcommandAt]?.text ?? '')
  const hasInput = input !== undefined || scope.hasInput === true || readsFile
  const inputs = input === undefined ? [] : [input.text]
  return {
    effects: {
      runsFrom: mayRunArguments(name, verb, subcommandAt),
      ...(hasOnlyNames(name, verb) && { runsOnlyOptionValues: true as const }),
      ...(runsCode(name, args, hasInput) && { runsAnything: true as const }),
      ...((inputs.length > 0 || namesFilesInData(name, args, hasInput)) && { namesFilesInData: true as const }),
    },
    inputs,
    scripts: [...inputs, ...scriptsIn(withoutTexts(name, args))],
  }
}

/** Words with blanks may be scripts, which name files. */
function scriptsIn(words: readonly ShellWord[]): readonly string[] {
  return words.flatMap(({ text }) => (/\s/.test(text) ? [text] : []))
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

const URL = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//

/** The whole word or the value of an option: `file`, `-ofile`, `--output=file`, `of=file`, `file:///file`. */
function valuesOf(text: string): readonly string[] {
  if (text === '') return []
  const scheme = URL.exec(text)?.[1]
  if (scheme !== undefined) return scheme.toLowerCase() === 'file' ? [filePathOf(text)] : []
  const equals = text.indexOf('=')
  const value = equals === -1 ? [] : valuesOf(text.slice(equals + 1))
  if (/^--|^-.?$/.test(text)) return value
  return text.startsWith('-') ? [...clusterValuesOf(text), ...value] : [text, ...value]
}

/** Every end of a cluster of short options may be the value of the letter before it: `-ft.git`. */
function clusterValuesOf(text: string): readonly string[] {
  const letters = /^-[A-Za-z0-9]*/.exec(text)?.[0].length ?? 1
  const last = Math.min(Math.max(letters, 2), text.length - 1, MAX_CLUSTER)
  return Array.from({ length: last - 1 }, (_, index) => text.slice(index + 2)).flatMap((end) =>
    end.startsWith('-') ? [] : [end, ...(URL.test(end) ? valuesOf(end) : [])],
  )
}

const MAX_CLUSTER = 10

/** The path of a `file:` address. Programs such as curl expand braces and brackets in it: then any file of the folder. */
function filePathOf(url: string): string {
  const path = url.replace(/^[^/]*\/\/[^/]*/, '')
  const decoded = decodePercents(path)
  const pattern = path.search(/[{[]/)
  return pattern === -1 ? decoded : decodePercents(path.slice(0, path.lastIndexOf('/', pattern) + 1))
}

function decodePercents(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** `host:file`, `from:to`, `@file` and `src=from,dst=to`. Text with blanks is no list of files. */
function partsOf(text: string): readonly string[] {
  if (!/[:@,]/.test(text) || /\s/.test(text)) return []
  return text
    .split(/[:@,]/)
    .flatMap((part) => (part === '' ? [] : [part, ...(part.includes('=') ? [part.slice(part.indexOf('=') + 1)] : [])]))
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
