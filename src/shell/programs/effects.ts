import type { ShellWord } from '../words/shell-word.js'

/** A word that names a file or folder. */
export interface TouchedWord {
  readonly word: ShellWord
  /** Everything below the folder is included. */
  readonly isTree: boolean
  /** If it is a folder, symbolic links below it are followed. */
  readonly followsLinks?: true
}

/** A command or script that another command runs. */
export type InnerCommand =
  | {
      readonly kind: 'command'
      readonly words: readonly ShellWord[]
      /** Environment assignments, such as those of `env`. */
      readonly assignments: readonly ShellWord[]
      /** Allow rules may match the inner command. */
      readonly isTransparent: boolean
      /** The inner command runs in an unknown folder. */
      readonly isElsewhere?: boolean
    }
  | { readonly kind: 'script'; readonly script: ShellWord; readonly isTransparent: boolean }

/** The effects of a command, as far as its words show them. */
export interface CommandEffects {
  /** Why the command is not read-only; empty if it is. Inner commands are judged separately. */
  readonly problems: readonly string[]
  /** What the command may do, worded for the permission question. */
  readonly risks: readonly string[]
  readonly reads: readonly TouchedWord[]
  readonly writes: readonly TouchedWord[]
  /** Whether `reads` and `writes` are complete. */
  readonly isComplete: boolean
  readonly network: boolean
  readonly inner: readonly InnerCommand[]
  /** More commands may run than `inner` lists. */
  readonly isUnresolved: boolean
  /** The command runs text as a script that is known only at run time. */
  readonly runsUnknownText?: boolean
  /** The command runs its standard input as a script. */
  readonly readsScript?: boolean
  /** The git configuration of its folder may make the command run other programs. */
  readonly usesRepository: boolean
  /** The folder of later commands in the same shell, if it changes. */
  readonly folder?: ShellWord | 'unknown'
  /** The folder in which the command itself runs, if it is another one. */
  readonly runsIn?: ShellWord
  /** The index of the subcommand in the arguments; `none` if the program has no subcommands. */
  readonly subcommandAt?: number | 'none'
}

/** The effects found so far while the words of a command are checked. */
export class EffectsDraft implements CommandEffects {
  readonly problems: string[] = []
  readonly risks: string[] = []
  readonly reads: TouchedWord[] = []
  readonly writes: TouchedWord[] = []
  readonly inner: InnerCommand[] = []
  /** `NAME=value` words for the inner command. */
  readonly assignments: ShellWord[] = []
  isComplete = true
  network = false
  isUnresolved = false
  usesRepository = false
  readsScript = false
  runsUnknownText = false
  folder?: ShellWord | 'unknown'
  runsIn?: ShellWord
  subcommandAt?: number | 'none'

  /** Records something that no table lists as harmless. */
  refuse(problem: string): void {
    this.problems.push(problem)
    this.isComplete = false
  }

  /** Records a change even if no operand names the changed file. */
  addChange(): void {
    this.problems.push('writes files')
    this.addRisk('writes files')
  }

  addRisk(risk: string): void {
    if (!this.risks.includes(risk)) this.risks.push(risk)
  }
}

/** The effects of a command about which nothing is known. */
export function createUnknownEffects(problem: string): CommandEffects {
  const draft = new EffectsDraft()
  draft.refuse(problem)
  draft.network = true
  return draft
}
