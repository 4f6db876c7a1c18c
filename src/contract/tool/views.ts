/** How wide and how detailed a view may be. */
export interface ViewOptions {
  readonly verbose: boolean
  readonly columns?: number
  readonly theme?: string
}

/** How a call looks to a person in each of its states. `Node` is plain text unless a screen sets it. */
export interface ToolViews<Args, Output, Progress, Node> {
  userFacingName(input: Partial<Args> | undefined): string
  userFacingNameBackgroundColor?(input: Partial<Args> | undefined): string | undefined
  getToolUseSummary?(input: Partial<Args> | undefined): string | null
  /** The text beside the spinner. */
  getActivityDescription?(input: Partial<Args> | undefined): string | null
  /** What the auto-mode classifier sees; empty text gives it no say. */
  toAutoClassifierInput(input: Args): unknown
  /** Arguments arrive in pieces: every prefix of them must render. */
  renderToolUseMessage(input: Partial<Args>, options: ViewOptions): Node
  renderToolResultMessage?(content: Output, progress: readonly Progress[], options: ViewOptions): Node
  renderToolUseProgressMessage?(progress: readonly Progress[], options: ViewOptions): Node
  renderToolUseQueuedMessage?(): Node
  renderToolUseRejectedMessage?(input: Args, options: ViewOptions): Node
  renderToolUseErrorMessage?(result: string, options: ViewOptions): Node
  renderToolUseTag?(input: Partial<Args>): Node
  renderGroupedToolUse?(toolUses: readonly GroupedToolUse<Args, Output, Progress>[], options: ViewOptions): Node
  isResultTruncated?(output: Output): boolean
  /** What the transcript search finds: only text that the views really show. */
  extractSearchText?(output: Output): string
}

export interface GroupedToolUse<Args, Output, Progress> {
  readonly toolUseId: string
  readonly input: Partial<Args>
  readonly state: 'queued' | 'running' | 'done' | 'rejected' | 'failed'
  readonly progress: readonly Progress[]
  readonly output?: Output
}
