import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { ModelFacts, ModelRequest, ModelUsage, StopReason } from '../../contract/model/model.js'
import { MODEL_ERROR_KINDS, ModelError, type ModelErrorKind } from '../../contract/model/model-error.js'

/** The answers of a scripted model, one for each request. */
export interface Script {
  /** The model ID. Defaults to `scripted`. */
  readonly id?: string
  readonly facts?: Partial<ModelFacts>
  /** One turn for each request, in order. */
  readonly turns: readonly ScriptStep[]
  /** Separate turns for other conversations, for example those of sub-agents. */
  readonly conversations?: readonly ScriptedConversation[]
  /** What happens after the last turn: an answer that says so (the default), or an error. */
  readonly afterwards?: 'answer' | 'error'
  /** The number of characters in each delta of the stream. */
  readonly pieceLength?: number
  /** The pause before each delta, for demonstrations. */
  readonly pauseMs?: number
}

/** The turns of one of several conversations that share a script, such as a sub-agent. */
export interface ScriptedConversation {
  /** Text in the first user message that identifies the conversation. */
  readonly opening: string
  readonly turns: readonly ScriptStep[]
}

/** A turn, a text answer, or a function that creates one of them from the request. */
export type ScriptStep = ScriptTurn | string | ScriptFunction

/** Creates a turn from the request, for answers that depend on earlier results. */
export type ScriptFunction = (request: ModelRequest) => ScriptTurn | string | Promise<ScriptTurn | string>

/** One message of the model: thinking, then text, then calls. */
export interface ScriptTurn {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: readonly ScriptCall[]
  /** The stop reason. If omitted, it is derived from the parts. */
  readonly stop?: StopReason
  /** Whether the last part is cut in the middle: at the output limit, or by `error` if that is set. */
  readonly cut?: boolean
  /** The error with which the request fails: before any output, unless `cut` is set. */
  readonly error?: ScriptError
  /** The token usage. If omitted, it is estimated. */
  readonly usage?: Partial<ModelUsage>
}

/** A tool call of a scripted model. */
export interface ScriptCall {
  readonly name: string
  /** The input. Defaults to `{}`. */
  readonly input?: unknown
  /** The raw input text, used instead of `input` to simulate invalid JSON. */
  readonly json?: string
  /** The ID of the call. If omitted, one is generated. */
  readonly id?: string
}

/** An error that a scripted model reports instead of an answer. */
export interface ScriptError {
  readonly kind: ModelErrorKind
  readonly message?: string
  readonly status?: number
  readonly retryAfterMs?: number
}

const STOP_REASONS = ['end_turn', 'tool_use', 'max_tokens', 'refusal', 'context_full', 'pause'] as const

const tokensSchema = z.int().min(0)
const priceSchema = z.number().min(0)

const usageSchema = z.strictObject({
  input: tokensSchema.optional(),
  output: tokensSchema.optional(),
  cacheRead: tokensSchema.optional(),
  cacheWrite: tokensSchema.optional(),
})

const callSchema = z
  .strictObject({
    name: z.string(),
    input: z.unknown().optional(),
    json: z.string().optional(),
    id: z.string().min(1).optional(),
  })
  .refine(
    ({ input, json }) => input === undefined || json === undefined,
    'has both `input` and `json`: use only one of them',
  )

const errorSchema = z.strictObject({
  kind: z.enum(MODEL_ERROR_KINDS),
  message: z.string().optional(),
  status: z.int().optional(),
  retryAfterMs: z.number().min(0).optional(),
})

const turnSchema = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  calls: z.array(callSchema).optional(),
  stop: z.enum(STOP_REASONS satisfies readonly StopReason[]).optional(),
  cut: z.boolean().optional(),
  error: errorSchema.optional(),
  usage: usageSchema.optional(),
})

const factsSchema = z.strictObject({
  contextWindow: tokensSchema.optional(),
  maxOutputTokens: tokensSchema.optional(),
  supportsDeferLoading: z.boolean().optional(),
  editFormat: z.enum(['strings', 'patch']).optional(),
  prices: z
    .strictObject({
      input: priceSchema,
      output: priceSchema,
      cacheRead: priceSchema.optional(),
      cacheWrite: priceSchema.optional(),
      webSearch: priceSchema.optional(),
    })
    .optional(),
})

/** Validated by code, because the error of a union would say only that no alternative matches. */
const stepSchema = z.unknown().transform((value, context) => {
  if (typeof value === 'string' || typeof value === 'function') return value as string | ScriptFunction
  const { data, error: problem } = turnSchema.safeParse(value)
  if (problem === undefined) return data
  for (const issue of problem.issues) context.addIssue({ code: 'custom', message: issue.message, path: issue.path })
  return z.NEVER
})

const scriptSchema = z.strictObject({
  id: z.string().min(1).optional(),
  facts: factsSchema.optional(),
  turns: z.array(stepSchema),
  conversations: z.array(z.strictObject({ opening: z.string().min(1), turns: z.array(stepSchema) })).optional(),
  afterwards: z.enum(['answer', 'error']).optional(),
  pieceLength: z.int().min(1).optional(),
  pauseMs: z.number().min(0).optional(),
})

/** Parses a script: a list of turns, or an object with `turns`. Throws with a one-line message that locates the problem. */
export function parseScript(value: unknown, origin = 'The script'): Script {
  const { data, error: problem } = scriptSchema.safeParse(Array.isArray(value) ? { turns: value } : value)
  if (problem === undefined) return data as Script
  const [issue] = problem.issues
  const issuePath = toDotPath(issue?.path ?? [])
  throw new ModelError('invalid_request', `${origin}: ${issuePath === '' ? '' : `${issuePath}: `}${issue?.message}`)
}

/** Returns the tool results in the last message of a request, in call order. Content other than text is omitted. */
export function resultsOf({ messages }: ModelRequest): { id: string; text: string; isError: boolean }[] {
  const lastMessage = messages.at(-1)
  if (lastMessage === undefined || lastMessage.type !== 'user' || typeof lastMessage.content === 'string') return []
  return lastMessage.content
    .filter((block) => block.type === 'tool_result')
    .map(({ tool_use_id, content, is_error }) => ({
      id: tool_use_id,
      text: toText(content),
      isError: is_error === true,
    }))
}

function toText(content: ToolResultBlock['content']): string {
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}
