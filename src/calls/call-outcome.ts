import type { ToolCallError } from '../contract/errors.js'
import type { ToolResultBlock } from '../contract/messages.js'
import type { Tool, ToolResult } from '../contract/tool/tool.js'
import type { SecretMasker } from '../shared/secret-masker.js'

/** The result of a call: the one block for the model, and its effects on later calls and the conversation. */
export interface CallOutcome {
  readonly block: ToolResultBlock
  readonly tool?: Tool | undefined
  readonly error?: ToolCallError
  /** The data that `block` was made from, for views. */
  readonly output?: unknown
  readonly mcpMeta?: ToolResult<unknown>['mcpMeta']
  readonly newMessages?: ToolResult<unknown>['newMessages']
  readonly contextModifier?: ToolResult<unknown>['contextModifier']
  /** To be called when `block` was sent to the model unchanged. */
  readonly onShown?: ToolResult<unknown>['onShown']
}

/**
 * Masks the secrets in an outcome. Every outcome passes here before the model, the transcript, a result file or a listener gets
 * it.
 */
export function maskOutcome(outcome: CallOutcome, secrets: SecretMasker | undefined): CallOutcome {
  if (secrets === undefined) return outcome
  const { block, newMessages, output, mcpMeta } = outcome
  return {
    ...outcome,
    ...(output !== undefined && { output: secrets.maskData(output) }),
    ...(mcpMeta !== undefined && { mcpMeta: secrets.maskData(mcpMeta) }),
    block: { ...block, content: secrets.maskData(block.content) },
    ...(newMessages !== undefined && { newMessages: secrets.maskData(newMessages) }),
  }
}

/** Returns the outcome without the result, which may be large. */
export function withoutResult({ block, newMessages, contextModifier, tool }: CallOutcome): CallOutcome {
  return { block: { ...block, content: '' }, tool, newMessages, contextModifier }
}
