import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import type { StopReason } from '../../contract/model.js'
import { MODEL_ERROR_KINDS, ModelError } from '../../contract/model-error.js'
import type { Script, ScriptFunction } from './script.js'

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
