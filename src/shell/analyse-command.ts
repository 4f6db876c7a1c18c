import type { CommandAnalysis } from '../contract/command.js'
import type { AnalysedCommand } from './analysed-command.js'
import { exitStatusOf } from './walk/exit-status-of.js'
import { ScriptWalker } from './walk/script-walker.js'
import type { Repositories } from './walk/walker.js'
import { plainWords } from './words/plain-words.js'
import { HomeFolder } from './words/scope.js'

export interface AnalysisOptions {
  /** The absolute path of the folder in which the script starts. */
  readonly cwd: string
  readonly home?: string
  /** Facts about the repository of each folder, null if there is none. If omitted, git is assumed to run no other program in `cwd`. */
  readonly repositories?: Repositories
}

/** Finds every command of a Bash script and its effects. Never throws: anything it does not understand is unresolved. */
export function analyseCommand(command: string, options: AnalysisOptions): CommandAnalysis {
  const walker = new ScriptWalker(options.cwd, options.repositories)
  const home = options.home === undefined ? undefined : new HomeFolder(options.home)
  let folders: readonly string[] | undefined
  try {
    if (command.includes('\0')) walker.isUnparsed = walker.isUnresolved = true
    folders = walker.walkText(command, { folders: [options.cwd], home, isTainted: false, depth: 0 })
  } catch {
    walker.isUnresolved = true
    walker.isUnparsed = true
  }
  const [onlyCommand] = walker.commands
  if (onlyCommand !== undefined && walker.commands.length === 1 && isSimpleChange(command, onlyCommand)) {
    walker.commands[0] = { ...onlyCommand, areEffectsKnown: true }
  }
  const staysInFolder = folders?.every((folder) => folder === options.cwd) === true
  return {
    ...{ text: command, language: 'bash', cwd: options.cwd },
    ...summarise(walker, { staysInFolder, usesHome: home?.wasUsed === true }),
    ...featuresOf(walker),
    changesFolder: !staysInFolder,
    plainWords: plainWords(command),
  }
}

const SIMPLE_CHANGE = /^(?:mkdir|cp|mv)(?: -[a-zA-Z]{1,4}){0,4}(?: [A-Za-z0-9_][A-Za-z0-9_./@-]*){1,20}$/

/**
 * Whether permission may rely on the known effects of a change: a single command that creates, copies or moves files, written
 * in literal words. Anything longer needs approval, however well it is understood.
 */
function isSimpleChange(command: string, { isComplete, network }: AnalysedCommand): boolean {
  return isComplete && !network && SIMPLE_CHANGE.test(command.trim())
}

type Effects = Pick<CommandAnalysis, 'commands' | 'isUnresolved' | 'isUnparsed' | 'runsUnknownText'> &
  Pick<CommandAnalysis, 'isReadOnly' | 'fitsReadOnlySandbox'> &
  Pick<CommandAnalysis, 'isConcurrencySafe' | 'resources' | 'repositories' | 'risks'>

function summarise(
  { commands, isUnresolved, isUnparsed, runsUnknownText }: ScriptWalker,
  { staysInFolder, usesHome }: { readonly staysInFolder: boolean; readonly usesHome: boolean },
): Effects {
  const isUnderstood = !isUnresolved && commands.length > 0
  const isReadOnly = isUnderstood && commands.every((each) => each.isReadOnly)
  const risks = commands.filter((each) => !each.isReadOnly).flatMap((each) => [...each.risks, ...networkRisksOf(each)])
  return {
    commands,
    isUnresolved,
    isUnparsed,
    runsUnknownText,
    isReadOnly,
    fitsReadOnlySandbox: isReadOnly || (isUnderstood && commands.every((each) => each.fitsReadOnlySandbox)),
    isConcurrencySafe: isReadOnly && staysInFolder,
    resources: {
      reads: removeDuplicates(commands.flatMap((each) => each.reads)),
      writes: removeDuplicates(commands.flatMap((each) => [...each.writes, ...each.redirects])),
      network: commands.some((each) => each.network),
      isUnknown: isUnresolved || commands.some((each) => !each.isComplete),
      dependsOnHome: usesHome,
    },
    repositories: removeDuplicates(commands.flatMap((each) => each.repositories)),
    risks: removeDuplicates(isUnresolved ? [...risks, 'runs commands that are known only at run time'] : risks),
  }
}

type Features = Pick<CommandAnalysis, 'exitStatusOf' | 'startsByWaiting' | 'readsMachineState' | 'mayReplaceShell'>

/** What matters for running the command, rather than for permitting it. */
function featuresOf({ commands, isUnresolved, script }: ScriptWalker): Features {
  const programs = commands.map(programNamesOf)
  return {
    exitStatusOf: script === undefined ? undefined : exitStatusOf(script),
    startsByWaiting: programs[0]?.includes('sleep') === true,
    readsMachineState:
      programs.some((names) => names.some((name) => MACHINE_PROGRAMS.has(name))) ||
      commands.some(({ reads }) =>
        reads.some((path) => SANDBOXED_PROC_PATHS.test(path) || SANDBOXED_DEVICE_PATHS.test(path)),
      ),
    mayReplaceShell: isUnresolved || programs.some((names) => names.some((name) => SHELL_REPLACING_BUILTINS.has(name))),
  }
}

/** The name of the program without its folder, as written and in lower case. */
function programNamesOf({ words: [program = ''] }: AnalysedCommand): readonly string[] {
  const name = program.slice(program.lastIndexOf('/') + 1)
  return [name, name.toLowerCase()]
}

/** Programs that report processes, network state, services, logs or mounts, which differ inside a sandbox. */
const MACHINE_PROGRAMS: ReadonlySet<string> = new Set([
  ...['ps', 'pgrep', 'pidof', 'pstree', 'pmap', 'top', 'fuser', 'lsof', 'ipcs', 'lsns'],
  ...['ss', 'netstat', 'ip', 'ifconfig', 'route', 'arp'],
  ...['systemctl', 'loginctl', 'journalctl', 'dmesg', 'mount', 'findmnt'],
])
/** Paths that differ inside a sandbox: /proc itself, processes, network and mounts. Other files in /proc do not differ. */
const SANDBOXED_PROC_PATHS = /^\/proc(?:\/?$|\/(?:[\d*?[]|net|mounts))/
/** Paths that differ inside a sandbox: /dev itself and all devices except those that every sandbox has. */
const SANDBOXED_DEVICE_PATHS = /^\/dev(?:\/?$|\/(?!null$|zero$|u?random$|std(?:in|out|err)$|fd\/|tty$))/

/** Builtins that replace the shell or its exit handler, and builtins that can make a later word do so. */
const SHELL_REPLACING_BUILTINS: ReadonlySet<string> = new Set([
  'exec',
  'trap',
  'eval',
  'source',
  '.',
  'alias',
  'enable',
])

function networkRisksOf({ network, isComplete }: AnalysedCommand): readonly string[] {
  return network && isComplete ? ['reaches the network'] : []
}

function removeDuplicates(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
