/** Where a call is made from, and what relative rules and paths count from. */
export interface Place {
  /** The folder of this call: relative paths of the input count from here. */
  readonly cwd: string
  /** The first working directory, and what relative rules count from; `cwd` if left out. */
  readonly startDir?: string
  /** What a rule that begins with one slash counts from; `startDir` if left out. */
  readonly projectDir?: string
  readonly homeDir: string
  readonly platform?: 'posix' | 'win32'
  /** Files that no mode or rule lets a call write unasked, beside the built-in list: hook scripts, other settings. */
  readonly protectedPaths?: readonly string[]
}

export function startDirOf({ startDir, cwd }: Place): string {
  return startDir ?? cwd
}
