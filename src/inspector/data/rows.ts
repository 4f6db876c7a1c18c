import type { ModelPrices, ModelUsage } from '../../contract/model/model.js'

/** One call, with the times of its phases. All times are milliseconds since the epoch. */
export interface CallRow {
  readonly id: string
  /** The position in `SessionRows.agents`. */
  readonly agent: number
  /** The position of the call whose tool made this one. */
  readonly parent?: number
  /** The position of the request whose answer contained the call. */
  readonly request?: number
  /** The number of the message in an event log. */
  readonly message?: number
  tool: string
  summary?: string
  queuedAt: number
  startedAt?: number
  /** When the permission question was asked, and when it was answered. */
  askedAt?: number
  answeredAt?: number
  /** When the tool itself began and returned. */
  runAt?: number
  ranAt?: number
  endedAt?: number
  hookCount?: number
  /** When hooks ran before and after the tool: start and milliseconds. */
  preHooks?: readonly [at: number, ms: number]
  postHooks?: readonly [at: number, ms: number]
  errorCode?: string
  /** The last decision, such as `allow` or `deny`, and what made it, such as `rule`. */
  behavior?: string
  reason?: string
  /** Size of the result in the transcript, in bytes. */
  resultBytes?: number
}

/** One message of a conversation. */
export interface MessageRow {
  readonly agent: number
  readonly at: number
  readonly from: string
  /** The position of the request that this message answers; set for messages of the model. */
  readonly request?: number
}

/** Bytes of a request by group and detail, such as `results` and `Bash`. */
export interface PartBytes {
  readonly group: string
  readonly detail: string
  readonly bytes: number
}

/** One request to the model. */
export interface RequestRow {
  readonly agent: number
  readonly at: number
  readonly model: string
  /** The size of the JSON of its system prompt, tools and messages. The parts add up to it. */
  readonly bytes: number
  readonly window: number
  readonly prices?: ModelPrices
  readonly parts: readonly PartBytes[]
  /** Bytes from the start that are the same as in the previous request of the agent. */
  readonly keptBytes: number
  /** The size of the previous request of the agent. */
  readonly previousBytes?: number
  /** What changed first; not set if the request only adds messages. */
  readonly change?: 'system' | 'tools' | 'messages'
  /** Tools whose definitions the provider withholds from the model. */
  readonly deferredTools: number
  answeredAt?: number
  usage?: ModelUsage
}

/** One agent of a session: the main agent first. */
export interface AgentRow {
  readonly id: string
  readonly startedAt?: number
}

/** A point at which sent messages were replaced. */
export interface RewriteRow {
  readonly agent: number
  readonly at: number
  readonly cause: string
  readonly messagesBefore: number
  readonly messagesAfter: number
}

/** Everything that the timeline and the figures of a session are drawn from. Texts are read on demand. */
export interface SessionRows {
  readonly id: string
  readonly title: string | undefined
  readonly cwd: string | undefined
  readonly projectRoot: string | undefined
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly agents: readonly AgentRow[]
  readonly calls: readonly CallRow[]
  readonly requests: readonly RequestRow[]
  readonly messages: readonly MessageRow[]
  readonly rewrites: readonly RewriteRow[]
}
