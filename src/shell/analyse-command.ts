import type { AnalysedCommand, ShellFacts } from './facts.js'
import { ScriptWalker } from './walk/script-walker.js'
import type { Repositories } from './walk/walker.js'

export interface AnalysisOptions {
  /** The absolute folder in which the line starts. */
  readonly cwd: string
  readonly home?: string
  /** What the repository of a folder says, null where there is none; left out, git runs nothing more in `cwd`. */
  readonly repositories?: Repositories
}

/** What a line of shell would do, found without running it. */
export interface CommandAnalysis extends ShellFacts {
  readonly commands: readonly AnalysedCommand[]
  /** Changes nothing, connects nowhere and runs nothing that is not known. */
  readonly isReadOnly: boolean
  /** May run beside others: it only reads, and stays in its folder. */
  readonly isConcurrencySafe: boolean
  readonly resources: {
    readonly reads: readonly string[]
    readonly writes: readonly string[]
    /** More may be read or written than is listed. */
    readonly isUnknown: boolean
  }
  /** Folders of git repositories whose configuration decides what the line does. */
  readonly repositories: readonly string[]
  /** What the line may do, in words for the person who is asked. */
  readonly risks: readonly string[]
}

/** Finds every command of a line and what it does. Never throws: what is not understood is unresolved. */
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
  if (only !== undefined && walker.commands.length === 1 && isPlainChange(command, only)) {
    walker.commands[0] = { ...only, areEffectsKnown: true }
  }
  return summarise(walker, folders?.every((folder) => folder === options.cwd) === true)
}

const PLAIN_CHANGE = /^(?:mkdir|cp|mv)(?: -[a-zA-Z]{1,4}){0,4}(?: [A-Za-z0-9_][A-Za-z0-9_./@-]*){1,20}$/

/**
 * Whether permission may be built on what is known of a change: one command that makes or copies files, spelled out
 * without any trick. A longer line, however well it is understood, is worth a question.
 */
function isPlainChange(command: string, { isComplete, network }: AnalysedCommand): boolean {
  return isComplete && !network && PLAIN_CHANGE.test(command.trim())
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
    risks: unique(isUnresolved ? [...risks, 'cannot be told before it runs'] : risks),
  }
}

function networkRisk({ network, isComplete }: AnalysedCommand): readonly string[] {
  return network && isComplete ? ['reaches the network'] : []
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
