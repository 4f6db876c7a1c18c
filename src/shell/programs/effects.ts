import type { ShellWord } from '../words/shell-word.js'

/** A word that names a file or folder. */
export interface TouchedWord {
  readonly word: ShellWord
  /** All that lies below is meant, too. */
  readonly isTree: boolean
}

/** Something that a command runs in turn. */
export type InnerCommand =
  | {
      readonly kind: 'command'
      readonly words: readonly ShellWord[]
      /** Assignments that it runs under, as behind `env`. */
      readonly assignments: readonly ShellWord[]
      /** Rules that allow may look through the wrapper. */
      readonly isTransparent: boolean
      /** It runs in a folder that is not known. */
      readonly isElsewhere?: boolean
    }
  | { readonly kind: 'script'; readonly script: ShellWord; readonly isTransparent: boolean }

/** What a command does, as far as its words tell. */
export interface CommandEffects {
  /** Why it is more than reading. Empty for a command that only reads; what it runs in turn is apart. */
  readonly problems: readonly string[]
  /** In words for the person who is asked. */
  readonly risks: readonly string[]
  readonly reads: readonly TouchedWord[]
  readonly writes: readonly TouchedWord[]
  /** `reads` and `writes` are all that it does to files. */
  readonly isComplete: boolean
  readonly network: boolean
  readonly inner: readonly InnerCommand[]
  /** More may run than `inner` tells. */
  readonly isUnresolved: boolean
  /** It runs what it reads from its input. */
  readonly readsScript?: boolean
  /** Its answer depends on the configuration of the repository in its folder. */
  readonly usesRepository: boolean
  /** The folder in which later commands of the same shell run; `unknown` where it cannot be told. */
  readonly folder?: ShellWord | 'unknown'
  /** Where, behind the program, its subcommand stands; `none` where it has no subcommands. */
  readonly subcommandAt?: number | 'none'
}

/** Effects while they are being found. */
export class EffectsDraft implements CommandEffects {
  readonly problems: string[] = []
  readonly risks: string[] = []
  readonly reads: TouchedWord[] = []
  readonly writes: TouchedWord[] = []
  readonly inner: InnerCommand[] = []
  /** `NAME=value` words for the command that it runs. */
  readonly assignments: ShellWord[] = []
  isComplete = true
  network = false
  isUnresolved = false
  usesRepository = false
  readsScript = false
  folder?: ShellWord | 'unknown'
  subcommandAt?: number | 'none'

  /** It does something that no table lists. */
  refuse(problem: string): void {
    this.problems.push(problem)
    this.isComplete = false
  }

  /** It changes files, whichever they are. */
  change(): void {
    this.problems.push('writes files')
    this.addRisk('writes files')
  }

  addRisk(risk: string): void {
    if (!this.risks.includes(risk)) this.risks.push(risk)
  }
}

/** What nobody knows anything of. */
export function unknownEffects(problem: string): CommandEffects {
  const draft = new EffectsDraft()
  draft.refuse(problem)
  draft.network = true
  return draft
}
