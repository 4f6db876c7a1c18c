/** The directories that relative paths and rules of a call are resolved against. */
export interface PathContext {
  /** The working directory of this call. Relative paths in the input start here. */
  readonly cwd: string
  /** The first working directory. Relative rules start here. Defaults to `cwd`. */
  readonly startDir?: string
  /** The project. Rules with one leading slash start here. Defaults to `startDir`. */
  readonly projectDir?: string
  readonly homeDir: string
  readonly platform?: 'posix' | 'win32'
  /**
   * Returns the files and folders that are protected in addition to the built-in list, as far as they can concern a path: those
   * that the configuration of its git repository names.
   */
  readonly protectedPaths?: (path: string) => readonly string[]
}

/** Returns the folder that relative rules start from. */
export function startDirOf({ startDir, cwd }: PathContext): string {
  return startDir ?? cwd
}
