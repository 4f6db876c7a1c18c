/** A message for the user. */
export interface Notification {
  readonly title: string
  readonly body: string
  readonly attachments?: readonly string[]
}

/** Notifies the user: `addNotification` in the terminal, `push` outside it. */
export interface NotifyPort {
  addNotification(notification: Notification): void
  push(notification: Notification): Promise<void>
}
