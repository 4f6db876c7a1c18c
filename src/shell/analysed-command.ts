import type { SimpleCommand } from '../contract/command.js'

/** A simple command with the details that only the analysis uses. */
export interface AnalysedCommand extends SimpleCommand {
  /** Whether `reads`, `writes` and `redirects` are complete. Permission may still not rely on them. */
  readonly isComplete: boolean
  /** Whether the command is read-only if programs that git configuration of the start folder may run are ignored. */
  readonly fitsReadOnlySandbox: boolean
  /** The possible effects of the command, worded for the permission question. */
  readonly risks: readonly string[]
  /** Folders whose git configuration decides what the command does. */
  readonly repositories: readonly string[]
}

/** The entry for a part of a script that is not a command itself, such as the redirection of a group. */
export const NO_COMMAND: AnalysedCommand = {
  words: [],
  argv: [],
  asWritten: [],
  isReadOnly: true,
  reads: [],
  writes: [],
  redirects: [],
  areEffectsKnown: true,
  network: false,
  isComplete: true,
  fitsReadOnlySandbox: true,
  risks: [],
  repositories: [],
}
