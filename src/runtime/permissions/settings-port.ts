import type { CallApproval } from '../../calls/call-environment.js'
import { ToolCallError } from '../../contract/errors.js'
import type { PermissionMode } from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import type { SettingsPort } from '../../contract/ports/settings.js'
import type { Agent } from '../agent.js'

/**
 * What a call may do with the permissions. Any call may restrict the conversation further. Only one that a person has
 * approved by itself may leave plan mode, and only for the mode before it: rules that allow come from the person's answer.
 */
export function settingsPort(agent: Agent, call: CallApproval): SettingsPort {
  const { permissions } = agent
  return {
    get toolPermissionContext() {
      return permissions.context
    },
    get modeBeforePlan() {
      return permissions.modeBeforePlan
    },
    get: () => undefined,
    async set(key) {
      throw new ToolCallError('unavailable', `The setting ${key} cannot be changed here. Work without it.`)
    },
    async applyPermissionUpdates(updates) {
      refuse(updates.map((update) => updateRefusal(update, agent, call)).find((reason) => reason !== undefined))
      const { refused } = await permissions.apply(updates)
      refuse(refused[0]?.reason)
    },
  }
}

function updateRefusal(update: PermissionUpdate, agent: Agent, call: CallApproval): string | undefined {
  if (update.destination !== 'session') return 'a call changes nothing beyond this conversation'
  if (update.type === 'setMode') return update.mode === 'plan' ? undefined : leaveRefusal(update.mode, agent, call)
  if (update.type === 'addRules' && update.behavior !== 'allow') return undefined
  return 'only a person can allow more'
}

function leaveRefusal(mode: PermissionMode, { permissions, parent }: Agent, call: CallApproval): string | undefined {
  if (permissions.mode !== 'plan' || mode !== permissions.modeBeforePlan) return 'only a person can choose a mode'
  if (parent !== undefined) return 'a sub-agent cannot leave plan mode'
  return call.isApprovedByUser && !call.isOver ? undefined : 'no person approved this call'
}

function refuse(reason: string | undefined): void {
  if (reason === undefined) return
  throw new ToolCallError('permission_denied', `The permissions were not changed: ${reason}.`)
}
