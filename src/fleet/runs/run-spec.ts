import * as z from 'zod'
import { lazySchema } from '../../contract/schema.js'

/** A longer prompt belongs into a file of the repository. */
const MAX_PROMPT_CHARS = 200_000
const MAX_TEXT_CHARS = 4_000
const MAX_ARTEFACTS = 50
/** Repositories that git fetches with its own transports. Others, such as `ext::`, could run any program. */
const REPOSITORY_URL = /^(?:https:\/\/|ssh:\/\/|git@[\w.-]+:|\/)[^\0\s]+$/
const REF = /^(?!-)[\w][\w./-]{0,199}$/
const RELATIVE_PATH = /^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\0]+$/

const text = () => z.string().min(1).max(MAX_TEXT_CHARS)

/** What a run does. It contains no secrets: keys are named in the settings of the worker, never passed. */
export const runSpecSchema = lazySchema(() =>
  z.strictObject({
    prompt: z.string().min(1).max(MAX_PROMPT_CHARS),
    model: text()
      .regex(/^(?!\s*(?:scripted|replay):)/i, 'must not name a file of the worker')
      .optional(),
    systemPromptAddition: z.string().max(MAX_PROMPT_CHARS).optional().describe('Added to the system prompt'),
    tools: text().optional().describe('Only these built-in tools'),
    allowedTools: text().optional().describe('Permission rules, for example "Edit, Bash(npm test)"'),
    disallowedTools: text().optional(),
    permissionMode: z.enum(['default', 'acceptEdits', 'plan', 'auto', 'dontAsk']).optional(),
    maxTurns: z.int().min(1).max(100_000).optional(),
    maxBudgetUsd: z.number().positive().optional(),
    asks: z
      .boolean()
      .optional()
      .describe('Whether questions wait for a person. Otherwise calls that need approval are denied'),
    repository: z
      .strictObject({
        url: z.string().regex(REPOSITORY_URL, 'must be an https or ssh URL, or an absolute path'),
        ref: z.string().regex(REF, 'must be a branch, a tag or a commit').optional(),
      })
      .optional()
      .describe('Cloned into a new folder for the run. Without it the folder is empty'),
    artefacts: z
      .array(z.string().max(500).regex(RELATIVE_PATH, 'must be a path below the working folder'))
      .max(MAX_ARTEFACTS)
      .optional()
      .describe('Files that are kept when the run ends'),
  }),
)

/** What a run does: the prompt, and the options of its session and its folder. */
export type RunSpec = z.infer<typeof runSpecSchema.schema>

/** When and under which name a run is submitted. */
export const submissionSchema = lazySchema(() =>
  z.strictObject({
    spec: runSpecSchema.schema,
    key: z.string().min(1).max(200).optional().describe('Submissions with the same key start one run'),
    priority: z.int().min(-100).max(100).optional().describe('Higher runs first, within the tenant'),
    delaySeconds: z.number().min(0).max(31_536_000).optional(),
  }),
)

/** A run to be queued. */
export type Submission = z.infer<typeof submissionSchema.schema>

/**
 * The state of a run. `queued` runs wait for a worker, `waiting` ones for the answer to a question, `paused` ones for `resume`. The last three
 * are final.
 */
export const RUN_STATES = ['queued', 'running', 'waiting', 'paused', 'succeeded', 'failed', 'cancelled'] as const
/** One of `RUN_STATES`. */
export type RunState = (typeof RUN_STATES)[number]
export const FINAL_STATES: readonly RunState[] = ['succeeded', 'failed', 'cancelled']

export function isFinal(state: RunState): boolean {
  return FINAL_STATES.includes(state)
}

/** A request of a user that is not possible. The message says why. */
export class FleetError extends Error {
  readonly code: 'invalid' | 'not_found' | 'conflict' | 'forbidden'

  constructor(code: FleetError['code'], message: string) {
    super(message)
    this.name = 'FleetError'
    this.code = code
  }
}

/** Checks a submission, and says what is wrong with it. */
export function parseSubmission(value: unknown): Submission {
  return parseWith(submissionSchema.schema, value)
}

export function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'value'}: ${message}`)
  throw new FleetError('invalid', `Invalid request: ${issues.join('; ')}`)
}
