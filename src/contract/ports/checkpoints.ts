/** Keeps what a call is about to overwrite, so that it can be undone. */
export interface CheckpointsPort {
  /** `unknown` marks a call whose writes cannot be told beforehand. */
  save(toolUseId: string, writes: readonly string[], options?: { readonly unknown?: boolean }): Promise<void>
}
