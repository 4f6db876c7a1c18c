import type { ToolDefinition, ToolResultBlock } from '../../contract/messages.js'
import type { JsonSchema } from '../../contract/schema.js'
import { isPlaceholder } from '../../tool-search/request/request-tools.js'
import type { HaftRuntime } from '../haft-runtime.js'
import { createStepCalls } from './step-calls.js'
import { type AiModelOutput, toModelOutput, toPlainText } from './to-model-output.js'

/** A tool in the format of the AI SDK. */
export interface AiTool {
  description: string
  inputSchema: AiSchema
  execute(
    input: unknown,
    options: { toolCallId: string; messages: readonly unknown[]; abortSignal?: AbortSignal },
  ): Promise<ToolResultBlock>
  toModelOutput(options: { output: ToolResultBlock }): AiModelOutput
}

/** A Standard Schema that accepts everything, because the runtime validates and repairs inputs itself. */
export interface AiSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: unknown }
  }
}

/**
 * Converts the pool to tools of the AI SDK. Every call goes through the runtime, and the calls of a step are scheduled
 * together. Convert again before each request if the pool can change. A failed call throws, so that the SDK emits a `tool-error`.
 */
export async function toAiTools(
  runtime: Pick<HaftRuntime, 'definitions' | 'open' | 'results'>,
): Promise<Record<string, AiTool>> {
  const call = createStepCalls(runtime)
  // The SDK cannot mark definitions as deferred, so the model would see placeholders as ordinary tools.
  const definitions = (await runtime.definitions()).filter((definition) => !isPlaceholder(definition))
  return Object.fromEntries(definitions.map((definition) => [definition.name, toAiTool(definition, call)]))
}

/** Tools for a loop of the AI SDK in which tools appear and disappear, and the function that keeps them current. */
export interface LiveAiTools {
  /** Pass it as `tools`. The object stays the same. */
  readonly tools: Record<string, AiTool>
  /** Pass it as `prepareStep`: updates `tools` before each request, for example after ToolSearch has loaded a tool. */
  prepareStep(): Promise<Record<string, never>>
}

/**
 * Like `toAiTools`, for deferred tools and MCP servers: a tool that the model has found with ToolSearch, or whose server has
 * connected, can be called from the next step on.
 */
export async function createLiveAiTools(
  runtime: Pick<HaftRuntime, 'definitions' | 'open' | 'results'>,
): Promise<LiveAiTools> {
  const tools = await toAiTools(runtime)
  return {
    tools,
    async prepareStep() {
      const current = await toAiTools(runtime)
      for (const name of Object.keys(tools)) if (!Object.hasOwn(current, name)) delete tools[name]
      // Tools that stay are kept, so that the calls of a step remain together.
      for (const [name, tool] of Object.entries(current)) if (!Object.hasOwn(tools, name)) tools[name] = tool
      return {}
    },
  }
}

function toAiTool(
  { name, description, input_schema }: ToolDefinition,
  call: ReturnType<typeof createStepCalls>,
): AiTool {
  return {
    description,
    inputSchema: toAiSchema(input_schema),
    async execute(input, options) {
      const result = await call({ type: 'tool_use', id: options.toolCallId, name, input }, options)
      if (result.is_error === true) throw new Error(toPlainText(result.content))
      return result
    },
    toModelOutput: ({ output }) => toModelOutput(output),
  }
}

/** Marks a schema as one of the SDK's own, which it sends unchanged. It would add `additionalProperties: false` to a Standard Schema. */
const AI_SCHEMA = Symbol.for('vercel.ai.schema')

function toAiSchema(jsonSchema: JsonSchema): AiSchema {
  const sdkSchema = { [AI_SCHEMA]: true, jsonSchema, validate: (value: unknown) => ({ success: true, value }) }
  return { ...sdkSchema, '~standard': { version: 1, vendor: 'haft', validate: (value) => ({ value }) } }
}
