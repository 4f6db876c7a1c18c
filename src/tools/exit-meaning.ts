/** What an exit code says of the program that gave it. */
export interface ExitMeaning {
  readonly text: string
  /** False where the program did its work, and the code is its answer. */
  readonly isFailure: boolean
}
