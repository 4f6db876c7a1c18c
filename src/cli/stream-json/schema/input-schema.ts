import * as z from 'zod'
import { PERMISSION_MODES } from '../../../contract/permission/context.js'
import { isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { getAnswerSchemas } from './answer-schemas.js'
import { createContentSchemas } from './content-schema.js'

/** An input line. Unknown fields are ignored. */
export type InputMessage = z.output<ReturnType<typeof createInputSchema>>
export type PromptLine = Extract<InputMessage, { type: 'user' }>
export type ControlRequest = Extract<InputMessage, { type: 'control_request' }>
export type InitializeRequest = Extract<ControlRequest['request'], { subtype: 'initialize' }>
/** The answers are read where the request was made, which knows their kind. */
export interface ControlResponse {
  readonly response:
    | { readonly subtype: 'success'; readonly request_id: string; readonly response?: unknown }
    | { readonly subtype: 'error'; readonly request_id: string; readonly error: string }
}

let cachedSchema: ReturnType<typeof createInputSchema> | undefined

/** Returns the schema of a line of `--input-format stream-json`, created on first use. */
export function getInputSchema(): ReturnType<typeof createInputSchema> {
  cachedSchema ??= createInputSchema()
  return cachedSchema
}

function createInputSchema() {
  return z
    .discriminatedUnion('type', [
      createUserMessageSchema(),
      createControlRequestSchema(),
      createControlResponseSchema(),
      z
        .object({ type: z.literal('control_cancel_request'), request_id: z.string() })
        .describe('Withdraws a request to Haft. Requests are answered at once, so this has no effect.'),
    ])
    .meta({ title: 'haft --input-format stream-json', description: 'One line of input.' })
}

function createUserMessageSchema() {
  const { text, image, document } = createContentSchemas()
  return z
    .object({
      type: z.literal('user'),
      message: z.object({
        role: z.literal('user'),
        content: z.union([z.string().min(1), z.array(z.discriminatedUnion('type', [text, image, document])).min(1)]),
      }),
      uuid: z.string().nullish().describe('The id of the prompt, for rewind_files and for the result.'),
      priority: z
        .enum(['now', 'next', 'later'])
        .nullish()
        .describe(
          'now, next: the model gets it with its next request. later: it waits for the end of the current prompt.',
        ),
      shouldQuery: z.literal(true).nullish().describe('A prompt is always answered.'),
    })
    .describe('A prompt. Prompts are queued while another one is running.')
}

function createControlRequestSchema() {
  const serverName = { serverName: z.string().min(1) }
  const request = z.discriminatedUnion('subtype', [
    createInitializeSchema(),
    z
      .object({ subtype: z.literal('interrupt'), cancel_queued: z.boolean().nullish() })
      .describe('Interrupts the running prompt, and with cancel_queued also those that wait.'),
    z
      .object({ subtype: z.literal('set_permission_mode'), mode: z.enum(PERMISSION_MODES) })
      .describe('Changes the permission mode.'),
    z
      .object({ subtype: z.literal('set_model'), model: z.string().min(1).nullish() })
      .describe('Changes the model from the next prompt on. Without a model, the initial model is restored.'),
    z
      .object({
        subtype: z.literal('set_max_thinking_tokens'),
        max_thinking_tokens: z.number().int().nonnegative().nullish(),
        thinking_display: z.literal('summarized').nullish(),
      })
      .describe(
        'Changes how much the model thinks from the next prompt on; 0 turns it off, null restores the default.',
      ),
    z.object({ subtype: z.literal('mcp_status') }).describe('Requests the state of the MCP servers.'),
    z.object({ subtype: z.literal('mcp_reconnect'), ...serverName }).describe('Connects an MCP server again.'),
    z
      .object({ subtype: z.literal('mcp_toggle'), ...serverName, enabled: z.boolean() })
      .describe('Turns an MCP server on or off for this session.'),
    z
      .object({ subtype: z.literal('mcp_set_servers'), servers: z.record(z.string(), z.unknown()) })
      .describe('Replaces the MCP servers that earlier requests of this kind and initialize have added.'),
    z
      .object({
        subtype: z.literal('mcp_message'),
        server_name: z.string(),
        message: z.record(z.string(), z.unknown()),
      })
      .describe('A message that an MCP server of the program sends by itself.'),
    z.object({ subtype: z.literal('get_context_usage') }).describe('Requests what the context window contains.'),
    z
      .object({
        subtype: z.literal('rewind_files'),
        user_message_id: z.string(),
        dry_run: z.boolean().nullish(),
      })
      .describe('Restores the files from before a prompt, which its uuid identifies.'),
    z.object({ subtype: z.literal('stop_task'), task_id: z.string() }).describe('Stops a background task.'),
  ])
  return z
    .object({ type: z.literal('control_request'), request_id: z.string().min(1), request })
    .describe('A request to Haft, answered with a control_response.')
}

function createInitializeSchema() {
  const hook = z.object({
    matcher: z.string().nullish(),
    hookCallbackIds: z.array(z.string()),
    timeout: z.number().positive().nullish().describe('In seconds.'),
    onFailure: z.enum(['continue', 'block']).nullish().describe('block: if the hook fails, it counts as an objection.'),
  })
  const agent = z.looseObject({
    description: z.string(),
    prompt: z.string(),
    tools: z.array(z.string()).nullish(),
    disallowedTools: z.array(z.string()).nullish(),
    model: z.string().nullish(),
    maxTurns: z.number().int().positive().nullish(),
    permissionMode: z.enum(PERMISSION_MODES).nullish(),
  })
  return z
    .looseObject({
      subtype: z.literal('initialize'),
      hooks: z.record(z.string(), z.array(hook).nullish()).nullish().describe('Callbacks of the program by event.'),
      sdkMcpServers: z.array(z.string().min(1)).nullish().describe('Names of MCP servers in the program.'),
      sdkMcpServerConfigs: z.record(z.string(), z.looseObject({ timeout: z.number().positive().nullish() })).nullish(),
      systemPrompt: z.union([z.string(), z.array(z.string())]).nullish(),
      appendSystemPrompt: z.string().nullish(),
      jsonSchema: z.record(z.string(), z.unknown()).nullish().describe('The schema that answers must match.'),
      agents: z.record(z.string(), agent).nullish().describe('Kinds of sub-agents by name.'),
      skills: z.array(z.string()).nullish().describe('The names of the skills to use.'),
      title: z.string().nullish().describe('The title of a new session.'),
      forwardSubagentText: z.boolean().nullish().describe('Whether texts of sub-agents are printed.'),
    })
    .describe('The first request. It configures the session, so it must be the first line.')
}

function createControlResponseSchema() {
  const { permission, answers, elicitation, mcp, hook } = getAnswerSchemas()
  return z
    .object({
      type: z.literal('control_response'),
      response: z.discriminatedUnion('subtype', [
        z.object({
          subtype: z.literal('success'),
          request_id: z.string(),
          response: z.union([permission, answers, elicitation, mcp, hook]).nullish(),
        }),
        z.object({ subtype: z.literal('error'), request_id: z.string(), error: z.string() }),
      ]),
    })
    .describe('The answer to a request of Haft.')
}

export type ParsedLine =
  | { readonly message: Exclude<InputMessage, { type: 'control_response' }> }
  | { readonly answer: ControlResponse }
  /** `requestId` is set for a request, which needs an answer. */
  | { readonly problem: string; readonly requestId?: string }

/** Parses an input line. The problem of an invalid line describes only its first issue. */
export function parseInputLine(text: string): ParsedLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `is not JSON: ${reasonOf(error)}` }
  }
  const { data, error } = getInputSchema().safeParse(value)
  // The union of answers would remove fields that belong to another kind of answer.
  if (data?.type === 'control_response') return { answer: value as ControlResponse }
  if (data !== undefined) return { message: data }
  const requestId = isRecord(value) && value.type === 'control_request' ? value.request_id : undefined
  const problem = findUnknownRequest(value) ?? describeIssue(error.issues[0])
  return typeof requestId === 'string' ? { problem, requestId } : { problem }
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  const location = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
  return `is invalid${location}: ${issue?.message ?? 'does not match the schema'}`
}

function findUnknownRequest(value: unknown): string | undefined {
  if (!isRecord(value) || value.type !== 'control_request' || !isRecord(value.request)) return undefined
  const { subtype } = value.request
  if (typeof subtype !== 'string' || REQUEST_SUBTYPES.has(subtype)) return undefined
  return `has the subtype ${JSON.stringify(subtype)}, which is not supported. Supported: ${[...REQUEST_SUBTYPES].join(', ')}`
}

const REQUEST_SUBTYPES: ReadonlySet<string> = new Set<ControlRequest['request']['subtype']>([
  ...(['initialize', 'interrupt', 'set_permission_mode', 'set_model', 'set_max_thinking_tokens'] as const),
  ...(['mcp_status', 'mcp_reconnect', 'mcp_toggle', 'mcp_set_servers', 'mcp_message'] as const),
  ...(['get_context_usage', 'rewind_files', 'stop_task'] as const),
])
