export interface Conflict {
  readonly path: string
  readonly reason: string
}

/** Nothing was restored, since something of somebody else would have been lost, or is lost already. */
export class RewindError extends Error {
  override readonly name = 'RewindError'

  constructor(
    readonly conflicts: readonly Conflict[],
    message = conflicts.map(({ path, reason }) => `${path} ${reason}`).join('; '),
  ) {
    super(message)
  }
}
