import type { ShellWord } from './shell-word.js'
import type { Variables } from './variables.js'

/** The home folder, with a record of whether the meaning of the script depends on it. */
export class HomeFolder {
  wasUsed = false

  constructor(private readonly path: string) {}

  use(): string {
    this.wasUsed = true
    return this.path
  }
}

/** The names that the previous part of a pipeline prints. */
export interface InputNames {
  readonly word: ShellWord
  /** The character after each name. */
  readonly end: 'nul' | 'newline'
}

/** The state of the shell at some point of the script. */
export interface Scope {
  /** The folders in which the next command may run; undefined if unknown. */
  folders: readonly string[] | undefined
  readonly home: HomeFolder | undefined
  readonly variables: Variables
  /** A variable that programs may read was set, so later commands may do anything. */
  isTainted: boolean
  /** The names of files that a command reads from its input. Only for a command that is a part of a pipeline itself. */
  readonly inputNames?: InputNames | undefined
  /** The standard input is a pipe or a file, not that of the script. */
  readonly hasInput?: boolean
  /** How many scripts and wrappers enclose the command. */
  readonly depth: number
}

/** Returns the scope of a subshell, whose changes do not affect the parent. */
export function subshellOf(scope: Scope): Scope {
  // Another command of the subshell may have read a part of the input.
  return { ...scope, depth: scope.depth + 1, inputNames: undefined }
}

/** Returns the possible folders after a step that may or may not have run. */
export function joinFolders(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): readonly string[] | undefined {
  if (before === after) return before
  if (before === undefined || after === undefined) return undefined
  const folders = [...new Set([...before, ...after])]
  return folders.length > MAX_FOLDERS ? undefined : folders
}

const MAX_FOLDERS = 8

/** Resolves a path against a folder and removes `.` and `..` textually, as `cd` does. */
export function joinPath(folder: string, path: string): string {
  const fullPath = path.startsWith('/') ? path : `${folder}/${path}`
  const parts: string[] = []
  for (const part of fullPath.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return `/${parts.join('/')}`
}
