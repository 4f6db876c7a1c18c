import type { PossibleEffects } from '../../contract/command.js'
import { isPathInside } from '../../shared/path-containment.js'
import { findSpec } from '../families/index.js'
import { PROGRAMS_WITHOUT_CHILDREN } from '../ordinary/file-uses.js'
import { findOrdinaryUse, hasOnlyNames, isOrdinarySetting } from '../ordinary/find-ordinary-use.js'
import { isNearby, isNearbyOrDependency } from '../ordinary/is-nearby.js'
import { listStartedCommands } from '../ordinary/list-started-commands.js'
import type { OrdinaryCommand } from '../ordinary/read-arguments.js'
import type { CommandEffects } from '../programs/effects.js'
import { joinPath, type Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import { findNamedFiles } from './possible-files.js'
import type { Redirections } from './redirections.js'

/** A command that no table describes completely, and where it runs. */
interface OpaqueCommand {
  readonly words: readonly ShellWord[]
  /** Assignments before the program or in earlier commands that may change the program's behaviour. */
  readonly settings: readonly ShellWord[]
  /** The values of all variables that the script sets, including harmless ones. */
  readonly assignedValues: readonly string[]
  readonly effects: CommandEffects
  readonly scope: Scope
  readonly redirections: Redirections
  /** Further words that name files, but whose paths are not certain. */
  readonly files: readonly ShellWord[]
  /** The folder in which the script starts. */
  readonly start: string
  /** The root of the repository, or the folder in which the script starts if there is none. */
  readonly projectRoot: string
  /** Whether the command runs in another folder than the script, or in one that is known only at run time. */
  readonly isElsewhere: boolean
}

/**
 * Finds the effects that a command may have beyond those in the tables. It may run any program and open any file, unless it is
 * an ordinary command of a project in a plain form.
 */
export function findPossibleEffects(command: OpaqueCommand): PossibleEffects {
  const { words, settings, effects } = command
  const ordinaryCommand = effects.isComplete ? undefined : findOrdinaryUse(words)
  const onlyReads = ordinaryCommand?.use.onlyReads === true && settings.length === 0 ? true : undefined
  const changesFiles = ordinaryCommand === undefined || ordinaryCommand.changesFiles ? true : undefined
  if (ordinaryCommand !== undefined && hasPlainSurroundings(ordinaryCommand, command)) {
    const { use, programsAt, folders, usesAnyFile } = ordinaryCommand
    const namedFiles = findNames(command, ordinaryCommand)
    return {
      ...namedFiles,
      ...{ programsAt, usesAnyFile, folders, onlyReads, changesFiles },
      runsNoFiles: use.runsNoFiles,
      startedCommands: listStartedCommands(use, words),
      settingValues: listSettingValues(command),
      programPaths: listProgramPaths(ordinaryCommand, command),
    }
  }
  const usesAnyFile = !effects.isComplete || command.files.length > 0 ? true : undefined
  const programs = findPrograms(command)
  return { ...findNames(command, undefined), ...programs, usesAnyFile, folders: 'whole', onlyReads, changesFiles }
}

/** Lists the files that a command runs or loads as code: a script, its configuration, or a program among the dependencies. */
function listProgramPaths(
  { use, scriptAt, codePaths, loadedTexts, commandAt, programsAt }: OrdinaryCommand,
  { words, scope: { folders = [] }, start }: OpaqueCommand,
): readonly string[] | undefined {
  const program = words[0]?.text ?? ''
  if (use.runsNoFiles === true || commandAt !== undefined) return undefined
  const script = scriptAt === undefined ? [] : [words[scriptAt]?.text ?? '']
  const ownPath = program.includes('/') ? program : `node_modules/.bin/${program}`
  const paths = [
    ...(ownPath.startsWith('/') ? [] : [ownPath]),
    ...script,
    ...codePaths,
    ...listLoadedPaths(loadedTexts),
  ]
  // `yarn NAME` and `pnpm NAME` run a program of the dependencies.
  const names = use.operands === 'arguments' ? programsAt.slice(0, 1).map((at) => words[at]?.text ?? '') : []
  return [
    ...folders.flatMap((folder) => paths.map((path) => joinPath(folder, path))),
    ...names.flatMap((name) => listDependencyPaths(name, folders, start)),
  ]
}

/** Lists the files in which package managers look for a program: those of the folder and of the project. */
function listDependencyPaths(name: string, folders: readonly string[], start: string): readonly string[] {
  if (!/^[\w.-]+$/.test(name)) return []
  return [...new Set([...folders, start])].map((folder) => joinPath(folder, `node_modules/.bin/${name}`))
}

/** Returns the values of variables that a program may get; undefined if there are none. */
function listSettingValues({ settings, assignedValues }: OpaqueCommand): readonly string[] | undefined {
  if (settings.length === 0) return assignedValues.length === 0 ? undefined : assignedValues
  return [...settings.map(({ text }) => text.slice(text.indexOf('=') + 1)), ...assignedValues]
}

function findPrograms(
  command: OpaqueCommand,
): Pick<PossibleEffects, 'runsAnything' | 'programsAt' | 'settingValues' | 'programPaths'> {
  const { words, settings, effects, scope, start } = command
  const runsNoProgram =
    effects.isComplete || effects.runsNothing === true || PROGRAMS_WITHOUT_CHILDREN.has(words[0]?.text ?? '')
  if (runsNoProgram) return settings.every(isOrdinarySetting) ? {} : { runsAnything: true }
  if (!isUnlistedWithPlainNames(command)) return { runsAnything: true }
  return {
    programsAt: words.map((_, at) => at),
    settingValues: listSettingValues(command),
    programPaths: listDependencyPaths(words[0]?.text ?? '', scope.folders ?? [], start),
  }
}

function findNames(command: OpaqueCommand, ordinaryCommand: OrdinaryCommand | undefined) {
  const { words, settings, effects, files, scope, start, redirections, isElsewhere } = command
  const { use, usesWorkingFolder = false, writesBesideAt = [] } = ordinaryCommand ?? {}
  const usedFolders = usesWorkingFolder
    ? listUsedFolders(scope, start, use?.usesWholeProject === true ? command.projectRoot : undefined)
    : []
  const foldersBeside = writesBesideAt.flatMap((at) => listFilesBeside(words[at]?.text ?? ''))
  const ownFiles = listOwnFiles(use?.files?.split(' ') ?? [], ordinaryCommand?.codePaths ?? [])
  const inputs = redirections.input === undefined ? [] : [redirections.input]
  return findNamedFiles({
    ...{ words, scope, folders: [...usedFolders, ...foldersBeside, ...ownFiles] },
    isElsewhere: isElsewhere && !effects.isComplete,
    files: [...settings, ...files, ...inputs],
  })
}

/** Returns the files that a program writes in its folder, and in the folders that options such as `--prefix` name instead. */
function listOwnFiles(names: readonly string[], codePaths: readonly string[]): readonly string[] {
  const folders = codePaths.map((path) => path.replace(/(?:^|\/)[^/]*\.\w+$/, '') || '.')
  return [...names, ...folders.flatMap((folder) => names.map((name) => `${folder}/${name}`))]
}

const COMPILED_SUFFIXES = ['.js', '.jsx', '.mjs', '.cjs', '.d.ts', '.js.map', '.css', '.html']

/** Returns the folder of a file and the names that a compiler may give to what it makes from the file. */
function listFilesBeside(path: string): readonly string[] {
  const name = path.replace(/\.\w+$/, '')
  return [path.replace(/[^/]*$/, '') || './', ...COMPILED_SUFFIXES.map((suffix) => name + suffix)]
}

/** Returns the folders that a command uses as a whole. The repository or package of a folder may start in any folder above it. */
function listUsedFolders({ folders = [] }: Scope, start: string, root: string | undefined): readonly string[] {
  if (root === undefined) return ['.']
  return folders.map((folder) => (isPathInside(folder, start) ? root : '/'))
}

/** Whether a program that no table lists gets only plain names, and neither variables nor input. */
function isUnlistedWithPlainNames({ words, settings, scope, redirections }: OpaqueCommand): boolean {
  const hasInput = scope.hasInput === true || redirections.hasInput
  return !hasInput && settings.length === 0 && findSpec(words[0]?.text ?? '') === undefined && hasOnlyNames(words)
}

/** A path in `/dev` or `/proc`, where files such as `/dev/stdin` are descriptors of the process. */
const DEVICE_PATH = /(?:^|^\/|\.\.\/)(?:dev|proc)(?:\/|$)/

/** Whether the variables, the input and the folder of an ordinary command are plain as well. */
function hasPlainSurroundings(
  { use, hasScriptArguments, scriptAt, codePaths, loadedTexts, commandAt }: OrdinaryCommand,
  { words, settings, scope, redirections, start }: OpaqueCommand,
): boolean {
  if (scope.folders === undefined || !settings.every(isOrdinarySetting) || words.some(namesOtherHome)) return false
  const script = scriptAt === undefined ? undefined : words[scriptAt]?.text
  const codeFiles = script === undefined ? codePaths : [...codePaths, script]
  const loadedPaths = listLoadedPaths(loadedTexts)
  const areNearIn = (folder: string) =>
    loadedPaths.every((path) => isNearbyOrDependency(`${joinPath(folder, path)}/x`, start))
  const isNearIn = (folder: string) =>
    isNearby(`${folder}/x`, start) && codeFiles.every((path) => isNearby(`${joinPath(folder, path)}/x`, start))
  if (use.runsNoFiles !== true && !scope.folders.every(areNearIn)) return false
  const runsFiles = use.runsNoFiles !== true && commandAt === undefined
  if (runsFiles && !scope.folders.every(isNearIn)) return false
  if (scope.hasInput !== true && !redirections.hasInput) return true
  const namesDevice = [...words.map(({ text }) => text), ...scope.folders].some((text) => DEVICE_PATH.test(text))
  return use.readsInput === true && !hasScriptArguments && !namesDevice
}

/** Whether a word contains `~-` or `~user`. */
function namesOtherHome({ text }: ShellWord): boolean {
  return /(?:^|[=:])~[^/+]/.test(text)
}

/** Finds the effects that variables set before may add to a command that a table describes completely. */
export function findSettingEffects(settings: readonly ShellWord[]): PossibleEffects | undefined {
  return settings.every(isOrdinarySetting)
    ? undefined
    : { runsAnything: true, paths: [], partPaths: [], onlyReads: true }
}

const ADDRESS = /^[A-Za-z][\w+.-]*:\/\//

/**
 * Returns the paths that a program may load as code: words and values of options, and their parts, as in `plugin:./x.js`. Of a
 * pattern, the folder before the first wildcard is returned.
 */
function listLoadedPaths(texts: readonly string[]): readonly string[] {
  const parts = texts.flatMap((text) => (ADDRESS.test(text) ? [] : [text, ...text.split(/[=:,]/).slice(1)]))
  return [...new Set(parts.map(cutPattern))].filter((path) => path !== '' && !path.startsWith('-'))
}

function cutPattern(path: string): string {
  const wildcard = path.search(/[*?[{]/)
  return wildcard === -1 ? path : path.slice(0, path.lastIndexOf('/', wildcard) + 1)
}
