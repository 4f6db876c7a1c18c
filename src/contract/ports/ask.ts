import type { JsonSchema } from '../schema.js'

export interface Question {
  readonly question: string
  readonly header: string
  readonly options: readonly { readonly label: string; readonly description: string }[]
  readonly multiSelect: boolean
}

/** The answer to one question: the labels chosen, or what the person typed under 'Other'. */
export interface Answer {
  readonly question: string
  readonly chosen: readonly string[]
  readonly other?: string
}

export interface Elicitation {
  readonly serverName: string
  readonly message: string
  readonly schema?: JsonSchema
  readonly url?: string
}

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' }

/** A person, if there is one. */
export interface AskPort {
  /** False in headless use: then every question is refused at once. */
  readonly canAsk: boolean
  /** Undefined where the person turned the questions away. */
  askQuestions(
    questions: readonly Question[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly Answer[] | undefined>
  handleElicitation(elicitation: Elicitation, options?: { readonly signal?: AbortSignal }): Promise<ElicitationAnswer>
}
