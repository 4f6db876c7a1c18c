import { quote } from '../shared/quote.js'

/** Every code a failed call can carry, and what it means. `docs/errors.md` is generated from this list. */
export const TOOL_CALL_ERRORS = {
  unknown_tool: 'No tool of this name or alias is in the pool. The message names the closest ones.',
  tool_not_loaded: 'The tool is deferred and its schema was never sent. Load it with ToolSearch, then call again.',
  input_invalid: 'The input does not fit the schema. One line for each issue.',
  input_refused: "The tool's own check of the input failed.",
  hook_blocked: 'A hook stopped the call. The message is what the hook said.',
  hook_input_invalid: 'A hook changed the input into one that does not fit the schema.',
  permission_denied: 'A rule, a mode, a safety check or a person denied the call.',
  permission_needed:
    'The call needs an answer by a person, and nobody can be asked. The message names the rule that would allow it.',
  cancelled: 'The user or an earlier failure cancelled the call before it ended.',
  timed_out: 'The call took longer than its time limit.',
  abandoned: 'The call ignored its abort signal and was left behind after the grace period.',
  tool_failed: 'The tool ran and failed. The message is its own.',
  output_invalid: 'The output, or what a hook made of it, does not fit the output schema.',
  result_lost: 'The result could not be serialised or stored.',
  unavailable: 'A port that the tool needs is not supplied by this host.',
} as const

export type ToolCallErrorCode = keyof typeof TOOL_CALL_ERRORS

/** A failure the model is told about and can act on; `message` is what it reads. */
export class ToolCallError extends Error {
  override readonly name = 'ToolCallError'

  constructor(
    readonly code: ToolCallErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Every way in which a definition can be wrong. */
export const TOOL_DEFINITION_ERRORS = {
  name_invalid: 'A tool name or alias does not fit `^[a-zA-Z0-9_-]{1,64}$`.',
  name_taken: 'Two tools of one list have the same name or alias.',
  member_missing: 'A member that every tool must have is missing.',
  member_invalid: 'A member is of the wrong kind.',
  schema_not_object: 'The input schema does not describe an object.',
  schema_not_convertible: 'The schema cannot be turned into JSON Schema.',
} as const

export type ToolDefinitionErrorCode = keyof typeof TOOL_DEFINITION_ERRORS

/** A mistake of the tool's author, found when the tool is built or registered. */
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

/** Also true of an error from another copy of this package: a plugin may have brought its own. */
export function isToolDefinitionError(error: unknown): error is ToolDefinitionError {
  return error instanceof Error && error.name === 'ToolDefinitionError' && 'member' in error
}
