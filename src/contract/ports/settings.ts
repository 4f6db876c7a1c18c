import type { PermissionMode, ToolPermissionContext } from '../permission/context.js'
import type { PermissionUpdate } from '../permission/result.js'

/** The effective settings, and the permission context built from them. */
export interface SettingsPort {
  readonly toolPermissionContext: ToolPermissionContext
  /** The mode to restore when plan mode ends; `default` if the conversation started in plan mode. */
  readonly modeBeforePlan: PermissionMode
  get(key: string): unknown
  set(key: string, value: unknown): Promise<void>
  /** Rejects, and changes nothing, if an update would allow more than the user approved for this call. */
  applyPermissionUpdates(updates: readonly PermissionUpdate[]): Promise<void>
}
