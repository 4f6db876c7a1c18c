import { type PathResource, SHELL_CWD, type ToolResources } from '../../contract/resources.js'
import { analyseCommand, type CommandAnalysis } from '../../shell/analyse-command.js'
import { commandMayMatch, parseCommandPattern } from '../../shell/command-pattern.js'
import type { ShellFacts, SimpleCommand } from '../../shell/facts.js'
import { fromUnknownFolder, UNKNOWN_FOLDER } from './unknown-folder.js'

/** What a command line does, as far as its text tells. */
export interface CommandFacts {
  readonly isReadOnly: boolean
  readonly isConcurrencySafe: boolean
  /** All it does at first is to wait. */
  readonly isWaiting: boolean
  /** It tells of processes, sockets or devices, of which a sandbox has its own. */
  readonly looksAtMachine: boolean
  /**
   * How the only command is written, wrappers included; empty where there are several, one in another, or none, and where
   * a repository decides what it does.
   */
  readonly onlyCommand: readonly string[]
  readonly resources: ToolResources
  /** Whether any part of it falls under the content of a rule; throws where that cannot be told. */
  readonly matches: (ruleContent: string) => boolean
}

const MOST_KEPT = 32
const kept = new Map<string, CommandFacts>()

/** The pool, the scheduler and the permission check all ask about the same command: it is analysed once. */
export function commandFacts(command: string, cwd = UNKNOWN_FOLDER): CommandFacts {
  const key = `${cwd}\0${command}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const facts = factsOf(analyseCommand(command, { cwd }))
  const [oldest] = kept.keys()
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(key, facts)
  return facts
}

function factsOf(analysis: CommandAnalysis): CommandFacts {
  const { isReadOnly, isConcurrencySafe, commands, repositories } = analysis
  const isAlone = commands.length === 1 && repositories.length === 0
  return {
    isReadOnly,
    isConcurrencySafe,
    isWaiting: commands[0]?.canonical.some(({ text }) => /^sleep\b/.test(text)) === true,
    looksAtMachine: looksAtMachine(commands),
    onlyCommand: isAlone ? commands.flatMap(({ asWritten }) => asWritten.map(({ text }) => text)) : [],
    resources: resourcesOf(analysis),
    matches: (content) => matchesCommandRule(content, analysis),
  }
}

function resourcesOf({ resources, isReadOnly, isConcurrencySafe, commands }: CommandAnalysis): ToolResources {
  const reads = resources.reads.map(fromUnknownFolder)
  const writes = resources.writes.map(fromUnknownFolder)
  const isUnknown = resources.isUnknown || [...reads, ...writes].includes(undefined)
  const network = commands.some((command) => command.network)
  // What only reads, yet nobody knows what, states nothing: it then waits for every write before it.
  if (isReadOnly && isUnknown) return { network }
  return {
    reads: [SHELL_CWD, ...pathsOf(reads)],
    writes: [...(isConcurrencySafe ? [] : [SHELL_CWD]), ...pathsOf(writes)],
    network,
    ...(isUnknown && { unknown: true }),
  }
}

function pathsOf(paths: readonly (string | undefined)[]): readonly PathResource[] {
  return paths.flatMap((path) => (path === undefined ? [] : [{ path }]))
}

/** They tell of processes, sockets or mounts, of which a sandbox has its own. */
const PROGRAMS: ReadonlySet<string> = new Set([
  ...['ps', 'pgrep', 'pidof', 'pstree', 'pmap', 'top', 'fuser', 'lsof', 'ipcs', 'lsns'],
  ...['ss', 'netstat', 'ip', 'ifconfig', 'route', 'arp'],
  ...['systemctl', 'loginctl', 'journalctl', 'dmesg', 'mount', 'findmnt'],
])
/** The folder of processes, one of them, and its network and mounts: other files there tell of the machine in a sandbox, too. */
const OWN_PROCESSES = /^\/proc(?:\/?$|\/(?:[\d*?[]|net|mounts))/
const OWN_DEVICES = /^\/dev(?:\/?$|\/(?!null$|zero$|u?random$|std(?:in|out|err)$|fd\/|tty$))/

/** Whether what a command tells of the machine is not true of it in a sandbox. */
function looksAtMachine(commands: readonly Pick<SimpleCommand, 'canonical' | 'reads'>[]): boolean {
  return commands.some(
    ({ canonical, reads }) =>
      canonical.some(({ text }) => PROGRAMS.has(text.split(' ', 1)[0] ?? '')) ||
      reads.some((path) => OWN_PROCESSES.test(path) || OWN_DEVICES.test(path)),
  )
}

/** Whether any command of a line falls under the content of a rule; throws where that cannot be told. */
function matchesCommandRule(content: string, { commands, isUnresolved }: ShellFacts): boolean {
  const pattern = parseCommandPattern(content)
  const answers = commands.flatMap(({ canonical }) => canonical.map((text) => commandMayMatch(pattern, text)))
  if (pattern.kind === 'any' || answers.includes('yes')) return true
  if (isUnresolved || answers.includes('maybe')) throw new Error('Not all of the command is known before it runs.')
  return false
}
