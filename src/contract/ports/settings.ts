import type { ToolPermissionContext } from '../permission-context.js'
import type { PermissionUpdate } from '../permission-result.js'

/** The settings in force, and the permission context made of them. */
export interface SettingsPort {
  readonly toolPermissionContext: ToolPermissionContext
  get(key: string): unknown
  set(key: string, value: unknown): Promise<void>
  applyPermissionUpdates(updates: readonly PermissionUpdate[]): Promise<void>
}
