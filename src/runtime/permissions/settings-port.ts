import type { CallApproval } from '../../calls/call-environment.js'
import { ToolCallError } from '../../contract/errors.js'
import type { PermissionMode } from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import type { ConfigPort, SettingsPort } from '../../contract/ports/settings.js'
import { overridePort } from '../../shared/override-port.js'
import type { Agent } from '../agent.js'

/**
 * Lets a call change permissions. Any call may restrict the conversation further. Only a call that the user approved may
 * leave plan mode, and only for the mode before it. Allow rules come only from the answer of the user.
 */
export function createSettingsPort(agent: Agent, call: CallApproval): SettingsPort {
  const { permissions } = agent
  return {
    get toolPermissionContext() {
      return permissions.context
    },
    get modeBeforePlan() {
      return permissions.modeBeforePlan
    },
    async applyPermissionUpdates(updates) {
      throwIfRefused(
        updates.map((update) => findUpdateRefusal(update, agent, call)).find((reason) => reason !== undefined),
      )
      const { refused } = await permissions.apply(updates)
      throwIfRefused(refused[0]?.reason)
    },
  }
}

/** Lets a call read settings, and change them if the user approved the call. */
export function createConfigPort(settings: ConfigPort, call: CallApproval): ConfigPort {
  return overridePort(settings, {
    async change(name, value) {
      if (call.isApprovedByUser && !call.isOver) return settings.change(name, value)
      throw new ToolCallError('permission_denied', 'The setting was not changed: the user did not approve this call.')
    },
  })
}

function findUpdateRefusal(update: PermissionUpdate, agent: Agent, call: CallApproval): string | undefined {
  if (update.destination !== 'session') return 'a call can change only the current conversation'
  if (update.type === 'setMode')
    return update.mode === 'plan' ? undefined : findLeavePlanRefusal(update.mode, agent, call)
  if (update.type === 'addRules' && update.behavior !== 'allow') return undefined
  return 'only the user can allow more'
}

function findLeavePlanRefusal(
  mode: PermissionMode,
  { permissions, parent }: Agent,
  call: CallApproval,
): string | undefined {
  if (permissions.mode !== 'plan' || mode !== permissions.modeBeforePlan) return 'only the user can choose a mode'
  if (parent !== undefined) return 'a sub-agent cannot leave plan mode'
  return call.isApprovedByUser && !call.isOver ? undefined : 'the user did not approve this call'
}

function throwIfRefused(reason: string | undefined): void {
  if (reason === undefined) return
  throw new ToolCallError('permission_denied', `The permissions were not changed: ${reason}.`)
}
