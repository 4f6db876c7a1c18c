/** What fills the context window, and the removal of parts of the history. */
export interface HistoryPort {
  /** Measures the next request, as `/context` does, and lists the steps of the conversation. */
  inspect(options: { readonly signal: AbortSignal }): Promise<HistoryReport>
  /**
   * Removes all steps from `from` to `to`. Rejects with a `ToolCallError`, and changes nothing, if one of them must stay. Prompts
   * of the user always stay.
   */
  snip(request: SnipRequest): Promise<SnipOutcome>
  /** Puts the steps of an earlier removal back. */
  restore(snipId: string): Promise<SnipOutcome>
}

/** The steps to remove, by their ids. */
export interface SnipRequest {
  readonly from: string
  readonly to: string
  readonly reason?: string | undefined
}

/** What a removal of steps, or its undoing, has changed. */
export interface SnipOutcome {
  readonly snipId: string
  /** The number of steps that were removed or restored. */
  readonly steps: number
  /** The estimated tokens of these steps. */
  readonly tokens: number
  /** The estimated tokens after the change, which the provider has to read again because its cache ends there. */
  readonly tokensAfter: number
}

/** What fills the context window of the model. */
export interface HistoryReport {
  readonly parts: readonly {
    readonly name: string
    readonly tokens: number
    readonly details: readonly { readonly name: string; readonly tokens: number }[]
  }[]
  readonly tokens: number
  readonly window: number
  /** Whether the provider counted the tokens. Otherwise they are estimated. */
  readonly isCounted: boolean
  /** The steps, oldest first. */
  readonly steps: readonly HistoryStep[]
  /** Removals that can be restored. */
  readonly snips: readonly { readonly snipId: string; readonly steps: number; readonly tokens: number }[]
}

/** An answer of the model, together with the results of its calls. */
export interface HistoryStep {
  readonly id: string
  /** The estimated tokens of the answer and of all its results. */
  readonly tokens: number
  /** The tools that the answer calls. */
  readonly tools: readonly string[]
  /** The beginning of its text. */
  readonly text: string
  /** Why the step cannot be removed; undefined if it can. */
  readonly keptBecause?: string
}
