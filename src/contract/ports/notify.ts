export interface Notification {
  readonly title: string
  readonly body: string
  readonly attachments?: readonly string[]
}

/** Tells the user something without asking. */
export interface NotifyPort {
  addNotification(notification: Notification): void
  push(notification: Notification): Promise<void>
}
