import * as z from 'zod'
import { lazySchema } from '../../contract/schema.js'
import type { FleetDatabase } from '../database/fleet-database.js'
import type { FleetClient } from '../fleet-client.js'
import {
  FleetError,
  parseSubmission,
  parseWith,
  RUN_STATES,
  type RunState,
  runSpecSchema,
  submissionSchema,
} from '../runs/run-spec.js'
import { readStats, type Scope } from '../runs/tenants.js'

/** A request, after its token was checked. */
interface ApiRequest {
  readonly client: FleetClient
  readonly database: FleetDatabase
  /** The name of the token. */
  readonly label: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: unknown
}

export interface ApiAnswer {
  readonly status?: number
  /** Sent as JSON, unless it is bytes. */
  readonly body: unknown
}

/** One operation of the API: how it is called, what the token must allow, and what it does. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With parameters in braces. */
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  readonly bodySchema?: () => z.ZodType
  handle(request: ApiRequest): Promise<ApiAnswer>
}

const DONE: ApiAnswer = { body: { ok: true } }

/** What RemoteTrigger sends: a run with nothing but a prompt. */
const promptSchema = lazySchema(() =>
  z.strictObject({ prompt: z.string().min(1), key: z.string().min(1).max(200).optional() }),
)
const scheduleSchema = lazySchema(() =>
  z.strictObject({
    cron: z.string(),
    spec: runSpecSchema.schema,
    timezone: z.string().optional(),
    recurring: z.boolean().optional(),
    ifMissed: z.enum(['run_once', 'skip']).optional(),
  }),
)
const forkSchema = lazySchema(() => z.strictObject({ step: z.int().min(1) }))

export const ROUTES: readonly Route[] = [
  {
    ...{ method: 'POST', path: '/v1/runs', scope: 'submit', summary: 'Submit a run' },
    bodySchema: () => z.union([submissionSchema.schema, promptSchema.schema]),
    async handle({ client, body }) {
      const isPromptOnly = typeof body === 'object' && body !== null && 'prompt' in body
      const { prompt, key } = isPromptOnly ? parseWith(promptSchema.schema, body) : { prompt: '', key: undefined }
      const submission = isPromptOnly ? { spec: { prompt }, ...(key !== undefined && { key }) } : parseSubmission(body)
      const { id, isNew } = await client.submit(submission)
      return { status: 201, body: { id, task: id, isNew } }
    },
  },
  {
    ...{ method: 'GET', path: '/v1/runs', scope: 'read', summary: 'List runs, newest first: ?state=, ?limit=' },
    async handle({ client, query }) {
      const limit = Number(query.get('limit') ?? 50)
      if (!Number.isInteger(limit) || limit < 1) throw new FleetError('invalid', 'limit must be a positive integer.')
      return { body: { runs: await client.runs.list({ state: readState(query.get('state')), limit }) } }
    },
  },
  {
    ...{ method: 'GET', path: '/v1/runs/{id}', scope: 'read', summary: 'Show a run' },
    handle: async ({ client, params }) => ({ body: await client.runs.get(params.id ?? '') }),
  },
  {
    ...{ method: 'GET', path: '/v1/runs/{id}/steps', scope: 'read', summary: 'List the steps of a run' },
    handle: async ({ client, params }) => ({ body: { steps: await client.listSteps(params.id ?? '') } }),
  },
  {
    ...{ method: 'GET', path: '/v1/runs/{id}/transcript', scope: 'read', summary: 'Lines of the transcript: ?from=' },
    async handle({ client, params, query }) {
      const from = Number(query.get('from') ?? 0)
      return { body: { lines: await client.readTranscript(params.id ?? '', { from }) } }
    },
  },
  {
    ...{ method: 'GET', path: '/v1/bodies/{hash}', scope: 'read', summary: 'Fetch a patch, bundle or artefact' },
    handle: async ({ client, params }) => ({ body: await client.readBody(params.hash ?? '') }),
  },
  ...(['cancel', 'pause', 'resume'] as const).map(
    (verb): Route => ({
      ...{ method: 'POST', path: `/v1/runs/{id}/${verb}`, scope: 'control', summary: `${verb} a run` },
      async handle({ client, params }) {
        await client[verb](params.id ?? '')
        return DONE
      },
    }),
  ),
  {
    ...{ method: 'POST', path: '/v1/runs/{id}/retry', scope: 'submit', summary: 'Submit the same work again' },
    handle: async ({ client, params }) => ({ status: 201, body: await client.retry(params.id ?? '') }),
  },
  {
    ...{ method: 'POST', path: '/v1/runs/{id}/fork', scope: 'submit', summary: 'Continue from a step in a new run' },
    bodySchema: () => forkSchema.schema,
    async handle({ client, params, body }) {
      const { step } = parseWith(forkSchema.schema, body)
      return { status: 201, body: await client.fork(params.id ?? '', step) }
    },
  },
  {
    ...{ method: 'GET', path: '/v1/questions', scope: 'read', summary: 'List open questions: ?run=' },
    async handle({ client, query }) {
      return { body: { questions: await client.questions.listOpen(query.get('run') ?? undefined) } }
    },
  },
  {
    ...{ method: 'POST', path: '/v1/questions/{id}/answer', scope: 'answer', summary: 'Answer a question' },
    bodySchema: () => z.looseObject({}),
    async handle({ client, params, body, label }) {
      await client.questions.answer(params.id ?? '', body, `token ${label}`)
      return DONE
    },
  },
  {
    ...{ method: 'GET', path: '/v1/schedules', scope: 'read', summary: 'List schedules' },
    handle: async ({ client }) => ({ body: { schedules: await client.schedules.list() } }),
  },
  {
    ...{ method: 'POST', path: '/v1/schedules', scope: 'submit', summary: 'Add a schedule' },
    bodySchema: () => scheduleSchema.schema,
    async handle({ client, body }) {
      return { status: 201, body: await client.schedules.create(parseWith(scheduleSchema.schema, body)) }
    },
  },
  {
    ...{ method: 'DELETE', path: '/v1/schedules/{id}', scope: 'control', summary: 'Delete a schedule' },
    async handle({ client, params }) {
      await client.schedules.delete(params.id ?? '')
      return DONE
    },
  },
  {
    ...{ method: 'GET', path: '/v1/stats', scope: 'read', summary: 'Counts by state, and waiting times' },
    handle: async ({ client, database }) => ({ body: await readStats(database, client.tenant) }),
  },
]

function readState(text: string | null): RunState | undefined {
  if (text === null) return undefined
  const state = RUN_STATES.find((candidate) => candidate === text)
  if (state === undefined) throw new FleetError('invalid', `state must be one of ${RUN_STATES.join(', ')}.`)
  return state
}
