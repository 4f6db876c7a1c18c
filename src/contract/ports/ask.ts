import type { JsonSchema } from '../schema.js'

/** A question with options to choose from, as AskUserQuestion asks it. */
export interface Question {
  readonly question: string
  readonly header: string
  readonly options: readonly { readonly label: string; readonly description: string }[]
  readonly multiSelect: boolean
}

/** The answer to one question: the chosen labels, or the text that the user typed under 'Other'. */
export interface Answer {
  readonly question: string
  readonly chosen: readonly string[]
  readonly other?: string
}

/** A request for input by an MCP server: a form, or a page to visit. */
export interface Elicitation {
  readonly serverName: string
  readonly message: string
  readonly schema?: JsonSchema
  readonly url?: string
}

/** The user's answer to an elicitation, in the terms of MCP. */
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' }

/** Asks the user, if there is one. */
export interface AskPort {
  /** False in headless runs, where every question is declined at once. */
  readonly canAsk: boolean
  /** Resolves to undefined if the user dismissed the questions. */
  askQuestions(
    questions: readonly Question[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly Answer[] | undefined>
  handleElicitation(elicitation: Elicitation, options?: { readonly signal?: AbortSignal }): Promise<ElicitationAnswer>
}
