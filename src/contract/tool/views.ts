import type { View, ViewTone } from '../views.js'

/** The level of detail of a view. */
export interface ViewOptions {
  /** Whether the view shows everything instead of a shortened form. */
  readonly verbose: boolean
}

/** How a call is displayed in each of its states: as data, which every surface draws in its own way. */
export interface ToolViews<Args, Output, Progress> {
  userFacingName(input: Partial<Args> | undefined): string
  /** The tone of the name, for a tool that should stand out. */
  userFacingNameBackgroundColor?(input: Partial<Args> | undefined): ViewTone | undefined
  /** The call in a few words. At most `TOOL_SUMMARY_MAX_LENGTH` characters are shown. */
  getToolUseSummary?(input: Partial<Args> | undefined): string | null
  /** The text next to the spinner. */
  getActivityDescription?(input: Partial<Args> | undefined): string | null
  /** Returns the input of the auto-mode classifier. With an empty string the classifier is not asked. */
  toAutoClassifierInput(input: Args): unknown
  /** Returns what is shown after the name. Arguments are streamed: every partial input must render. */
  renderToolUseMessage(input: Partial<Args>, options: ViewOptions): View
  renderToolResultMessage?(content: Output, progress: readonly Progress[], options: ViewOptions): View
  renderToolUseProgressMessage?(progress: readonly Progress[], options: ViewOptions): View
  renderToolUseQueuedMessage?(): View
  /** Returns what the call would have done, from the input that was refused. Also drawn in the permission question. */
  renderToolUseRejectedMessage?(input: Args, options: ViewOptions): View
  renderToolUseErrorMessage?(result: string, options: ViewOptions): View
  /** A short remark after the title, such as the model of a sub-agent. */
  renderToolUseTag?(input: Partial<Args>): View
  /** Several calls of this tool in one view, such as `Read 5 files`. */
  renderGroupedToolUse?(toolUses: readonly GroupedToolUse<Args, Output, Progress>[], options: ViewOptions): View
  /** Whether `verbose` shows more of this result. */
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
