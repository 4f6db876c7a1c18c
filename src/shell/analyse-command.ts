import type { AnalysedCommand, ShellFacts } from './facts.js'
import { ScriptWalker } from './walk/script-walker.js'
import type { Repositories } from './walk/walker.js'

export interface AnalysisOptions {
  /** The absolute folder in which the script starts. */
  readonly cwd: string
  readonly home?: string
  /** Facts about the repository of each folder, null if there is none. If omitted, git is assumed to run no other program in `cwd`. */
  readonly repositories?: Repositories
}

/** What a shell script would do, determined without running it. */
export interface CommandAnalysis extends ShellFacts {
  readonly commands: readonly AnalysedCommand[]
  /** Changes nothing, makes no connection and runs no unknown program. */
  readonly isReadOnly: boolean
  /** May run concurrently: it is read-only and does not change the working folder. */
  readonly isConcurrencySafe: boolean
  readonly resources: {
    readonly reads: readonly string[]
    readonly writes: readonly string[]
    /** More files may be read or written than are listed. */
    readonly isUnknown: boolean
  }
  /** Folders whose git configuration decides what the script does. */
  readonly repositories: readonly string[]
  /** What the script may do, worded for the permission question. */
  readonly risks: readonly string[]
}

/** Finds every command of a script and its effects. Never throws: anything it does not understand is unresolved. */
export function analyseCommand(command: string, options: AnalysisOptions): CommandAnalysis {
  const walker = new ScriptWalker(options.cwd, options.repositories)
  let folders: readonly string[] | undefined
  try {
    if (command.includes('\0')) walker.isUnresolved = true
    folders = walker.walkText(command, { folders: [options.cwd], home: options.home, isTainted: false, depth: 0 })
  } catch {
    walker.isUnresolved = true
  }
  const [only] = walker.commands
  if (only !== undefined && walker.commands.length === 1 && isSimpleChange(command, only)) {
    walker.commands[0] = { ...only, areEffectsKnown: true }
  }
  return summarise(walker, folders?.every((folder) => folder === options.cwd) === true)
}

const SIMPLE_CHANGE = /^(?:mkdir|cp|mv)(?: -[a-zA-Z]{1,4}){0,4}(?: [A-Za-z0-9_][A-Za-z0-9_./@-]*){1,20}$/

/**
 * Whether permission may rely on the known effects of a change: a single command that creates, copies or moves files, written
 * in literal words. Anything longer needs approval, however well it is understood.
 */
function isSimpleChange(command: string, { isComplete, network }: AnalysedCommand): boolean {
  return isComplete && !network && SIMPLE_CHANGE.test(command.trim())
}

function summarise({ commands, isUnresolved }: ScriptWalker, staysInFolder: boolean): CommandAnalysis {
  const isReadOnly = !isUnresolved && commands.length > 0 && commands.every((each) => each.isReadOnly)
  const risks = commands.filter((each) => !each.isReadOnly).flatMap((each) => [...each.risks, ...networkRisk(each)])
  return {
    commands,
    isUnresolved,
    isReadOnly,
    isConcurrencySafe: isReadOnly && staysInFolder,
    resources: {
      reads: unique(commands.flatMap((each) => each.reads)),
      writes: unique(commands.flatMap((each) => [...each.writes, ...each.redirects])),
      isUnknown: isUnresolved || commands.some((each) => !each.isComplete),
    },
    repositories: unique(commands.flatMap((each) => each.repositories)),
    risks: unique(isUnresolved ? [...risks, 'runs commands that are known only at run time'] : risks),
  }
}

function networkRisk({ network, isComplete }: AnalysedCommand): readonly string[] {
  return network && isComplete ? ['reaches the network'] : []
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
