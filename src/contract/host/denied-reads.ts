/**
 * What deny and ask rules for reading cover, so that the sandbox can hide it. The same object as long as the rules are the
 * same.
 */
export interface DeniedReads {
  /** Files and folders that rules name without wildcards. */
  readonly paths: readonly DeniedPath[]
  /** Rules with wildcards, and names that a rule covers at any depth. */
  readonly patterns: readonly DeniedPattern[]
}

export interface DeniedPath {
  readonly path: string
  /** Whether the rule asks instead of denying. A command that names the path was approved for it. */
  readonly isAsked: boolean
}

/** A rule for files and folders below a folder. Names are those of a path below the folder. */
export interface DeniedPattern {
  /** The rule as the user wrote it. */
  readonly rule: string
  readonly isAsked: boolean
  readonly folder: string
  /** Whether the pattern starts with literal names, so that it can match only below one path of `folder`. */
  readonly isSpecific: boolean
  /** Whether a file or folder with this name may match: a quick test before the whole path is compared. */
  matchesName(name: string): boolean
  matches(names: readonly string[]): boolean
  mayMatchBelow(names: readonly string[]): boolean
}
