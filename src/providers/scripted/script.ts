import type { ModelFacts, ModelRequest, ModelUsage, StopReason } from '../../contract/model.js'
import type { ModelErrorKind } from '../../contract/model-error.js'

/** What a scripted model says, request after request. */
export interface Script {
  /** The name of the model; `scripted` if left out. */
  readonly id?: string
  readonly facts?: Partial<ModelFacts>
  /** One for each request, in order. */
  readonly turns: readonly ScriptStep[]
  /** Conversations with turns of their own, such as those of sub-agents. */
  readonly conversations?: readonly ScriptedConversation[]
  /** What comes after the last turn: a text that says so (if left out), or a failure. */
  readonly afterwards?: 'answer' | 'error'
  /** Characters in one piece of the stream. */
  readonly pieceLength?: number
  /** A pause before each piece, for people who watch. */
  readonly pauseMs?: number
}

export interface ScriptedConversation {
  /** Words in the first message of the user by which the conversation is known. */
  readonly opening: string
  readonly turns: readonly ScriptStep[]
}

/** A turn, a text alone, or what makes one of them after a look at the request. */
export type ScriptStep = ScriptTurn | string | ScriptFunction

export type ScriptFunction = (request: ModelRequest) => ScriptTurn | string | Promise<ScriptTurn | string>

/** One message of the model: it thinks, then speaks, then calls. */
export interface ScriptTurn {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: readonly ScriptCall[]
  /** Why the message ends; what follows from its parts if left out. */
  readonly stop?: StopReason
  /** The last part stops in its middle: at the limit of output, or with the error if there is one. */
  readonly cut?: boolean
  /** The request fails; before anything came if it is not `cut`. */
  readonly error?: ScriptError
  /** Estimated where nothing is said. */
  readonly usage?: Partial<ModelUsage>
}

export interface ScriptCall {
  readonly name: string
  /** Nothing if left out: `{}`. */
  readonly input?: unknown
  /** The input as the model wrote it, for a model that writes no JSON; instead of `input`. */
  readonly json?: string
  /** Made where nothing is said. */
  readonly id?: string
}

export interface ScriptError {
  readonly kind: ModelErrorKind
  readonly message?: string
  readonly status?: number
  readonly retryAfterMs?: number
}
