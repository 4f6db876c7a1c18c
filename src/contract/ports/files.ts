import type { ReadFileState } from '../read-file-state.js'

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other'
  readonly size: number
  readonly mtimeMs: number
  readonly mode: number
}

export interface FileReadingLimits {
  readonly maxTokens: number
  readonly maxSizeBytes: number
}

export interface GlobLimits {
  readonly maxResults: number
}

/** Files where the agent works: this machine, a sandbox or another host. Paths are absolute. */
export interface FilesPort {
  /** What was read in this conversation, shared by all tools that read or change files. */
  readonly readFileState: ReadFileState
  readonly fileReadingLimits: FileReadingLimits
  readonly globLimits: GlobLimits
  /** Undefined where nothing is there; a symlink is not followed. */
  stat(path: string): Promise<FileStat | undefined>
  /** The path with every symlink resolved, as far as it exists. */
  realPath(path: string): Promise<string>
  read(
    path: string,
    options?: { readonly start?: number; readonly end?: number; readonly signal?: AbortSignal },
  ): Promise<Uint8Array>
  stream(path: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<Uint8Array>
  /** Replaces the whole file or nothing; makes missing folders; keeps the mode of a file that exists. */
  write(path: string, content: Uint8Array, options?: { readonly mode?: number }): Promise<void>
  remove(path: string): Promise<void>
  move(from: string, to: string): Promise<void>
  list(path: string): Promise<readonly string[]>
  /** Newest first; `more` counts what the limit left out. */
  glob(
    folder: string,
    pattern: string,
    options?: { readonly signal?: AbortSignal; readonly limit?: number },
  ): Promise<{ readonly paths: readonly string[]; readonly more: number }>
}
