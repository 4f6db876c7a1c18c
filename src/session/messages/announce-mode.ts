import type { AttachmentMessage, Message } from '../../contract/messages.js'
import { PERMISSION_MODES, type PermissionMode } from '../../contract/permission/context.js'
import { isRecord } from '../../shared/is-record.js'

const KIND = 'mode'

const PLANNING = `<system-reminder>
Plan mode is on: whatever changes something is refused until the user has approved a plan. Look around with what only reads, ask with AskUserQuestion what the user has to decide, then call ExitPlanMode with the plan (if it is not loaded, ToolSearch loads it with "select:ExitPlanMode"). Where nobody can approve it, give the plan as your answer.
</system-reminder>`

const OVER = `<system-reminder>
Plan mode is over: changes are allowed again, as far as permissions go.
</system-reminder>`

/**
 * What the model has to be told of the mode, given the conversation so far; nothing where it knows already.
 * Only plan mode changes what it should do: what the others refuse, it learns by the refusal.
 */
export function announceMode(messages: readonly Message[], mode: PermissionMode): AttachmentMessage | undefined {
  const last = messages.findLast((message) => toldMode(message) !== undefined)
  const isTold = last !== undefined && toldMode(last) === 'plan'
  if (isTold === (mode === 'plan')) return undefined
  return { type: 'attachment', kind: KIND, data: { mode } }
}

/** What an attachment tells the model of the mode, if that is what it is for. */
export function modeText(message: Message): string | undefined {
  const mode = toldMode(message)
  if (mode === undefined) return undefined
  return mode === 'plan' ? PLANNING : OVER
}

/** A transcript may be of any age: what names no mode tells none. */
function toldMode(message: Message): PermissionMode | undefined {
  if (message.type !== 'attachment' || message.kind !== KIND || !isRecord(message.data)) return undefined
  const { mode } = message.data
  return PERMISSION_MODES.find((each) => each === mode)
}
