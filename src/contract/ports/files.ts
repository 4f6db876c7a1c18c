import type { FileContent } from '../../shared/file-content.js'
import type { ReadFileState } from './read-file-state.js'

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other'
  readonly size: number
  readonly mtimeMs: number
  /** The permission bits alone. */
  readonly mode: number
}

export interface FileReadingLimits {
  readonly maxTokens: number
  readonly maxSizeBytes: number
}

export interface GlobLimits {
  readonly maxResults: number
}

/** What stood at a path when it was looked at: the whole file (or, slower to compare, its SHA-256), or nothing. */
export type ExpectedContent = { readonly content: Uint8Array } | { readonly contentHash: string } | 'absent'

/** Where a path led when it was judged: one that leads elsewhere by now is refused, not followed. */
interface JudgedPath {
  readonly realPath?: string
}

export interface ReadOptions extends JudgedPath {
  /** Bytes, the end not included. */
  readonly start?: number
  readonly end?: number
  /** A file with more than this in the range is refused before it fills the memory; 512 MB unless given (of a stream, any). */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/** A file as it was while open: what is told of it and its bytes belong together. */
export interface ReadFile {
  readonly content: Uint8Array
  readonly stat: FileStat
  readonly realPath: string
}

export interface LineOptions extends JudgedPath {
  /** The first line wanted, from 1. */
  readonly offset: number
  /** How many lines at most. */
  readonly limit: number
  /** Bytes of all lines given; the line that goes beyond it ends the range and is left out, unless it is the first. */
  readonly maxBytes: number
  /** Bytes given of one line. */
  readonly maxLineBytes: number
  readonly signal?: AbortSignal
}

export interface FileLine {
  /** Without the newline that ends it; a carriage return before it is still there. */
  readonly bytes: Uint8Array
  /** How much of a line that was too long is not in `bytes`. */
  readonly cutBytes: number
}

/** Lines of a file. A UTF-16 file (told by its byte order mark) is split at its own newlines. */
export interface FileLines {
  readonly lines: readonly FileLine[]
  /** Whether anything stands after the lines given. */
  readonly hasMore: boolean
  /** Which limit ended the range, where anything stands after it. */
  readonly endedBy: 'end' | 'limit' | 'maxBytes'
  /** Known only where the end of the file was reached. */
  readonly totalLines?: number
  /** The bytes that the lines take up in the file, their newlines included, and the SHA-256 of just these. */
  readonly bytes: { readonly start: number; readonly end: number }
  readonly contentHash: string
  /** The first bytes of the file, at most 8 KB: enough to tell text from other things. */
  readonly head: Uint8Array
  readonly stat: FileStat
  readonly realPath: string
}

export interface WriteOptions extends JudgedPath {
  /** For a new file; one that exists keeps its own unless this is given. */
  readonly mode?: number
  /** Nothing is written unless this still holds at the moment of the change. */
  readonly expected?: ExpectedContent
}

export interface WrittenFile {
  readonly realPath: string
  readonly mtimeMs: number
  /** How many other names (hard links) the replaced file had, which still hold what it held; left out where none. */
  readonly otherNames?: number
}

/** A step of a change that happens as a whole. `expected` is about `path`; what a move leads to must not exist. */
export type FileChange =
  | ({ readonly kind: 'write'; readonly path: string; readonly content: Uint8Array } & WriteOptions)
  | ({ readonly kind: 'remove'; readonly path: string } & Omit<WriteOptions, 'mode'>)
  | ({
      readonly kind: 'move'
      readonly path: string
      readonly to: string
      readonly content?: Uint8Array
    } & WriteOptions)

/** What the host did with files that a tool has changed, and has to say about them. */
export interface EditReport {
  /** For the model, such as problems that are new since the edit. */
  readonly notes: readonly string[]
  /** The files that a formatter changed further. */
  readonly reformatted: readonly string[]
}

export interface GlobOptions {
  readonly limit?: number
  /** The working folder of who asks: some rules about what is hidden count from it. */
  readonly cwd?: string
  /** Told the absolute path of a file that would be given; true leaves it out, as if it were not there. */
  readonly isHidden?: (path: string) => boolean
  readonly signal?: AbortSignal
}

/**
 * Files where the agent works: this machine, a sandbox or another host. Paths are absolute. Bytes of a name that no text
 * can show stand as `\xff` in the paths given, and paths taken may have them so. Failures are `FileError`s whose
 * message can go to the model. Links are followed, unless said otherwise.
 */
export interface FilesPort {
  /** What was read in this conversation, shared by all tools that read or change files. */
  readonly readFileState: ReadFileState
  readonly fileReadingLimits: FileReadingLimits
  readonly globLimits: GlobLimits
  /** Undefined where nothing is there; a symlink is not followed. */
  stat(path: string): Promise<FileStat | undefined>
  /** The path with every symlink resolved, as far as it exists. */
  realPath(path: string): Promise<string>
  /** Only a regular file is opened, and what was opened is checked: devices and pipes are refused and never wait. */
  read(path: string, options?: ReadOptions): Promise<ReadFile>
  stream(path: string, options?: ReadOptions): AsyncIterable<Uint8Array>
  /** Costs what stands before the range and the range itself, in constant memory. */
  readLines(path: string, options: LineOptions): Promise<FileLines>
  /** Replaces the whole file or nothing; makes missing folders; keeps the mode of a file that exists. */
  write(path: string, content: FileContent, options?: WriteOptions): Promise<WrittenFile>
  /** All of the changes or none, also if the machine stops in between; one result for each (of a removal, undefined). */
  writeAll(changes: readonly FileChange[]): Promise<readonly (WrittenFile | undefined)[]>
  /** Removes a file, or the link where the path is one. */
  remove(path: string, options?: Omit<WriteOptions, 'mode'>): Promise<void>
  /** Never over something that exists. */
  move(from: string, to: string): Promise<void>
  chmod(path: string, mode: number): Promise<void>
  /** The names in a folder, sorted. */
  list(path: string): Promise<readonly string[]>
  /** Absolute paths, newest first; ignored files and folders are left out; `more` counts what the limit left out. */
  glob(
    folder: string,
    pattern: string,
    options?: GlobOptions,
  ): Promise<{ readonly paths: readonly string[]; readonly more: number }>
  /** Whether rules keep a path from who works in `cwd`, so that not even its name is told; left out where none do. */
  isHidden?(path: string, cwd: string): Promise<boolean>
  /**
   * Makes a change and lets formatter and language servers look at it, where the host has any: what is known of the
   * files before is compared with what is known after. Rejects only where the change itself does.
   */
  aroundEdit?<T>(
    paths: readonly string[],
    edit: () => Promise<T>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly result: T; readonly report: EditReport }>
}
