/** What a patch does to one file. */
export type PatchSection =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly moveTo?: string
      readonly chunks: readonly PatchChunk[]
    }

/** Lines that stand together in a file, and what is to stand there. */
export interface PatchChunk {
  /** Lines above the place, outermost first, that tell it apart from others like it. */
  readonly anchors: readonly string[]
  readonly oldLines: readonly string[]
  readonly newLines: readonly string[]
  /** For each new line the index of the old line that it is; undefined for one that is added. */
  readonly kept: readonly (number | undefined)[]
  /** The number that the first line is said to have. */
  readonly line?: number
  readonly isAtEnd: boolean
}

/** A patch that cannot be read; the message says where and how it should be. */
export class PatchSyntaxError extends Error {
  override readonly name = 'PatchSyntaxError'
}
