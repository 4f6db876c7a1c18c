import type { LoggingLevel } from '@modelcontextprotocol/server'

export interface ClientNotification {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

const LOG_LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** Whether a log message passes the minimum level. Without a minimum, all messages pass. */
export function isLevelEnabled(level: unknown, minimumLevel: LoggingLevel | undefined): boolean {
  return minimumLevel === undefined || LOG_LEVELS.indexOf(level as LoggingLevel) >= LOG_LEVELS.indexOf(minimumLevel)
}

export function toLogNotification(params: Readonly<Record<string, unknown>>): ClientNotification {
  return { method: 'notifications/message', params }
}
