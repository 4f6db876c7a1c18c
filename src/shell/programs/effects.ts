import { knownPartOf, type ShellWord } from '../words/shell-word.js'

/** A word that names a file or folder. */
export interface TouchedWord {
  readonly word: ShellWord
  /** Whether everything below the folder is included. */
  readonly isTree: boolean
  /** Whether symbolic links below the folder are followed. */
  readonly followsLinks?: true
  /** Whether the ignore files in the folder and above it are read, too. */
  readonly hasIgnoreFiles?: true
  /** Whether the file must not be an archive of object files. */
  readonly mustNotBeArchive?: true
  /** Whether the word is a glob of which only the expanded names are used. */
  readonly isOnlyListed?: true
  /** Whether the files in it are read, too, if it is a folder. */
  readonly readsFolder?: true
  /** Whether the path is relative to the root of the git repository. */
  readonly isFromRoot?: true
}

/** A command or script that another command runs. */
export type InnerCommand =
  | {
      readonly kind: 'command'
      readonly words: readonly ShellWord[]
      /** Environment assignments, such as those of `env`. */
      readonly assignments: readonly ShellWord[]
      /** Whether allow rules may match the inner command. */
      readonly isTransparent: boolean
      /** Whether the inner command runs in an unknown folder. */
      readonly isElsewhere?: boolean
    }
  | { readonly kind: 'script'; readonly script: ShellWord; readonly isTransparent: boolean }

/** The effects of a command, as far as its words show them. */
export interface CommandEffects {
  /** Why the command is not read-only; empty if it is. Inner commands are judged separately. */
  readonly problems: readonly string[]
  /** The possible effects of the command, worded for the permission question. */
  readonly risks: readonly string[]
  readonly reads: readonly TouchedWord[]
  readonly writes: readonly TouchedWord[]
  /** Whether `reads` and `writes` are complete. */
  readonly isComplete: boolean
  readonly network: boolean
  readonly innerCommands: readonly InnerCommand[]
  /** Whether more commands may run than `innerCommands` lists. */
  readonly isUnresolved: boolean
  /** Whether no option of the program runs another program, so that none runs even if the arguments are unclear. */
  readonly runsNothing?: boolean
  /** Whether the command runs a script whose text is known only at run time. */
  readonly runsUnknownText?: boolean
  /** Whether the command runs its standard input as a script. */
  readonly readsScript?: boolean
  /** Whether the git configuration of the folder may make the command run other programs. */
  readonly usesRepository: boolean
  /** The folder in which later commands of the same shell run, if this command changes it. */
  readonly folder?: ShellWord | 'unknown'
  /** The folder in which the command itself runs, if not that of the shell. */
  readonly runFolder?: ShellWord
  /** The index of the subcommand in the arguments; `none` if the program has no subcommands. */
  readonly subcommandAt?: number | 'none'
}

/** Collects the effects of a command while its words are checked. */
export class EffectsDraft implements CommandEffects {
  readonly problems: string[] = []
  readonly risks: string[] = []
  readonly reads: TouchedWord[] = []
  readonly writes: TouchedWord[] = []
  readonly innerCommands: InnerCommand[] = []
  /** `NAME=value` words that set the environment of the inner command. */
  readonly assignments: ShellWord[] = []
  isComplete = true
  network = false
  isUnresolved = false
  runsNothing = false
  usesRepository = false
  readsScript = false
  runsUnknownText = false
  /** Whether inner commands run in another folder. */
  isInnerElsewhere = false
  folder?: ShellWord | 'unknown'
  runFolder?: ShellWord
  subcommandAt?: number | 'none'

  /** Records a use that no table lists as harmless. */
  refuse(problem: string): void {
    this.problems.push(problem)
    this.isComplete = false
  }

  /** Records that the command changes a file, even one that no operand names. */
  addChange(): void {
    this.problems.push('writes files')
    this.addRisk('writes files')
  }

  /** Records a `NAME=value` word. If NAME is not an identifier, as in `BASH_FUNC_ls%%`, bash may import a function from it. */
  addAssignment(word: ShellWord): void {
    this.assignments.push(word)
    if (!/^[A-Za-z_]\w*=/.test(knownPartOf(word))) this.isUnresolved = true
  }

  addRisk(risk: string): void {
    if (!this.risks.includes(risk)) this.risks.push(risk)
  }
}

/** Returns the effects of a command that no table describes. */
export function createUnknownEffects(problem: string): CommandEffects {
  const draft = new EffectsDraft()
  draft.refuse(problem)
  draft.network = true
  return draft
}
