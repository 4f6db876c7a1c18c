import { isAbsolute, posix, win32 } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { CheckpointsPort, SaveCheckpointOptions } from '../../contract/ports/checkpoints.js'
import { getStatedResources, isPathResource } from '../../contract/resources.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import { isCallReadOnly } from '../../contract/tool/traits.js'
import { cutText } from '../../shared/cut-text.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Call, KnownCall } from '../call.js'
import type { AllowedCall } from './require-permission.js'

declare const savedBrand: unique symbol

/** A call whose checkpoint has been saved, if it needs one. */
export interface SavedCall extends KnownCall {
  readonly [savedBrand]: true
}

/** Saves what the call will overwrite, so that it can be undone. */
export function saveCheckpoint(allowedCall: AllowedCall): MaybePromise<SavedCall> {
  const { call, tool, input } = allowedCall
  const { checkpoints } = call.environment.ports()
  const savedCall = { call, tool, input } as SavedCall
  if (checkpoints === undefined) return savedCall
  const { writes, unknown } = getWrites(allowedCall)
  if (writes.length === 0 && !unknown) return savedCall
  const paths = writes.map((path) => toAbsolute(path, call.cwd))
  call.hasCheckpoint = true
  const { judgedPaths } = call
  return saveFiles(savedCall, checkpoints, paths, {
    ...{ unknown, title: createTitle(allowedCall) },
    ...(judgedPaths !== undefined && { judgedPaths }),
  })
}

/** Records the state that the call left, including changes by its hooks. */
export async function settleCheckpoint({ environment, toolUse, backgroundWork }: Call): Promise<void> {
  try {
    const settlePromise = environment.ports().checkpoints?.settle(toolUse.id, backgroundWork)
    // Background work is recorded when it ends; the result does not wait for it.
    if (backgroundWork === undefined) await settlePromise
    else settlePromise?.catch(() => {})
  } catch {
    // The earlier state is saved. A rewind compares it with the files and refuses if in doubt.
  }
}

interface Writes {
  readonly writes: readonly string[]
  /** Whether more may be written than is listed. */
  readonly unknown: boolean
}

/**
 * Returns what a call writes. If the tool has no `resources`, a call that is not read-only may write more than the path it
 * names.
 */
function getWrites({ call: { command }, tool, input }: AllowedCall): Writes {
  if (tool.makesOnlyNestedCalls === true && !isMcpTool(tool)) return { writes: [], unknown: false }
  const mayWrite = !isCallReadOnly(tool, input, command)
  try {
    const resources = getStatedResources(tool, input, command)
    if (resources !== undefined) {
      // A checkpoint contains only files. Any other resource is saved by its tool.
      const writes = (resources.writes ?? []).filter(isPathResource).map(({ path }) => path)
      return { writes, unknown: resources.unknown === true && mayWrite }
    }
    const path = mayWrite ? tool.getPath?.(input) : undefined
    return { writes: typeof path === 'string' ? [path] : [], unknown: mayWrite }
  } catch {
    return { writes: [], unknown: true }
  }
}

const MAX_TITLE_CHARS = 200

function createTitle({ tool, input }: AllowedCall): string {
  try {
    const summary = tool.getToolUseSummary?.(input)
    return truncate(typeof summary === 'string' ? `${tool.name} ${summary}` : tool.name)
  } catch {
    // A summary that fails must not prevent the checkpoint.
    return tool.name
  }
}

function truncate(text: string): string {
  return text.length > MAX_TITLE_CHARS ? `${cutText(text, MAX_TITLE_CHARS)}…` : text
}

/**
 * Makes a path absolute, because the port does not receive the call's working directory. A trailing slash, which marks a
 * folder, is kept.
 */
function toAbsolute(path: string, cwd: string): string {
  if (isAbsolute(path)) return path
  const { resolve } = cwd.includes('\\') ? win32 : posix
  return /[\\/]$/.test(path) ? `${resolve(cwd, path)}/` : resolve(cwd, path)
}

async function saveFiles(
  savedCall: SavedCall,
  checkpoints: CheckpointsPort,
  writes: readonly string[],
  options: SaveCheckpointOptions,
): Promise<SavedCall> {
  try {
    await checkpoints.save(savedCall.call.toolUse.id, writes, options)
    return savedCall
  } catch (cause) {
    const message = `Nothing was changed, because the current state could not be saved for undo: ${reasonOf(cause)}`
    throw new ToolCallError('tool_failed', message, { cause })
  }
}
