import type { ToolCallError } from '../../contract/errors.js'
import type { CallScope } from '../call-scope.js'
import type { AllowedCall } from '../call-states.js'
import { hookOptions, hooksFor } from './hooks-for.js'
import { hearFeedback } from './run-post-hooks.js'

/** Tells the PostToolUseFailure hooks of a call that failed; they can comment on it, and change nothing. */
export async function runFailureHooks(
  { tool, toolUse, input }: AllowedCall,
  scope: CallScope,
  { message }: ToolCallError,
): Promise<void> {
  const hooks = hooksFor('PostToolUseFailure', scope)
  if (hooks === undefined) return
  const observed = scope.observe(input)
  const fields = { tool_name: tool.name, tool_input: observed, tool_use_id: toolUse.id, error: message }
  hearFeedback(await hooks.run('PostToolUseFailure', fields, hookOptions(scope, observed)), scope)
}
