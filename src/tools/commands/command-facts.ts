import { type PathResource, SHELL_CWD, type ToolResources } from '../../contract/resources.js'
import { analyseCommand, type CommandAnalysis } from '../../shell/analyse-command.js'
import { commandMayMatch, parseCommandPattern } from '../../shell/command-pattern.js'
import type { ShellFacts, SimpleCommand } from '../../shell/facts.js'
import { fromUnknownFolder, UNKNOWN_FOLDER } from './unknown-folder.js'

/** What a command line does, according to its text. */
export interface CommandFacts {
  readonly isReadOnly: boolean
  readonly isConcurrencySafe: boolean
  /** Starts with `sleep`. */
  readonly isWaiting: boolean
  /** Reports processes, sockets or devices, which differ inside a sandbox. */
  readonly inspectsMachine: boolean
  /**
   * The text of the only command, wrappers included. Empty if there is not exactly one, or if a repository decides what it
   * does.
   */
  readonly onlyCommand: readonly string[]
  readonly resources: ToolResources
  /** Whether any command of the line matches a rule content; throws if that cannot be decided. */
  readonly matches: (ruleContent: string) => boolean
}

const MAX_KEPT = 32
const kept = new Map<string, CommandFacts>()

/** Cached, because the scheduler and the permission check ask about the same command. */
export function commandFacts(command: string, cwd = UNKNOWN_FOLDER): CommandFacts {
  const key = `${cwd}\0${command}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const facts = factsOf(analyseCommand(command, { cwd }))
  const [oldest] = kept.keys()
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
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
    inspectsMachine: inspectsMachine(commands),
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
  // Without `unknown`, a read-only command with unknown reads waits for every earlier write.
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

/** Programs that report processes, sockets or mounts, which differ inside a sandbox. */
const PROGRAMS: ReadonlySet<string> = new Set([
  ...['ps', 'pgrep', 'pidof', 'pstree', 'pmap', 'top', 'fuser', 'lsof', 'ipcs', 'lsns'],
  ...['ss', 'netstat', 'ip', 'ifconfig', 'route', 'arp'],
  ...['systemctl', 'loginctl', 'journalctl', 'dmesg', 'mount', 'findmnt'],
])
/** /proc itself, its processes, network and mounts. Its other files describe the machine even in a sandbox. */
const OWN_PROCESSES = /^\/proc(?:\/?$|\/(?:[\d*?[]|net|mounts))/
const OWN_DEVICES = /^\/dev(?:\/?$|\/(?!null$|zero$|u?random$|std(?:in|out|err)$|fd\/|tty$))/

/** Whether the output would describe the sandbox instead of the machine. */
function inspectsMachine(commands: readonly Pick<SimpleCommand, 'canonical' | 'reads'>[]): boolean {
  return commands.some(
    ({ canonical, reads }) =>
      canonical.some(({ text }) => PROGRAMS.has(text.split(' ', 1)[0] ?? '')) ||
      reads.some((path) => OWN_PROCESSES.test(path) || OWN_DEVICES.test(path)),
  )
}

/** Whether any command of the line matches a rule content; throws if that cannot be decided. */
function matchesCommandRule(content: string, { commands, isUnresolved }: ShellFacts): boolean {
  const pattern = parseCommandPattern(content)
  const answers = commands.flatMap(({ canonical }) => canonical.map((text) => commandMayMatch(pattern, text)))
  if (pattern.kind === 'any' || answers.includes('yes')) return true
  if (isUnresolved || answers.includes('maybe')) throw new Error('Parts of the command are known only at run time.')
  return false
}
