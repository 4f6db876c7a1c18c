import { isAbsolute, posix, win32 } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { CheckpointsPort, SaveCheckpointOptions } from '../../contract/ports/checkpoints.js'
import { isPathResource, statedResources } from '../../contract/resources.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import { isCallReadOnly } from '../../contract/tool/traits.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { CallScope } from '../call-scope.js'
import { type AllowedCall, enter, type SavedCall } from '../call-states.js'

/** Keeps what the call will overwrite, between permission and call, so that it can be undone. */
export function saveCheckpoint(call: AllowedCall, scope: CallScope): MaybePromise<SavedCall> {
  const { checkpoints } = scope.host.ports
  if (checkpoints === undefined) return enter<SavedCall>(call)
  const { writes, unknown } = writesOf(call)
  if (writes.length === 0 && !unknown) return enter<SavedCall>(call)
  const paths = writes.map((written) => absolute(written, scope.around.cwd))
  scope.hasCheckpoint = true
  return save(call, checkpoints, paths, { unknown, title: titleOf(call) })
}

interface Writes {
  readonly writes: readonly string[]
  /** More may be written than is listed. */
  readonly unknown: boolean
}

/** What a call that is not known to only read does not list, it may still write. */
function writesOf({ tool, input }: AllowedCall): Writes {
  if (tool.doesOnlyNestedCalls === true && !isMcpTool(tool)) return { writes: [], unknown: false }
  const mayWrite = !isCallReadOnly(tool, input)
  try {
    const stated = statedResources(tool, input)
    if (stated !== undefined) {
      // Things are kept by their owner; a checkpoint holds files.
      const writes = (stated.writes ?? []).filter(isPathResource).map(({ path }) => path)
      return { writes, unknown: stated.unknown === true && mayWrite }
    }
    const path = mayWrite ? tool.getPath?.(input) : undefined
    return { writes: typeof path === 'string' ? [path] : [], unknown: mayWrite }
  } catch {
    return { writes: [], unknown: true }
  }
}

const MAX_TITLE_CHARS = 200

function titleOf({ tool, input }: AllowedCall): string {
  try {
    const summary = tool.getToolUseSummary?.(input)
    return clip(typeof summary === 'string' ? `${tool.name} ${summary}` : tool.name)
  } catch {
    // The name alone says enough.
    return tool.name
  }
}

function clip(text: string): string {
  return text.length > MAX_TITLE_CHARS ? `${text.slice(0, MAX_TITLE_CHARS)}…` : text
}

/** The port does not know where the call is made from. A trailing slash says that a folder is meant. */
function absolute(written: string, cwd: string): string {
  if (isAbsolute(written)) return written
  const { resolve } = cwd.includes('\\') ? win32 : posix
  return /[\\/]$/.test(written) ? `${resolve(cwd, written)}/` : resolve(cwd, written)
}

async function save(
  call: AllowedCall,
  checkpoints: CheckpointsPort,
  writes: readonly string[],
  options: SaveCheckpointOptions,
): Promise<SavedCall> {
  try {
    await checkpoints.save(call.toolUse.id, writes, options)
    return enter<SavedCall>(call)
  } catch (cause) {
    const message = `Nothing was changed, because what would be overwritten could not be kept: ${reasonOf(cause)}`
    throw new ToolCallError('tool_failed', message, { cause })
  }
}
