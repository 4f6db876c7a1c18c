import type { CommandAnalysis } from '../contract/command.js'
import type { AnalysedCommand } from './analysed-command.js'
import { exitStatusOf } from './walk/exit-status-of.js'
import { markPreparedFiles, mayRunWrittenFile } from './walk/prepared-files.js'
import { baseNameOf } from './walk/program-names.js'
import { ScriptWalker } from './walk/script-walker.js'
import type { Repositories } from './walk/walker.js'
import { splitPlainWords } from './words/plain-words.js'
import { HomeFolder } from './words/scope.js'

export interface AnalysisOptions {
  /** The absolute path of the folder in which the script starts. */
  readonly cwd: string
  readonly home?: string
  /**
   * Facts about the repository of each folder; null for a folder outside any repository. If omitted, git is assumed to run no
   * other program in `cwd`.
   */
  readonly repositories?: Repositories
}

/** Finds every command of a Bash script and its effects. Never throws: a script that it cannot analyse is marked as unresolved. */
export function analyseCommand(command: string, options: AnalysisOptions): CommandAnalysis {
  const walker = new ScriptWalker(options.cwd, options.repositories)
  const home = options.home === undefined ? undefined : new HomeFolder(options.home)
  let folders: readonly string[] | undefined
  try {
    if (command.includes('\0')) walker.isUnparsed = walker.isUnresolved = true
    const startFolders = [options.cwd]
    folders = walker.walkText(command, { folders: startFolders, home, isTainted: false, depth: 0 })
  } catch {
    walker.isUnresolved = true
    walker.isUnparsed = true
  }
  const onlyCommand = walker.commands[0]
  if (onlyCommand !== undefined && walker.commands.length === 1 && isSimpleChange(command, onlyCommand)) {
    walker.commands[0] = { ...onlyCommand, areEffectsKnown: true }
  }
  const staysInFolder = folders?.every((folder) => folder === options.cwd) === true
  const commands = markPreparedFiles(walker.commands, walker.isUnordered)
  if (mayRunWrittenFile(commands, options.cwd)) walker.isUnresolved = true
  const { isUnresolved, isUnparsed, isTooLarge, runsUnknownText, script } = walker
  const isUnderstood = !isUnresolved && commands.length > 0
  const isReadOnly = isUnderstood && commands.every((simpleCommand) => simpleCommand.isReadOnly)
  const names = commands.map(({ words }) => baseNameOf(words[0] ?? ''))
  // The result is one object literal, because merging objects with spreads took longer than parsing the command.
  return {
    text: command,
    language: 'bash',
    cwd: options.cwd,
    commands,
    isUnresolved,
    isUnparsed,
    isTooLarge,
    runsUnknownText,
    isReadOnly,
    fitsReadOnlySandbox:
      isReadOnly || (isUnderstood && commands.every((simpleCommand) => simpleCommand.fitsReadOnlySandbox)),
    isConcurrencySafe: isReadOnly && staysInFolder,
    changesFolder: !staysInFolder,
    resources: resourcesOf(walker, home?.wasUsed === true),
    repositories: collectTexts(commands, (simpleCommand) => simpleCommand.repositories),
    risks: risksOf(walker),
    plainWords: splitPlainWords(command),
    exitStatusOf: script === undefined ? undefined : exitStatusOf(script),
    startsByWaiting: names[0] === 'sleep',
    readsMachineState: names.some((name) => MACHINE_PROGRAMS.has(name)) || commands.some(readsSandboxedPath),
    mayReplaceShell: isUnresolved || names.some((name) => SHELL_REPLACING_BUILTINS.has(name)),
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

function resourcesOf({ commands, isUnresolved }: ScriptWalker, dependsOnHome: boolean): CommandAnalysis['resources'] {
  return {
    reads: collectTexts(commands, (simpleCommand) => simpleCommand.reads),
    writes: collectTexts(commands, ({ writes, redirects }) =>
      redirects.length === 0 ? writes : [...new Set([...writes, ...redirects])],
    ),
    network: commands.some((simpleCommand) => simpleCommand.network),
    isUnknown: isUnresolved || commands.some((simpleCommand) => !simpleCommand.isComplete),
    dependsOnHome,
  }
}

function risksOf({ commands, isUnresolved, isTooLarge }: ScriptWalker): readonly string[] {
  const risks: string[] = []
  for (const { isReadOnly, risks: ownRisks, network, isComplete } of commands) {
    if (isReadOnly) continue
    risks.push(...ownRisks)
    if (network && isComplete) risks.push('uses the network')
  }
  if (isTooLarge) risks.push('is too large to be analysed')
  else if (isUnresolved) risks.push('runs commands that are known only at run time')
  return risks.length < 2 ? risks : [...new Set(risks)]
}

/** Returns the texts of all commands without duplicates. The texts of one command are distinct. */
function collectTexts(
  commands: readonly AnalysedCommand[],
  textsOf: (command: AnalysedCommand) => readonly string[],
): readonly string[] {
  const onlyCommand = commands.length === 1 ? commands[0] : undefined
  return onlyCommand === undefined ? [...new Set(commands.flatMap(textsOf))] : textsOf(onlyCommand)
}

function readsSandboxedPath({ reads }: AnalysedCommand): boolean {
  return reads.some((path) => SANDBOXED_PROC_PATHS.test(path) || SANDBOXED_DEVICE_PATHS.test(path))
}

/** Programs that report processes, network state, services, logs or mounts, which differ inside a sandbox. */
const MACHINE_PROGRAMS: ReadonlySet<string> = new Set([
  ...['ps', 'pgrep', 'pidof', 'pstree', 'pmap', 'top', 'fuser', 'lsof', 'ipcs', 'lsns'],
  ...['ss', 'netstat', 'ip', 'ifconfig', 'route', 'arp'],
  ...['systemctl', 'loginctl', 'journalctl', 'dmesg', 'mount', 'findmnt'],
])
/** Paths that differ inside a sandbox: /proc itself, and its entries for processes, network and mounts. */
const SANDBOXED_PROC_PATHS = /^\/proc(?:\/?$|\/(?:[\d*?[]|net|mounts))/
/** Paths that differ inside a sandbox: /dev itself, and all devices except the standard ones that every sandbox provides. */
const SANDBOXED_DEVICE_PATHS = /^\/dev(?:\/?$|\/(?!null$|zero$|u?random$|std(?:in|out|err)$|fd\/|tty$))/

/** Builtins that replace the shell or its exit handler, or that can make a later command do so. */
const SHELL_REPLACING_BUILTINS: ReadonlySet<string> = new Set([
  'exec',
  'trap',
  'eval',
  'source',
  '.',
  'alias',
  'enable',
])
