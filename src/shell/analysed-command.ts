import type { SimpleCommand } from './facts.js'

/** A simple command with what else is known of it. */
export interface AnalysedCommand extends SimpleCommand {
  /** Its reads, writes and redirects are complete, also where permission must not be built on that. */
  readonly isComplete: boolean
  /** In words for the person who is asked. */
  readonly risks: readonly string[]
  /** Folders of git repositories whose configuration decides what it does. */
  readonly repositories: readonly string[]
}

/** A part of a line that is no command of its own, as the redirection of a group. */
export const NO_COMMAND: AnalysedCommand = {
  canonical: [],
  asWritten: [],
  isReadOnly: true,
  reads: [],
  writes: [],
  redirects: [],
  areEffectsKnown: true,
  network: false,
  isComplete: true,
  risks: [],
  repositories: [],
}
