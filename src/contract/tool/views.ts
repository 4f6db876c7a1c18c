/** The width, the level of detail and the theme of a view. */
export interface ViewOptions {
  readonly verbose: boolean
  readonly columns?: number
  readonly theme?: string
}

/** How a call is displayed in each of its states. `Node` is plain text by default. */
export interface ToolViews<Args, Output, Progress, Node> {
  userFacingName(input: Partial<Args> | undefined): string
  userFacingNameBackgroundColor?(input: Partial<Args> | undefined): string | undefined
  getToolUseSummary?(input: Partial<Args> | undefined): string | null
  /** The text next to the spinner. */
  getActivityDescription?(input: Partial<Args> | undefined): string | null
  /** The input of the auto-mode classifier. With an empty string the classifier is not asked. */
  toAutoClassifierInput(input: Args): unknown
  /** Arguments are streamed: every partial input must render. */
  renderToolUseMessage(input: Partial<Args>, options: ViewOptions): Node
  renderToolResultMessage?(content: Output, progress: readonly Progress[], options: ViewOptions): Node
  renderToolUseProgressMessage?(progress: readonly Progress[], options: ViewOptions): Node
  renderToolUseQueuedMessage?(): Node
  renderToolUseRejectedMessage?(input: Args, options: ViewOptions): Node
  renderToolUseErrorMessage?(result: string, options: ViewOptions): Node
  renderToolUseTag?(input: Partial<Args>): Node
  renderGroupedToolUse?(toolUses: readonly GroupedToolUse<Args, Output, Progress>[], options: ViewOptions): Node
  isResultTruncated?(output: Output): boolean
  /** The text that transcript search finds. Include only text that the views show. */
  extractSearchText?(output: Output): string
}

/** One call of a group that is displayed together. */
export interface GroupedToolUse<Args, Output, Progress> {
  readonly toolUseId: string
  readonly input: Partial<Args>
  readonly state: 'queued' | 'running' | 'done' | 'rejected' | 'failed'
  readonly progress: readonly Progress[]
  readonly output?: Output
}
