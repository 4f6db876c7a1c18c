import { isKnown, type ShellWord } from '../words/shell-word.js'
import { createFilePrograms } from './file-uses.js'
import { createGitProgram } from './git-uses.js'
import { createPackageManagers } from './package-uses.js'
import { DEPENDENCY_FOLDER, isPlainWord, PLAIN_WORD, SCRIPT_FILE } from './patterns.js'
import { type OrdinaryCommand, readArguments, readOption } from './read-arguments.js'
import { createScriptPrograms, createServices } from './service-uses.js'
import { createTools, createToolsWithSubcommands } from './tool-uses.js'
import type { OrdinaryProgram, OrdinaryUse } from './use.js'

const toProgram = (use: OrdinaryUse): OrdinaryProgram => ({ subcommands: { '': use } })

let programs: ReadonlyMap<string, OrdinaryProgram> | undefined

/** Finds the table of a program. The tables are created on first use: most commands are read-only and need none of them. */
function findProgram(name: string): OrdinaryProgram | undefined {
  programs ??= new Map([
    ['git', createGitProgram()],
    ...Object.entries({ ...createPackageManagers(), ...createServices(), ...createToolsWithSubcommands() }),
    ...Object.entries({ ...createTools(), ...createScriptPrograms(), ...createFilePrograms() }).map(
      ([name, use]): [string, OrdinaryProgram] => [name, toProgram(use)],
    ),
  ])
  return programs.get(name)
}

/** Whether the tables list the program. */
export function isOrdinaryProgram(program: string): boolean {
  return findProgram(program) !== undefined
}

const SCRIPT: OrdinaryCommand = {
  use: {},
  folders: 'whole',
  usesWorkingFolder: false,
  writesBesideAt: [],
  changesFiles: false,
  codePaths: [],
  loadedTexts: [],
  hasScriptArguments: true,
  scriptsAt: [],
  programsAt: [],
}
const HELP: OrdinaryCommand = { ...SCRIPT, folders: undefined }
/** A program in the folder of the project's dependencies. */
const DEPENDENCY = /^(?:\.{0,2}\/)*node_modules\/\.bin\/([\w.-]+)$/
/** A file of a package: the name of the package, and of the file without its suffix. */
const PACKAGE_FILE =
  /^(?:\.{0,2}\/)*node_modules\/(?!.*\.\.\/)(?:@[\w.-]+\/)?([\w.-]+)\/(?:(?!node_modules\/)[\w.-]+\/)*([\w.-]+?)(?:\.[cm]?js)?$/
const YARN_RELEASE = /^(?:\.\/)?\.yarn\/releases\/yarn-[\w.-]+\.c?js$/

/** Returns the use of an ordinary command in a plain form; undefined for any other command. */
export function findOrdinaryUse(words: readonly ShellWord[]): OrdinaryCommand | undefined {
  const [program, ...args] = words
  if (program === undefined || !isKnown(program)) return undefined
  // Rules are compared with the listed program that the file starts.
  if (packageProgramOf(program.text) !== undefined) return { ...HELP, commandAt: 0 }
  const name = programNameOf(program.text)
  const entry = name === undefined ? undefined : findProgram(name)
  if (name !== undefined && entry !== undefined) {
    const codePaths: string[] = []
    const subcommand = findSubcommand(name, entry, args, codePaths)
    return subcommand && readArguments(subcommand.use, words, subcommand.at + 1, codePaths)
  }
  const isProgramOrScript = name !== undefined || SCRIPT_FILE.test(program.text)
  if (isProgramOrScript && args.length === 1 && /^--(?:help|version)$/.test(args[0]?.text ?? '')) return HELP
  return name === undefined || DEPENDENCY.test(program.text) ? readProjectFile(program.text, words) : undefined
}

/** Returns the use of a file of the project or of a program among its dependencies. */
function readProjectFile(path: string, words: readonly ShellWord[]): OrdinaryCommand | undefined {
  const isDependency = DEPENDENCY.test(path)
  // A file of the project may be any program, so all words are compared with rules.
  if (!SCRIPT_FILE.test(path) || !words.every((word) => isPlainWord(word, PLAIN_WORD))) return undefined
  if (!isDependency && DEPENDENCY_FOLDER.test(path)) return undefined
  return {
    ...SCRIPT,
    // A program of a package that is not listed may print or pack the whole folder.
    usesWorkingFolder: isDependency,
    changesFiles: isDependency,
    scriptAt: 0,
    programsAt: words.map((_, at) => at),
  }
}

/** Returns the name of a program that is found by its name or among the dependencies; undefined for another path. */
function programNameOf(text: string): string | undefined {
  const dependency = DEPENDENCY.exec(text)?.[1]
  if (dependency !== undefined) return dependency
  if (/^(?:.*\/)?(?:mvnw|gradlew)$/.test(text) && SCRIPT_FILE.test(text)) return text.slice(text.lastIndexOf('/') + 1)
  return text.includes('/') ? /^\/usr\/(?:local\/)?bin\/([\w.-]+)$/.exec(text)?.[1] : text
}

/** Returns the listed program that a file in the folder of a package starts; undefined if it may start another program. */
export function packageProgramOf(text: string): string | undefined {
  if (YARN_RELEASE.test(text)) return 'yarn'
  const [, packageName = '', file = ''] = PACKAGE_FILE.exec(text) ?? []
  if (file === '' || file === packageName) return isOrdinaryProgram(packageName) ? packageName : undefined
  if (isOrdinaryProgram(packageName)) return isMainFile(packageName, file) ? packageName : undefined
  return isOrdinaryProgram(file) ? file : undefined
}

function isMainFile(packageName: string, file: string): boolean {
  return [packageName, `_${packageName}`, `${packageName}-cli`, 'bin', 'cli', 'index', 'main'].includes(file)
}

interface Subcommand {
  readonly use: OrdinaryUse
  /** The index in the arguments after the subcommand. */
  readonly at: number
}

const TOOLCHAIN = /^\+(?:stable|beta|nightly|[\d.]+)$/

function findSubcommand(
  name: string,
  program: OrdinaryProgram,
  args: readonly ShellWord[],
  codePaths: string[],
): Subcommand | undefined {
  const { subcommands, options = {} } = program
  const defaultUse = subcommands['']
  if (defaultUse !== undefined && Object.keys(subcommands).length === 1) return { use: defaultUse, at: 0 }
  const at = skipOptions(options, args, name === 'cargo' && TOOLCHAIN.test(args[0]?.text ?? '') ? 1 : 0, codePaths)
  const verb = args[at]
  if (verb === undefined || !isKnown(verb) || verb.text.startsWith('-')) return defaultUse && { use: defaultUse, at: 0 }
  if (name === 'yarn' || name === 'pnpm') return findScriptUse(subcommands, args, at, name === 'yarn')
  return findListed(subcommands, args, at) ?? (defaultUse && { use: defaultUse, at })
}

/** Returns the index after the options before a subcommand. */
function skipOptions(options: OrdinaryUse, args: readonly ShellWord[], start: number, codePaths: string[]): number {
  let at = start
  while (args[at]?.text.startsWith('-') === true) {
    const option = readOption(options, args, at)
    if (option === undefined) break
    if (option.kind === 'config') codePaths.push(option.value ?? '')
    at = option.at
  }
  return at
}

function findListed(
  subcommands: OrdinaryProgram['subcommands'],
  args: readonly ShellWord[],
  at: number,
): Subcommand | undefined {
  const [verb = '', second = ''] = args.slice(at, at + 2).map(({ text }) => text)
  const longUse = findUseByName(subcommands, `${verb},${second}`)
  if (longUse !== undefined) return { use: longUse, at: at + 2 }
  const use = verb.includes(',') ? undefined : findUseByName(subcommands, verb)
  return use && { use, at: at + 1 }
}

function findUseByName(subcommands: OrdinaryProgram['subcommands'], name: string): OrdinaryUse | undefined {
  return Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
}

/** All subcommands of npm, pnpm and yarn. The tables list those that are ordinary. */
const MANAGER_COMMANDS = new Set(
  [
    'access add add-user adduser approve-builds approve-scripts audit author autoclean bin bugs c cache cat-file cat-index check ci',
    'clean-install clean-install-test cit completion config constraints create ddp dedupe deploy deprecate diff dist-tag dist-tags',
    'dlx docs doctor edit env exec explain explore fetch find find-dupes find-hash fund generate-lock-entry get global help',
    'help-search hlep home i ic ignored-builds import in info init innit inst install install-ci-test install-clean install-test isntall',
    'issues it la licenses link list ll ln login logout ls node npm nvm org outdated owner pack patch patch-commit patch-remove ping pkg',
    'plugin policies prefix profile prune publish query r rb rebuild recursive remove repo restart rm root run run-script runtime s sbom',
    'se search self-update server set set-script setup shell show shrinkwrap sit stage star stars start stop store t tag team test token',
    'trust un undeprecate uninstall unlink unplug unpublish unstar up update upgrade upgrade-interactive v verison version versions view',
    'whoami why with workspace workspaces x multi m cat debug default stop',
  ].flatMap((names) => names.split(' ')),
)

/** A name that only scripts have, never programs. */
const SCRIPT_NAME = /^[a-z][\w-]*(?::[\w.:*-]+)+$|^(?:test|build|lint|check|format|docs|dev|bench|types?)-[\w-]+$/

/** Returns the use of `yarn X`, `yarn run X` and `pnpm X`, which run a script of the project or a program. */
function findScriptUse(
  subcommands: OrdinaryProgram['subcommands'],
  args: readonly ShellWord[],
  verbAt: number,
  mayRunProgram: boolean,
): Subcommand | undefined {
  const at = mayRunProgram && args[verbAt]?.text === 'run' ? verbAt + 1 : verbAt
  const script = SCRIPT_NAME.test(args[at]?.text ?? '') ? subcommands.test : undefined
  if (script !== undefined) return { use: script, at: at + 1 }
  // Any other word may be a subcommand that is not listed, such as `config`.
  const name = args[at]?.text ?? ''
  const listedUse = findListed(subcommands, args, at)
  if (listedUse !== undefined) return listedUse
  if (isOrdinaryProgram(name)) return subcommands.exec && { use: subcommands.exec, at }
  // A script of the project, or a program of its dependencies. The name is compared with rules like an argument.
  const isScriptOrProgram = /^[a-z_][\w:.-]*$/.test(name) && !MANAGER_COMMANDS.has(name)
  return isScriptOrProgram && subcommands.test !== undefined ? { use: subcommands.test, at } : undefined
}

const HARMLESS_VARIABLES = new Set(
  [
    'BABEL_ENV TS_NODE_TRANSPILE_ONLY TS_NODE_FILES MOCHA_COLORS CARGO_TERM_COLOR GOOS GOARCH CGO_ENABLED PYTHONHASHSEED',
    'NODE_NO_WARNINGS HUSKY NEXT_TELEMETRY_DISABLED DATABASE_URL REDIS_URL API_URL BASE_URL LOGLEVEL STAGE ENVIRONMENT MODE TARGET',
    'VERSION COVERAGE TAP_COLORS NODE_VER MOCHA_VER BUILD_ENV FLASK_ENV GIN_MODE MINIFY',
  ].flatMap((names) => names.split(' ')),
)
const HARMLESS_PREFIX = /^(?:VITE_|REACT_APP_|NEXT_PUBLIC_|TEST_)[A-Z0-9_]+$/
/** Options of Node that load no code. */
const NODE_OPTIONS =
  /^(?:(?:--(?:max-old-space-size|stack-trace-limit|unhandled-rejections|dns-result-order)=[\w-]+|--no-warnings|--no-deprecation|--enable-source-maps|--openssl-legacy-provider|--experimental-(?:vm-modules|strip-types|modules|json-modules)|--trace-(?:warnings|deprecation))(?: |$))+$/
/** Names and values of variables that switch a feature on or off. */
const SWITCH_NAME =
  /^(?:[A-Z0-9]+_)*(?:DEBUG|TESTS?|COVERAGE|SKIP|DISABLE|ENABLE|IGNORE|NO|FULL|CI|WATCH|PROD|DEV|VERBOSE|COLORS?|LOGGER|UPDATE|SNAPSHOTS?|STRICT|QUIET|WASM|JSX|BENCH|E2E)(?:_[A-Z0-9]+)*$/
const SWITCH_VALUE = /^(?:|\d{1,6}|true|false|yes|no|on|off)$/

/** Whether a variable assignment is known not to change what ordinary programs run, load and open. */
export function isOrdinarySetting(word: ShellWord): boolean {
  if (!isKnown(word)) return false
  const equals = word.text.indexOf('=')
  const name = word.text.slice(0, equals)
  const value = word.text.slice(equals + 1)
  if (name === 'NODE_OPTIONS') return NODE_OPTIONS.test(value)
  if (name === 'RUSTFLAGS') return /^-[DWA] ?[\w-]+$/.test(value)
  if (SWITCH_VALUE.test(value) && SWITCH_NAME.test(name)) return true
  return (
    (HARMLESS_VARIABLES.has(name) || HARMLESS_PREFIX.test(name)) && PLAIN_WORD.test(value) && !value.startsWith('-')
  )
}

/** A name without folders, or an option with such a name as its value. */
const NAME = /^(?:(?:--[A-Za-z][\w-]*=)?[A-Za-z0-9][\w-]*|--?[A-Za-z][\w-]*)$/

/**
 * Whether a command consists of a program that is not listed and plain names, such as `alarm -rf y`. Whatever the program is, it
 * can only run what these names refer to, or what the project contains.
 */
export function hasOnlyNames([program, ...args]: readonly ShellWord[]): boolean {
  if (program === undefined || isOrdinaryProgram(program.text) || !isKnown(program)) return false
  return /^[A-Za-z0-9][\w-]*$/.test(program.text) && args.every((word) => isKnown(word) && NAME.test(word.text))
}
