/** Keeps what a call is about to overwrite, so that it can be undone. */
export interface CheckpointsPort {
  /** `unknown` marks a call whose writes cannot be told beforehand. */
  save(toolUseId: string, writes: readonly string[], options?: { readonly unknown?: boolean }): Promise<void>
  /** The call has ended, well or not: notes what it left, so that a change by somebody else is told apart later. */
  settle(toolUseId: string): Promise<void>
}
