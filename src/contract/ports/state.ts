import type { Notification } from './notify.js'

/** Values that last as long as the conversation, by keys such as `todo:list` and `plan`. */
export type AppState = Readonly<Record<string, unknown>>

/** Computes the next state from the current one. */
export type AppStateUpdate = (state: AppState) => AppState

/** Reads and updates the state of the conversation. */
export interface StatePort {
  getAppState(): AppState
  /** Updates the state. In a sub-agent, this does not affect the state of its parent. */
  setAppState(update: AppStateUpdate): void
  /** Always updates the root agent, so that background work can be registered and cleaned up at any depth. */
  setAppStateForTasks(update: AppStateUpdate): void
  /** Called when a call of the main agent starts or ends. */
  setInProgressToolUseIDs(update: (ids: ReadonlySet<string>) => ReadonlySet<string>): void
  /** Called when the first running call that a message of the user may interrupt starts, and when the last one ends. */
  setHasInterruptibleToolInProgress(value: boolean): void
  /** Shows the user a short notice beside the conversation, on this machine only. `PushNotification` reaches other channels. */
  addNotification(notification: Notification): void
}
