import { quote } from '../shared/quote.js'

/** Every error code of a failed call with its meaning. `docs/errors.md` is generated from this list. */
export const TOOL_CALL_ERRORS = {
  unknown_tool: 'The pool has no tool with this name or alias. The message suggests similar names.',
  tool_not_loaded: 'The tool is deferred and its schema was not sent. Load it with ToolSearch, then call it again.',
  input_invalid: 'The input does not match the schema. The message has one line per issue.',
  input_refused: 'The tool rejected the input in `validateInput`.',
  hook_blocked: 'A hook blocked the call. The message comes from the hook.',
  hook_input_invalid: 'A hook changed the input so that it no longer matches the schema.',
  permission_denied: 'A rule, the permission mode, a safety check or the user denied the call.',
  permission_needed:
    'The call needs approval, and there is no user to ask. The message names the rule that would allow it.',
  cancelled: 'The user or the failure of an earlier call cancelled this call.',
  timed_out: 'The call exceeded its time limit.',
  abandoned: 'The call ignored its abort signal and was abandoned after the grace period.',
  tool_failed: 'The tool ran and failed. The message comes from the tool.',
  output_invalid: 'The output, possibly changed by a hook, does not match the output schema.',
  result_lost: 'The result could not be serialised or stored.',
  unavailable: 'This host does not supply a port that the tool needs.',
} as const

/** Why a call failed. Programs read the code; the model reads the message. */
export type ToolCallErrorCode = keyof typeof TOOL_CALL_ERRORS

export interface ToolCallErrorOptions extends ErrorOptions {
  readonly toolErrorCode?: number | undefined
  readonly outputSoFar?: string | undefined
}

/** A failure that is reported to the model as the result of the call. `message` is the text that the model reads. */
export class ToolCallError extends Error {
  override readonly name = 'ToolCallError'

  constructor(
    readonly code: ToolCallErrorCode,
    message: string,
    options?: ToolCallErrorOptions,
  ) {
    super(message, options)
    if (options?.toolErrorCode !== undefined) this.toolErrorCode = options.toolErrorCode
    if (options?.outputSoFar !== undefined) this.outputSoFar = options.outputSoFar
  }

  /** The tool's own number for why its `validateInput` refused the input. */
  declare readonly toolErrorCode?: number
  /** What a tool had found or printed when its call was cancelled. It is added to the message for the model. */
  declare readonly outputSoFar?: string
}

/** Every error code of an invalid tool definition with its meaning. */
export const TOOL_DEFINITION_ERRORS = {
  name_invalid: 'A tool name or alias does not match `^[a-zA-Z0-9_-]{1,64}$`.',
  name_taken: 'Two tools in one list have the same name or alias.',
  member_missing: 'A required member is missing.',
  member_invalid: 'A member has the wrong type or value.',
  schema_not_object: 'The input schema does not describe an object.',
  schema_not_convertible: 'The schema cannot be converted to JSON Schema.',
} as const

/** What is wrong with a tool definition. */
export type ToolDefinitionErrorCode = keyof typeof TOOL_DEFINITION_ERRORS

/** An invalid tool definition, found when the tool is built or registered. */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError'

  constructor(
    readonly code: ToolDefinitionErrorCode,
    readonly toolName: string,
    readonly member: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`Tool ${quote(toolName)}: ${member} ${problem}`, options)
  }
}

/**
 * Whether an error is a `ToolDefinitionError`, also one from another copy of this package, such as one that a plugin bundles.
 */
export function isToolDefinitionError(error: unknown): error is ToolDefinitionError {
  return error instanceof Error && error.name === 'ToolDefinitionError' && 'member' in error
}
