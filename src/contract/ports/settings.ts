import type { PermissionMode, ToolPermissionContext } from '../permission/context.js'
import type { PermissionUpdate } from '../permission/result.js'

/** The permission context that is built from the settings. */
export interface SettingsPort {
  readonly toolPermissionContext: ToolPermissionContext
  /** The mode to restore when plan mode ends; `default` if the conversation started in plan mode. */
  readonly modeBeforePlan: PermissionMode
  /** Rejects, and changes nothing, if an update would allow more than the user approved for this call. */
  applyPermissionUpdates(updates: readonly PermissionUpdate[]): Promise<void>
}

/** A setting that Config and `/config` can change. */
export interface ChangeableSetting {
  readonly name: string
  /** For people, as `/config` shows it. */
  readonly label: string
  /** The value that applies if nothing sets one. Omitted if it depends on the machine. */
  readonly defaultValue?: string | number | boolean
  /** Whether a terminal applies a change at once. Otherwise it takes effect at the next start. */
  readonly appliesAtOnce?: true
}

/**
 * All settings that Config and `/config` can change. Nothing may be listed that decides what runs without a question, which
 * programs and servers start, what they can reach or read, what is kept, or how much may be spent. `smallModel` is missing
 * because it can be the classifier of auto mode.
 */
export const CHANGEABLE_SETTINGS = [
  { name: 'theme', label: 'Colours', appliesAtOnce: true },
  { name: 'editorMode', label: 'Editor keys', defaultValue: 'normal', appliesAtOnce: true },
  { name: 'notifications', label: 'Notify me when Haft is waiting or done', defaultValue: true, appliesAtOnce: true },
  { name: 'autoCompact', label: 'Summarise long conversations', defaultValue: true },
  { name: 'screenReader', label: 'Flat output for screen readers', defaultValue: false },
  { name: 'idleNotificationMs', label: 'Idle milliseconds before Haft notifies you', defaultValue: 60_000 },
  { name: 'model', label: 'Model' },
  { name: 'fallbackModel', label: 'Model when the main model is overloaded' },
  { name: 'thinking', label: 'Thinking before the answer' },
] as const satisfies readonly ChangeableSetting[]

/** The name of a setting that can be changed. */
export type ChangeableSettingName = (typeof CHANGEABLE_SETTINGS)[number]['name']

/** A setting, its current value and where the value comes from. */
export interface SettingValue {
  readonly name: string
  readonly description: string
  /** The value that applies, without anything that may be a secret; undefined if nothing sets it. */
  readonly value: unknown
  /** The files or options that set it. Highest precedence first; a single value comes from the first one. */
  readonly sources: readonly string[]
  readonly isChangeable: boolean
}

/** A change of a setting of the user. */
export interface SettingChange {
  readonly name: string
  /** The value that applies before the change; undefined for the default. */
  readonly before: unknown
  /** The value to save; undefined to remove the user's own value. */
  readonly newValue: unknown
  /** The file that the change is saved in. */
  readonly file: string
  readonly appliesAtOnce: boolean
  /** A source with higher precedence that sets the same setting, so that the change has no effect here. */
  readonly overriddenBy?: string
}

/** A setting does not exist or cannot be changed to a value. The message says what is possible. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** Reads all settings, and changes those of `CHANGEABLE_SETTINGS`. Rejects with a `SettingError`. */
export interface ConfigPort {
  read(name: string): Promise<SettingValue>
  /** Returns what a change would do, and changes nothing. The value `null` removes the user's own value. */
  preview(name: string, value: unknown): Promise<SettingChange>
  /** Called by a tool, rejects unless the user approved the call. */
  change(name: string, value: unknown): Promise<SettingChange>
}
