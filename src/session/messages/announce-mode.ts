import { MODE_ATTACHMENT } from '../../contract/attachments.js'
import type { AttachmentMessage, Message } from '../../contract/messages.js'
import { PERMISSION_MODES, type PermissionMode } from '../../contract/permission/context.js'
import { createIncrementalFold } from '../../shared/growing-list.js'
import { isRecord } from '../../shared/is-record.js'

const ATTACHMENT_KIND = MODE_ATTACHMENT

const PLAN_MODE_ON = `<system-reminder>
Plan mode is on: all changes are denied until the user has approved a plan. Investigate with tools that only read, ask the user to decide open questions with AskUserQuestion, then call ExitPlanMode with the plan (if it is not loaded, ToolSearch loads it with "select:ExitPlanMode").
</system-reminder>`

const PLAN_MODE_WITHOUT_APPROVAL = `<system-reminder>
Plan mode is on: all changes are denied, and no user can approve a plan. Investigate with tools that only read, then give the plan as your answer.
</system-reminder>`

const PLAN_MODE_OFF = `<system-reminder>
Plan mode is off: changes are allowed again, within your permissions.
</system-reminder>`

/**
 * Returns the announcement of the mode, or undefined if the conversation already has it. Only plan mode changes what the
 * model should do; in other modes, denied calls show the model its limits.
 */
export function announceMode(
  messages: readonly Message[],
  mode: PermissionMode,
  canSubmitPlan = true,
): AttachmentMessage | undefined {
  const isPlanAnnounced = findLastMode(messages).mode === 'plan'
  if (isPlanAnnounced === (mode === 'plan')) return undefined
  return { type: 'attachment', kind: ATTACHMENT_KIND, data: { mode, ...(!canSubmitPlan && { canSubmitPlan }) } }
}

/** Returns the text for the model if the message is an announcement of a mode. */
export function formatModeNotice(message: Message): string | undefined {
  const mode = readAnnouncedMode(message)
  const { canSubmitPlan, isTold } = readFields(message)
  if (mode === undefined || isTold === true) return undefined
  if (mode !== 'plan') return PLAN_MODE_OFF
  return canSubmitPlan === false ? PLAN_MODE_WITHOUT_APPROVAL : PLAN_MODE_ON
}

function readFields(message: Message): Readonly<Record<string, unknown>> {
  return message.type === 'attachment' && isRecord(message.data) ? message.data : {}
}

const findLastMode = createIncrementalFold<Message, { mode: PermissionMode | undefined }>(
  () => ({ mode: undefined }),
  (state, message) => {
    state.mode = readAnnouncedMode(message) ?? state.mode
  },
)

/** Returns the mode that a message announces. Unknown modes are skipped, because a transcript may come from any version. */
function readAnnouncedMode(message: Message): PermissionMode | undefined {
  if (message.type !== 'attachment' || message.kind !== ATTACHMENT_KIND || !isRecord(message.data)) return undefined
  const { mode } = message.data
  return PERMISSION_MODES.find((candidate) => candidate === mode)
}
