import type { FileContent } from '../../shared/file-content.js'
import type { JudgedTarget } from '../judged-paths.js'
import type { ReadFileState } from './read-file-state.js'

/** Metadata of a file, folder, symbolic link or device. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other'
  readonly size: number
  readonly mtimeMs: number
  /** Only the permission bits. */
  readonly mode: number
}

/** Limits of the Read tool. */
export interface FileReadingLimits {
  readonly maxTokens: number
  readonly maxSizeBytes: number
}

/** Limits of the Glob tool. */
export interface GlobLimits {
  readonly maxResults: number
}

/** The content of a path when it was last read: all bytes, their SHA-256 (slower to compare), or no file. */
export type ExpectedContent = { readonly content: Uint8Array } | { readonly contentHash: string } | 'absent'

/**
 * What permission was decided for. If the path now leads elsewhere, the operation fails with the code `moved`. `entryPath` is
 * the entry itself, for operations that remove a link and not its target.
 */
type JudgedPath = Partial<JudgedTarget>

/** Options of `FilesPort.read` and `stream`. */
export interface ReadOptions extends JudgedPath {
  /** Byte offsets; the end is exclusive. */
  readonly start?: number
  readonly end?: number
  /** A larger range is refused before it is read into memory. Defaults to 512 MB; streams have no default limit. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/** The content and metadata of a file, read through one file descriptor so that they belong together. */
export interface ReadFile {
  readonly content: Uint8Array
  readonly stat: FileStat
  readonly realPath: string
}

/** Options of `FilesPort.readLines`. */
export interface LineOptions extends JudgedPath {
  /** The first line, counted from 1. */
  readonly offset: number
  /** The maximum number of lines. */
  readonly limit: number
  /** Maximum total size. The line that exceeds it ends the range and is left out, unless it is the first. */
  readonly maxBytes: number
  /** Longer lines are truncated. */
  readonly maxLineBytes: number
  readonly signal?: AbortSignal
}

/** A line as raw bytes, truncated to `maxLineBytes`. */
export interface FileLine {
  /** Without the final newline; a carriage return before it is kept. */
  readonly bytes: Uint8Array
  /** Number of bytes that were truncated. */
  readonly cutBytes: number
}

/** Lines of a file. A UTF-16 file, recognised by its byte order mark, is split at UTF-16 newlines. */
export interface FileLines {
  readonly lines: readonly FileLine[]
  /** Whether the file continues after these lines. */
  readonly hasMore: boolean
  /** Which limit ended the range; `end` is the end of the file. */
  readonly endedBy: 'end' | 'limit' | 'maxBytes'
  /** Known only if the end of the file was reached. */
  readonly totalLines?: number
  /** The byte range of the lines including their newlines; `contentHash` is the SHA-256 of exactly that range. */
  readonly bytes: { readonly start: number; readonly end: number }
  readonly contentHash: string
  /** The first bytes of the file, at most 8 KB, to tell text from binary. */
  readonly head: Uint8Array
  readonly stat: FileStat
  readonly realPath: string
}

/** Options of `FilesPort.write`. */
export interface WriteOptions extends JudgedPath {
  /** Permission bits of a new file. An existing file keeps its own bits unless this is set. */
  readonly mode?: number
  /** Nothing is written if the file differs from this at the moment of the change. */
  readonly expected?: ExpectedContent
}

/** The state of a file right after a write, for the record of known files. */
export interface WrittenFile {
  readonly realPath: string
  readonly mtimeMs: number
  /** Number of other hard links of the replaced file, which keep the old content; left out if there are none. */
  readonly otherLinkCount?: number
}

/** One step of an atomic change. `expected` describes `path`; the target of a move must not exist. */
export type FileChange =
  | ({ readonly kind: 'write'; readonly path: string; readonly content: Uint8Array } & WriteOptions)
  | ({ readonly kind: 'remove'; readonly path: string } & Omit<WriteOptions, 'mode'>)
  | ({
      readonly kind: 'move'
      readonly path: string
      readonly to: string
      /** The path that permission was decided for, like `realPath` but of `to`. */
      readonly toRealPath?: string
      readonly content?: Uint8Array
    } & WriteOptions)

/** Options of `FilesPort.move`: the entries that permission was decided for. */
export interface MoveOptions {
  readonly entryPath?: string
  readonly toEntryPath?: string
}

/** What formatters and language servers did with edited files. */
export interface EditReport {
  /** Messages for the model, such as new diagnostics. */
  readonly notes: readonly string[]
  /** Files that a formatter changed. */
  readonly reformatted: readonly string[]
}

/** Options of `FilesPort.glob`. */
export interface GlobOptions extends Pick<JudgedPath, 'realPath'> {
  readonly limit?: number
  /** The working directory of the caller: relative permission rules about hidden files start from it. */
  readonly cwd?: string
  /** Called with the absolute path of each match; returns true to omit it from the result. */
  readonly isHidden?: (path: string) => boolean
  /** Ends the search with an error. */
  readonly signal?: AbortSignal
  /** Ends the search with the files found until then. */
  readonly stopSignal?: AbortSignal
}

/** Files that match a pattern. */
export interface GlobResult {
  /** Absolute paths, newest first. */
  readonly paths: readonly string[]
  /** The number of matches beyond the limit. */
  readonly more: number
  /** Whether the search was stopped before its end, at its time limit or by `stopSignal`. */
  readonly isIncomplete?: boolean
}

/**
 * The file system where the agent works: this machine, a sandbox or another host. Paths are absolute. Bytes of a name
 * that are not valid UTF-8 are written as `\xff`, in arguments and results. Failures are `FileError`s whose message may
 * be shown to the model. Symbolic links are followed unless stated otherwise.
 */
export interface FilesPort {
  /** What this conversation has read, shared by all tools that read or change files. */
  readonly readFileState: ReadFileState
  readonly fileReadingLimits: FileReadingLimits
  readonly globLimits: GlobLimits
  /** Resolves to undefined if the path does not exist. Does not follow a symbolic link. */
  stat(path: string): Promise<FileStat | undefined>
  /** Resolves every symbolic link in the part of the path that exists. */
  realPath(path: string): Promise<string>
  /** Opens only regular files and checks the open descriptor, so devices and pipes are refused without blocking. */
  read(path: string, options?: ReadOptions): Promise<ReadFile>
  /** Like `read`, in chunks. */
  stream(path: string, options?: ReadOptions): AsyncIterable<Uint8Array>
  /** Reads the file up to the end of the range, in constant memory. */
  readLines(path: string, options: LineOptions): Promise<FileLines>
  /** Replaces the file atomically, creates missing folders and, without `mode`, keeps the mode of an existing file. */
  write(path: string, content: FileContent, options?: WriteOptions): Promise<WrittenFile>
  /** Applies all changes or none, even after a crash. Returns one result per change; undefined for a removal. */
  writeAll(changes: readonly FileChange[]): Promise<readonly (WrittenFile | undefined)[]>
  /** Removes a file, or the link itself if the path is a symbolic link. */
  remove(path: string, options?: Omit<WriteOptions, 'mode'>): Promise<void>
  /** Fails if the target exists. */
  move(from: string, to: string, options?: MoveOptions): Promise<void>
  chmod(path: string, mode: number, options?: Pick<WriteOptions, 'realPath'>): Promise<void>
  /** Lists the names in a folder, sorted. With a limit, no more than that many of them, chosen by the disk. */
  list(path: string, options?: { readonly limit?: number }): Promise<readonly string[]>
  /** Finds files by name, without ignored files. */
  glob(folder: string, pattern: string, options?: GlobOptions): Promise<GlobResult>
  /** Whether permission rules hide a path, including its name, from a caller in `cwd`. Left out if no rule does. */
  isHidden?(path: string, cwd: string): Promise<boolean>
  /**
   * Runs an edit and then the formatters and language servers of the host, if any, and reports diagnostics that are new
   * since the edit. Rejects only if the edit itself does.
   */
  aroundEdit?<T>(
    paths: readonly string[],
    edit: () => Promise<T>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly result: T; readonly report: EditReport }>
}
