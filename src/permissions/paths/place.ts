/** The directories that relative rules and paths of a call start from. */
export interface Place {
  /** The working directory of this call: relative paths of the input start here. */
  readonly cwd: string
  /** The first working directory: relative rules start here. `cwd` if left out. */
  readonly startDir?: string
  /** Rules with one leading slash start here. `startDir` if left out. */
  readonly projectDir?: string
  readonly homeDir: string
  readonly platform?: 'posix' | 'win32'
  /** Files that are protected in addition to the built-in list, such as hook scripts. */
  readonly protectedPaths?: readonly string[]
}

/** Returns the folder that relative rules start from. */
export function startDirOf({ startDir, cwd }: Place): string {
  return startDir ?? cwd
}
