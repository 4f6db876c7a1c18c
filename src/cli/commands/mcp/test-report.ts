import { printable } from '../../../shared/printable.js'
import type { ProbeReport } from './probe-server.js'

/** A tool that is not what was approved. */
export interface ChangedTool {
  readonly name: string
  readonly change: string
}

const MAX_NAMED = 20
const LOG_LINES = 20

export function reportText(
  name: string,
  { serverName, serverVersion, protocolVersion, capabilities, tools, refused, log }: ProbeReport,
  changed: readonly ChangedTool[],
  isAccepted: boolean,
): string {
  const rows: (readonly [string, string])[] = [
    ['server', `${serverName} ${serverVersion}`.trim() || 'without a name'],
    ['protocol', protocolVersion],
    ['offers', capabilities.join(', ') || 'nothing'],
    ['tools', String(tools.length)],
    ...some(refused).map(({ name: tool, reason }) => ['refused', `${tool}: ${reason}`] as const),
    ...some(changed).flatMap(({ name: tool, change }) =>
      change.split('\n').map((line) => ['changed', `${tool}: ${line}`] as const),
    ),
  ]
  const advice = changed.length === 0 ? '' : `  ${acceptance(name, isAccepted)}\n`
  const lines = rows.map(([key, value]) => `  ${key.padEnd(10)}${printable(value)}\n`)
  return `${name} is connected.\n${lines.join('')}${advice}${logText(log)}`
}

/** One line that says it all, and the server's own last words. */
export function failureText(name: string, reason: string, log: string): string {
  const line = reason.replace(/\s*\n\s*/g, ' ').trim() || 'it did not say why'
  return `haft: ${name} could not be reached: ${printable(line.replace(/\.+$/, ''))}.\n${logText(log)}`
}

function acceptance(name: string, isAccepted: boolean): string {
  return isAccepted ? 'These changes are approved now.' : `haft mcp test ${name} --accept approves these changes.`
}

function logText(log: string): string {
  const lines = log.split('\n').filter((line) => line.trim() !== '')
  return lines
    .slice(-LOG_LINES)
    .map((line) => `  log       ${printable(line.trimEnd())}\n`)
    .join('')
}

function some<T>(all: readonly T[]): readonly T[] {
  return all.slice(0, MAX_NAMED)
}
