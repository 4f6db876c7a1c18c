import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { ModelFacts, ModelRequest, ModelUsage, StopReason } from '../../contract/model/model.js'
import { MODEL_ERROR_KINDS, ModelError, type ModelErrorKind } from '../../contract/model/model-error.js'

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

const STOP_REASONS = ['end_turn', 'tool_use', 'max_tokens', 'refusal', 'context_full', 'pause'] as const

const tokens = z.int().min(0)
const price = z.number().min(0)

const usage = z.strictObject({
  input: tokens.optional(),
  output: tokens.optional(),
  cacheRead: tokens.optional(),
  cacheWrite: tokens.optional(),
})

const call = z
  .strictObject({
    name: z.string(),
    input: z.unknown().optional(),
    json: z.string().optional(),
    id: z.string().min(1).optional(),
  })
  .refine(({ input, json }) => input === undefined || json === undefined, 'has both `input` and `json`')

const error = z.strictObject({
  kind: z.enum(MODEL_ERROR_KINDS),
  message: z.string().optional(),
  status: z.int().optional(),
  retryAfterMs: z.number().min(0).optional(),
})

const turn = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  calls: z.array(call).optional(),
  stop: z.enum(STOP_REASONS satisfies readonly StopReason[]).optional(),
  cut: z.boolean().optional(),
  error: error.optional(),
  usage: usage.optional(),
})

const facts = z.strictObject({
  contextWindow: tokens.optional(),
  maxOutputTokens: tokens.optional(),
  supportsDeferLoading: z.boolean().optional(),
  prices: z
    .strictObject({ input: price, output: price, cacheRead: price.optional(), cacheWrite: price.optional() })
    .optional(),
})

/** The parts of it by hand: a union would only say that nothing of it fits. */
const step = z.unknown().transform((value, context) => {
  if (typeof value === 'string' || typeof value === 'function') return value as string | ScriptFunction
  const { data, error: problem } = turn.safeParse(value)
  if (problem === undefined) return data
  for (const issue of problem.issues) context.addIssue({ code: 'custom', message: issue.message, path: issue.path })
  return z.NEVER
})

const script = z.strictObject({
  id: z.string().min(1).optional(),
  facts: facts.optional(),
  turns: z.array(step),
  conversations: z.array(z.strictObject({ opening: z.string().min(1), turns: z.array(step) })).optional(),
  afterwards: z.enum(['answer', 'error']).optional(),
  pieceLength: z.int().min(1).optional(),
  pauseMs: z.number().min(0).optional(),
})

/** A script out of any value: a list of turns, or an object with them. Fails with one line that says where. */
export function parseScript(value: unknown, origin = 'The script'): Script {
  const { data, error: problem } = script.safeParse(Array.isArray(value) ? { turns: value } : value)
  if (problem === undefined) return data as Script
  const [issue] = problem.issues
  const place = toDotPath(issue?.path ?? [])
  throw new ModelError('invalid_request', `${origin}: ${place === '' ? '' : `${place}: `}${issue?.message}`)
}

/** The results that a request brings, in the order of the calls; what is no text in them is left out. */
export function resultsOf({ messages }: ModelRequest): { id: string; text: string; isError: boolean }[] {
  const last = messages.at(-1)
  if (last === undefined || last.type !== 'user' || typeof last.content === 'string') return []
  return last.content
    .filter((block) => block.type === 'tool_result')
    .map(({ tool_use_id, content, is_error }) => ({
      id: tool_use_id,
      text: textOf(content),
      isError: is_error === true,
    }))
}

function textOf(content: ToolResultBlock['content']): string {
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}
