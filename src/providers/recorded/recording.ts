import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import type { ModelEvent, ModelRequest } from '../../contract/model/model.js'
import type { ModelErrorKind } from '../../contract/model/model-error.js'
import { computeContentHash } from '../../shared/content-hash.js'

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

const factsSchema = z.looseObject({ contextWindow: z.number(), maxOutputTokens: z.number() })
const requestNumberSchema = z.int().min(1)

/** Hashes of the parts of a request, in order, each prefixed with a label. */
const partHashesSchema = z.array(z.string())

const lineSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('recording'),
    version: z.literal(RECORDING_VERSION),
    model: z.object({ id: z.string(), provider: z.string(), facts: factsSchema }),
  }),
  z.object({
    type: z.literal('request'),
    request: requestNumberSchema,
    hash: z.string(),
    system: partHashesSchema,
    tools: partHashesSchema,
    messages: partHashesSchema,
  }),
  z.object({
    type: z.literal('event'),
    request: requestNumberSchema,
    event: z.custom<ModelEvent>(isEvent, 'not a model event'),
  }),
  z.object({
    type: z.literal('error'),
    request: requestNumberSchema,
    error: z.object({
      kind: z.string().transform((kind) => kind as ModelErrorKind),
      message: z.string(),
      status: z.number().optional(),
      retryAfterMs: z.number().optional(),
    }),
  }),
  z.object({ type: z.literal('left'), request: requestNumberSchema }),
])

/** A line of a recording. The first line describes the model. Lines of concurrent requests are interleaved. */
export type RecordingLine = z.infer<typeof lineSchema>

/** Parses one line, or returns a description of the problem. */
export function parseLine(text: string): RecordingLine | { readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'is not valid JSON' }
  }
  const { data, error } = lineSchema.safeParse(value)
  if (data !== undefined) return data
  const [issue] = error?.issues ?? []
  return { problem: `${toDotPath(issue?.path ?? [])}: ${issue?.message}` }
}

function isEvent(value: unknown): boolean {
  const type: unknown = (value as { type?: unknown } | null | undefined)?.type
  return typeof type === 'string' && EVENT_TYPES.has(type)
}

const HASH_LENGTH = 16

/** A request as hashes of the parts that the model reads, each prefixed with a label. */
export interface RequestParts {
  readonly hash: string
  readonly system: readonly string[]
  readonly tools: readonly string[]
  readonly messages: readonly string[]
}

export function hashRequestParts({ system, tools, messages }: ModelRequest): RequestParts {
  const parts = {
    system: system.map((part) => `part ${hashJson(part)}`),
    tools: tools.map((tool) => `${tool.name} ${hashJson(tool)}`),
    // Message IDs are left out, because models do not read them.
    messages: messages.map(({ type, content }) => `${type} ${hashJson(content)}`),
  }
  return { hash: hashJson(parts), ...parts }
}

/** Describes the first difference between two requests; undefined if they are equal. */
export function describeDifference(recorded: RequestParts, actual: RequestParts): string | undefined {
  for (const list of ['system', 'tools', 'messages'] as const) {
    const [recordedParts, actualParts] = [recorded[list], actual[list]]
    const index = actualParts.findIndex((part, at) => part !== recordedParts[at])
    if (index >= 0)
      return `${list}[${index}] (${getLabel(actualParts[index])}${index < recordedParts.length ? '' : ', added'})`
    if (actualParts.length < recordedParts.length)
      return `${list}[${actualParts.length}] (${getLabel(recordedParts[actualParts.length])}, missing)`
  }
  return undefined
}

function getLabel(part = ''): string {
  return part.slice(0, part.lastIndexOf(' '))
}

/** Session IDs occur in result paths and differ in each run, so they are replaced before hashing. */
const RANDOM_ID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi

function hashJson(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(RANDOM_ID, 'ID')
  return computeContentHash(Buffer.from(text)).slice(0, HASH_LENGTH)
}
