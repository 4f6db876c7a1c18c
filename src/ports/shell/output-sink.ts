import type { ShellOutput } from '../../contract/ports/shell.js'

/** Takes what a command prints. It keeps no reference to a chunk once its write has resolved. */
export interface OutputSink {
  /** Resolves when there is room for the next chunk. */
  write(chunk: Uint8Array): Promise<void>
  /** More came than may be kept: the command is stopped. */
  readonly isFull: boolean
  /** The file with everything so far, as soon as there is one. */
  readonly path?: string | undefined
  finish(): Promise<ShellOutput>
}

/** Opens the place for the output of one call, by its id. */
export type OpenOutput = (id: string) => OutputSink
