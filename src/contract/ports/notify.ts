/** A message for the user. */
export interface Notification {
  readonly title: string
  readonly body: string
}

/** Where a notification can be shown. */
export type NotificationChannel = 'terminal' | 'desktop' | 'webhook'

/** Whether a notification reached one channel. */
export interface NotificationDelivery {
  readonly channel: NotificationChannel
  /** Why it did not arrive; undefined if it did. */
  readonly problem?: string
}

/** How the user can be notified. */
export interface NotifyOptions {
  /** Whether to show notifications on the desktop of this machine. */
  readonly desktop?: boolean | undefined
  /** Gets every notification as a POST request with JSON. With a secret, requests are signed. */
  readonly webhook?: { readonly url: string; readonly secret?: string | undefined } | undefined
  /** Shows a notification in the terminal of this process. */
  readonly showInTerminal?: ((notification: Notification) => void) | undefined
}

/** Notifies the user, who may be away from the screen. */
export interface NotifyPort {
  /** Sends a notification to every available channel, and reports the delivery to each of them. */
  push(notification: Notification, options: { readonly signal: AbortSignal }): Promise<readonly NotificationDelivery[]>
}
