import * as z from 'zod'
import { PERMISSION_MODES } from '../../../contract/permission/context.js'
import { createContentSchemas } from './content-schema.js'

/** A line of output. */
export type OutputLine = DeepReadonly<z.input<ReturnType<typeof getOutputSchema>>>
/** An output line without the fields that every line has. */
export type OutputBody = WithoutCommonFields<OutputLine>
export type ResultBody = WithoutCommonFields<DeepReadonly<z.input<ReturnType<typeof createResultLineSchema>>>>
export type EndSubtype = ResultBody['subtype']

type WithoutCommonFields<Line> = Line extends unknown ? Omit<Line, 'session_id' | 'uuid'> : never

type DeepReadonly<T> = T extends readonly (infer Each)[]
  ? readonly DeepReadonly<Each>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

const RESULT_SUBTYPES = [
  'success',
  'error_during_execution',
  'error_max_turns',
  'error_max_budget_usd',
  'error_max_structured_output_retries',
] as const

const END_REASONS = [
  'completed',
  'interrupted',
  'max_turns',
  'max_budget',
  'refused',
  'max_output',
  'context_full',
  'model_failed',
  'stopped_by_hook',
  'stopped_by_permissions',
  'stuck',
] as const

const createCommonFields = () => ({ session_id: z.string(), uuid: z.string() })

/**
 * Returns the schema of a line of `--output-format stream-json`. It is published for readers; Haft does not validate its own
 * output.
 */
export function getOutputSchema() {
  return z
    .union([
      createSystemLineSchema(),
      createAssistantLineSchema(),
      createUserLineSchema(),
      createStreamEventLineSchema(),
      createResultLineSchema(),
      createControlRequestLineSchema(),
      createControlCancelLineSchema(),
      createControlResponseLineSchema(),
      createErrorLineSchema(),
    ])
    .meta({ title: 'haft --output-format stream-json', description: 'One line of output.' })
}

function createSystemLineSchema() {
  const agent = { agent_id: z.string().optional().describe('The sub-agent, if the event belongs to one.') }
  const toolUse = { tool_use_id: z.string(), tool_name: z.string().optional(), ...agent }
  const line = <T extends string, S extends z.core.$ZodShape>(subtype: T, shape: S) =>
    z.object({ type: z.literal('system'), subtype: z.literal(subtype), ...shape, ...createCommonFields() })
  return z
    .discriminatedUnion('subtype', [
      line('init', {
        cwd: z.string(),
        model: z.string(),
        tools: z.array(z.string()),
        mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })),
        permissionMode: z.enum(PERMISSION_MODES),
        version: z.string(),
        claude_code_version: z.string().describe('The version of Haft, under the name that the Agent SDK uses.'),
        slash_commands: z.array(z.string()),
        agents: z.array(z.string()),
        skills: z.array(z.string()),
        plugins: z.array(z.object({ name: z.string(), path: z.string() })),
        apiKeySource: z.string().describe('The variable with the key of the provider, or none.'),
        output_style: z.string(),
      }).describe('The facts about the session, before each prompt.'),
      line('permission_asked', { ...toolUse, message: z.string() }),
      line('permission_denied', {
        ...toolUse,
        tool_name: z.string(),
        decision_reason_type: z.string(),
        decision_reason: z.string(),
        message: z.string(),
        reason: z.object({
          type: z.string(),
          text: z.string(),
          rule: z.string().optional(),
          source: z.string().optional(),
        }),
      }),
      line('user_message', {
        ...toolUse,
        text: z.string().optional().describe('Markdown.'),
        attachments: z.array(
          z.object({
            path: z.string().describe('The absolute path.'),
            bytes: z.number(),
            base64: z.string().optional().describe('The content, if it was sent and is not too large.'),
          }),
        ),
      }).describe('A tool has sent a message or files to the user.'),
      line('status', { status: z.null(), permissionMode: z.enum(PERMISSION_MODES) }).describe(
        'The permission mode has changed.',
      ),
      line('api_retry', {
        attempt: z.number(),
        retry_delay_ms: z.number(),
        error: z.string().describe('The error kind.'),
        error_status: z.number().nullable(),
        message: z.string(),
        ...agent,
      }),
      line('message_discarded', { reason: z.string(), ...agent }).describe(
        'The partial message sent so far is discarded.',
      ),
      line('model_changed', { from: z.string(), to: z.string(), reason: z.string(), ...agent }),
      line('compact_boundary', {
        compact_metadata: z.object({ trigger: z.literal('auto'), pre_tokens: z.number(), post_tokens: z.number() }),
        ...agent,
      }).describe('Older messages were summarised.'),
      line('results_cleared', { pre_tokens: z.number(), post_tokens: z.number(), ...agent }).describe(
        'Old tool results were removed from the context.',
      ),
      line('hook_reported', {
        hook_event: z.string(),
        hook: z.string(),
        outcome: z.enum(['ok', 'blocked', 'failed', 'timed-out']),
        message: z.string().optional(),
        tool_use_id: z.string().optional().describe('The call, if the hook ran for one.'),
        tool_name: z.string().optional(),
        ...agent,
      }).describe(
        'The outcome of a hook. A hook that ran for a call is reported only if the user should know about it.',
      ),
      line('team_message', {
        message_id: z.string(),
        team: z.string(),
        from: z.string(),
        to: z.string(),
        kind: z.enum(['message', 'idle']).describe('idle: the last text of a teammate that now waits for messages.'),
        text: z.string(),
        ...agent,
      }).describe(
        'A member of the team has received a message of another one. It is in the transcript of the receiver.',
      ),
      line('informational', { level: z.enum(['info', 'warning']), content: z.string() }).describe(
        'A message for the user.',
      ),
      line('session_state_changed', {
        state: z.enum(['idle', 'running']),
        sdk_host_only: z.literal(true),
      }).describe('For the Agent SDK, which asks for it with a variable: whether prompts are left.'),
      line('tool_event', {
        event: z.looseObject({ type: z.string() }),
        ...agent,
      }).describe('Every event of a call.'),
    ])
    .describe(
      'An event other than a message. permission_asked, message_discarded, model_changed, results_cleared, team_message and tool_event are written only with --include-events, hook_reported also with --include-hook-events.',
    )
}

function createUsageSchema() {
  return z.object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_input_tokens: z.number(),
    cache_creation_input_tokens: z.number(),
  })
}

function createAssistantLineSchema() {
  const { text, toolUse, thinking, redactedThinking } = createContentSchemas()
  return z
    .object({
      type: z.literal('assistant'),
      message: z.object({
        id: z.string().describe('The same for all lines of a message.'),
        type: z.literal('message'),
        role: z.literal('assistant'),
        model: z.string(),
        content: z
          .array(z.discriminatedUnion('type', [text, toolUse, thinking, redactedThinking]))
          .describe('One block.'),
        ...{ stop_reason: z.null(), stop_sequence: z.null() },
        usage: createUsageSchema().optional(),
      }),
      parent_tool_use_id: z.string().nullable(),
      timestamp: z.string(),
      ...createCommonFields(),
    })
    .describe('A complete block of a message of the model.')
}

function createUserLineSchema() {
  const { text, image, document, toolResult } = createContentSchemas()
  return z
    .object({
      type: z.literal('user'),
      message: z.object({
        role: z.literal('user'),
        content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image, document, toolResult]))]),
      }),
      parent_tool_use_id: z.string().nullable(),
      tool_use_result: z.unknown().optional().describe('What the tool returned, or the text of an error.'),
      isReplay: z.literal(true).optional().describe('Set for a prompt, with --replay-user-messages.'),
      timestamp: z.string(),
      ...createCommonFields(),
    })
    .describe('A tool result. Prompts are repeated only with --replay-user-messages.')
}

function createStreamEventLineSchema() {
  return z
    .object({
      type: z.literal('stream_event'),
      event: z.looseObject({
        type: z.enum([
          'message_start',
          'content_block_start',
          'content_block_delta',
          'content_block_stop',
          'message_delta',
          'message_stop',
        ]),
      }),
      parent_tool_use_id: z.string().nullable(),
      ...createCommonFields(),
    })
    .describe('With --include-partial-messages: a stream event in the format of the Anthropic Messages API.')
}

function createResultLineSchema() {
  return z
    .object({
      type: z.literal('result'),
      subtype: z.enum(RESULT_SUBTYPES),
      is_error: z.boolean(),
      result: z.string().describe('The answer, or a one-line error.'),
      end_reason: z.enum(END_REASONS),
      exit_code: z.number().describe('The exit code of the process if this is the last prompt.'),
      num_turns: z.number(),
      duration_ms: z.number(),
      duration_api_ms: z.number(),
      usage: createUsageSchema(),
      stop_reason: z.string().nullable().describe('Why the model ended its last message.'),
      total_cost_usd: z.number().describe('Cost of all prompts so far, without models whose prices are unknown.'),
      modelUsage: z
        .record(
          z.string(),
          z.object({
            inputTokens: z.number(),
            outputTokens: z.number(),
            cacheReadInputTokens: z.number(),
            cacheCreationInputTokens: z.number(),
            webSearchRequests: z.number(),
            costUSD: z.number(),
            contextWindow: z.number(),
            maxOutputTokens: z.number(),
            costBasis: z.enum(['list', 'unknown']).describe('unknown: the prices of the model are not known.'),
          }),
        )
        .describe('Tokens and cost of all prompts so far by model, including sub-agents and summaries.'),
      errors: z.array(z.string()).optional().describe('Why the prompt failed; left out for success.'),
      permission_denials: z.array(
        z.object({
          tool_name: z.string(),
          tool_use_id: z.string(),
          agent_id: z.string().optional().describe('The sub-agent, if one made the call.'),
          tool_input: z.unknown(),
          reason: z.string(),
          message: z.string().optional().describe('The message to the model, with the rule that would allow the call.'),
        }),
      ),
      structured_output: z.unknown().optional(),
      error: z.object({ kind: z.string(), message: z.string(), status: z.number().optional() }).optional(),
      ...createCommonFields(),
    })
    .describe('The result of a prompt; the last line of --output-format json and stream-json.')
}

function createControlRequestLineSchema() {
  return z
    .object({
      type: z.literal('control_request'),
      request_id: z.string(),
      request: z.discriminatedUnion('subtype', [
        z.object({
          subtype: z.literal('can_use_tool'),
          tool_name: z.string(),
          tool_use_id: z.string().optional().describe('Left out for questions of the model.'),
          agent_id: z.string().optional(),
          input: z.record(z.string(), z.unknown()),
          message: z.string().optional(),
          description: z.string().optional().describe('What the call does, in the words of its tool.'),
          is_destructive: z.boolean().optional().describe('Whether the call may delete data.'),
          requires_user_interaction: z.boolean().optional().describe('Whether only a person may answer.'),
          title: z.string().optional(),
          decision_reason: z.string().optional(),
          preview: z.string().optional(),
          permission_suggestions: z
            .array(z.looseObject({ type: z.string(), destination: z.string() }))
            .optional()
            .describe('Rules are { toolName, ruleContent? }.'),
        }),
        z.object({
          subtype: z.literal('hook_callback'),
          callback_id: z.string(),
          input: z.record(z.string(), z.unknown()).describe('The same input that a command hook gets.'),
          tool_use_id: z.string().optional(),
        }),
        z.object({
          subtype: z.literal('mcp_message'),
          server_name: z.string(),
          message: z.record(z.string(), z.unknown()).describe('A message for an MCP server of the program.'),
        }),
        z.object({
          subtype: z.literal('ask_user_question'),
          questions: z.array(
            z.object({
              question: z.string(),
              header: z.string(),
              options: z.array(z.object({ label: z.string(), description: z.string() })),
              multiSelect: z.boolean(),
            }),
          ),
        }),
        z.object({
          subtype: z.literal('elicitation'),
          mcp_server_name: z.string(),
          message: z.string(),
          mode: z.enum(['form', 'url']),
          requested_schema: z.record(z.string(), z.unknown()).optional(),
          url: z.string().optional(),
        }),
      ]),
      ...createCommonFields(),
    })
    .describe(
      'A question to the driving program, answered with a control_response: about a call (with --permission-prompt-tool stdio), or for its hooks and MCP servers.',
    )
}

function createControlCancelLineSchema() {
  return z
    .object({ type: z.literal('control_cancel_request'), request_id: z.string(), ...createCommonFields() })
    .describe('The permission question was withdrawn.')
}

function createControlResponseLineSchema() {
  return z
    .object({
      type: z.literal('control_response'),
      response: z.discriminatedUnion('subtype', [
        z.object({
          subtype: z.literal('success'),
          request_id: z.string(),
          response: z.record(z.string(), z.unknown()).optional(),
        }),
        z.object({ subtype: z.literal('error'), request_id: z.string(), error: z.string() }),
      ]),
      ...createCommonFields(),
    })
    .describe('The answer to a control_request.')
}

function createErrorLineSchema() {
  return z
    .object({ type: z.literal('error'), line: z.number(), message: z.string(), ...createCommonFields() })
    .describe('An invalid input line. It is skipped.')
}
