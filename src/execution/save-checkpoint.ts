import { ToolCallError } from '../contract/errors.js'
import type { CheckpointsPort } from '../contract/ports/checkpoints.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import type { AllowedCall } from './call-states.js'

/** Keeps what the call will overwrite, between permission and call, so that it can be undone. */
export function saveCheckpoint(
  { tool, toolUse, input }: AllowedCall,
  checkpoints: CheckpointsPort | undefined,
): MaybePromise<void> {
  if (checkpoints === undefined || tool.resources === undefined) return
  const { writes = [], unknown = false } = tool.resources(input)
  if (writes.length === 0 && !unknown) return
  return save(checkpoints, toolUse.id, writes, unknown)
}

async function save(
  checkpoints: CheckpointsPort,
  toolUseId: string,
  writes: readonly string[],
  unknown: boolean,
): Promise<void> {
  try {
    await checkpoints.save(toolUseId, writes, { unknown })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ToolCallError(
      'tool_failed',
      `Nothing was changed, because what would be overwritten could not be kept: ${reason}`,
      { cause },
    )
  }
}
