import type { ShellWord } from './shell-word.js'
import type { Variables } from './variables.js'

/** The home folder. Records whether the meaning of the script depends on it. */
export class HomeFolder {
  wasUsed = false

  constructor(private readonly path: string) {}

  use(): string {
    this.wasUsed = true
    return this.path
  }
}

/** The file names that the previous part of a pipeline prints. */
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
  /** Whether a variable that programs may read was set, so that later commands may do anything. */
  isTainted: boolean
  /** The file names that a command reads from its input. Set only for a command that is itself a part of a pipeline. */
  readonly inputNames?: InputNames | undefined
  /** Whether the standard input is a pipe or a file instead of the input of the script. */
  hasInput?: boolean | undefined
  /** How many scripts and wrappers enclose the command. */
  readonly depth: number
}

// All scopes are literals with the same properties in the same order, which is faster than copying them with spreads.

/** Returns the scope of a script that starts in another scope. */
export function scopeOfScript(outerScope: Omit<Scope, 'variables'>, variables: Variables): Scope {
  const { folders, home, isTainted, inputNames, hasInput, depth } = outerScope
  return { folders, home, variables, isTainted, inputNames, hasInput, depth }
}

/** Returns the scope of a subshell, whose changes do not affect the parent. */
export function subshellOf(scope: Scope, inputNames?: InputNames, hasInput = scope.hasInput): Scope {
  const { folders, home, variables, isTainted, depth } = scope
  // The names of the parent are left out: another command of the subshell may already have read a part of the input.
  return { folders, home, variables, isTainted, inputNames, hasInput, depth: depth + 1 }
}

/** Returns the scope of commands whose standard input is redirected. */
export function scopeWithInput({ folders, home, variables, isTainted, inputNames, depth }: Scope): Scope {
  return { folders, home, variables, isTainted, inputNames, hasInput: true, depth }
}

/** Returns the possible folders after a step that may or may not have run. */
export function joinFolders(
  foldersBefore: readonly string[] | undefined,
  foldersAfter: readonly string[] | undefined,
): readonly string[] | undefined {
  if (foldersBefore === foldersAfter) return foldersBefore
  if (foldersBefore === undefined || foldersAfter === undefined) return undefined
  const folders = [...new Set([...foldersBefore, ...foldersAfter])]
  return folders.length > MAX_FOLDERS ? undefined : folders
}

const MAX_FOLDERS = 8

/** Resolves a path against a folder and removes `.` and `..` textually, as `cd` does. */
export function joinPath(folder: string, path: string): string {
  const fullPath = path.startsWith('/') ? path : `${folder}/${path}`
  const segments: string[] = []
  for (const segment of fullPath.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') segments.pop()
    else segments.push(segment)
  }
  return `/${segments.join('/')}`
}
