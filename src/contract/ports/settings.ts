import type { PermissionMode, ToolPermissionContext } from '../permission/context.js'
import type { PermissionUpdate } from '../permission/result.js'

/** The settings in force, and the permission context made of them. */
export interface SettingsPort {
  readonly toolPermissionContext: ToolPermissionContext
  /** What plan mode was entered from, and is left to; `default` where the conversation began with it. */
  readonly modeBeforePlan: PermissionMode
  get(key: string): unknown
  set(key: string, value: unknown): Promise<void>
  /** Rejects, and changes nothing, where an update would allow more than a person approved in this very call. */
  applyPermissionUpdates(updates: readonly PermissionUpdate[]): Promise<void>
}
