/** Values that live as long as the conversation, by key: `todo:list`, `plan`. */
export type AppState = Readonly<Record<string, unknown>>

export type AppStateUpdate = (state: AppState) => AppState

export interface StatePort {
  getAppState(): AppState
  /** In a sub-agent this reaches nothing of its parent. */
  setAppState(update: AppStateUpdate): void
  /** Always reaches the root, so that background work can be registered and cleaned up from any depth. */
  setAppStateForTasks(update: AppStateUpdate): void
  setInProgressToolUseIDs(update: (ids: ReadonlySet<string>) => ReadonlySet<string>): void
  setHasInterruptibleToolInProgress(value: boolean): void
}
