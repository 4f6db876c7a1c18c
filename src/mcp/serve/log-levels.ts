import type { LoggingLevel } from '@modelcontextprotocol/server'

const LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** Whether a message of this level is wanted by who asked for another; who asked for none gets all. */
export function isLoudEnough(level: unknown, wanted: LoggingLevel | undefined): boolean {
  return wanted === undefined || LEVELS.indexOf(level as LoggingLevel) >= LEVELS.indexOf(wanted)
}
