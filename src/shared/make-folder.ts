import { dirname } from 'node:path'

/** What others remove meanwhile is made again so often. */
const TRIES = 3

export interface MakeFolderOptions {
  /** For its user alone, if left out. */
  readonly mode?: number
}

/** Makes one folder in one that is there: `mkdirSync`. */
type MakeOne = (path: string, options: { readonly mode: number }) => unknown

/**
 * Makes a folder, and those above it. Node's own `recursive` says ENOENT where a disk is read-only, and never ends in
 * /proc.
 */
export function makeFolder(path: string, makeOne: MakeOne, { mode = 0o700 }: MakeFolderOptions = {}): void {
  make(path, TRIES)

  function make(folder: string, tries: number): void {
    try {
      makeOne(folder, { mode })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // By now it may be gone again; whoever uses it finds out.
      if (code === 'EEXIST') return
      if (code !== 'ENOENT' || dirname(folder) === folder || tries <= 1) throw error
      make(dirname(folder), TRIES)
      make(folder, tries - 1)
    }
  }
}
