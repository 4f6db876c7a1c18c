import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import type { ModelEvent } from '../../contract/model.js'
import type { ModelErrorKind } from '../../contract/model-error.js'

export const RECORDING_VERSION = 1

const EVENT_TYPES: ReadonlySet<string> = new Set<ModelEvent['type']>([
  'message-started',
  'text-delta',
  'thinking-delta',
  'call-begun',
  'input-delta',
  'block-ended',
  'call-cut',
  'message-ended',
])

const facts = z.looseObject({ contextWindow: z.number(), maxOutputTokens: z.number() })
const number = z.int().min(1)

/** Hashes of the parts of a request, in order, each with a word that tells which it is. */
const parts = z.array(z.string())

const line = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('recording'),
    version: z.literal(RECORDING_VERSION),
    model: z.object({ id: z.string(), provider: z.string(), facts }),
  }),
  z.object({
    type: z.literal('request'),
    request: number,
    hash: z.string(),
    system: parts,
    tools: parts,
    messages: parts,
  }),
  z.object({
    type: z.literal('event'),
    request: number,
    event: z.custom<ModelEvent>(isEvent, 'is no event of a model'),
  }),
  z.object({
    type: z.literal('error'),
    request: number,
    error: z.object({
      kind: z.string().transform((kind) => kind as ModelErrorKind),
      message: z.string(),
      status: z.number().optional(),
      retryAfterMs: z.number().optional(),
    }),
  }),
  z.object({ type: z.literal('left'), request: number }),
])

/** A line of a recording. The first tells of the model; those of requests that ran together stand between each other. */
export type RecordingLine = z.infer<typeof line>

/** A line out of its text; the problem in words where it is none. */
export function parseLine(text: string): RecordingLine | { readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'is no JSON' }
  }
  const { data, error } = line.safeParse(value)
  if (data !== undefined) return data
  const [issue] = error?.issues ?? []
  return { problem: `${toDotPath(issue?.path ?? [])}: ${issue?.message}` }
}

function isEvent(value: unknown): boolean {
  const type: unknown = (value as { type?: unknown } | null | undefined)?.type
  return typeof type === 'string' && EVENT_TYPES.has(type)
}
