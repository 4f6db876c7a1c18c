import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { EventLog } from '../../../inspector/data/event-log.js'
import type { CallRow } from '../../../inspector/data/rows.js'
import { SessionData } from '../../../inspector/data/session-data.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { openInput } from '../../io/open-input.js'
import { type InputLine, readLines } from '../../io/read-lines.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { findNamedSession } from '../inspect/find-named-session.js'
import { drawTimeline } from './draw-timeline.js'

const WIDTH_WITHOUT_TERMINAL = 100
/** Further malformed lines are only counted in the warning. */
const MAX_LISTED_LINES = 5

/** Draws the timeline of a `haft run --events` log or of a session. */
export async function runReplay(io: CommandIo): Promise<number> {
  const { positionals } = parseOptions(io.args, {})
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0)
    throw new UsageError('expected one file or session: haft replay FILE|SESSION.')
  const host = await io.host()
  const isFile = name === '-' || name.includes('/') || existsSync(resolve(host.cwd, name))
  const { calls, malformedLines } = isFile ? await readLog(name, host) : await readSession(name, io, host)
  if (malformedLines.length > 0) warn(io, `${name}: skipped malformed lines: ${describeLines(malformedLines)}.`)
  await host.write(drawTimeline(calls, io.columns ?? WIDTH_WITHOUT_TERMINAL))
  return malformedLines.length > 0 ? EXIT.failed : EXIT.done
}

interface ReplayedCalls {
  readonly calls: readonly CallRow[]
  readonly malformedLines: readonly string[]
}

async function readLog(file: string, host: CommandHost): Promise<ReplayedCalls> {
  const log = new EventLog()
  const malformedLines: string[] = []
  for await (const line of readLines(await openInput(file, host))) {
    const problem = addLine(line, log)
    if (problem !== undefined) malformedLines.push(`line ${line.number} ${problem}`)
  }
  return { calls: log.calls, malformedLines }
}

/** Reads the calls of a session. Those of one answer are drawn together, like those of one message of a log. */
async function readSession(name: string, io: CommandIo, host: CommandHost): Promise<ReplayedCalls> {
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home: host.homeDir })
  const data = new SessionData(findNamedSession(name, { home: io.homeDir, projectRoot }))
  await data.refresh()
  const calls = data.rows.calls.map((call) => ({ ...call, message: (call.request ?? 0) + 1 }))
  return { calls, malformedLines: [] }
}

function addLine(line: InputLine, log: EventLog): string | undefined {
  if ('problem' in line) return line.problem
  if (line.text.trim() === '') return undefined
  try {
    return log.add(JSON.parse(line.text))
  } catch {
    return 'is not JSON'
  }
}

function describeLines(malformedLines: readonly string[]): string {
  const unlistedCount = malformedLines.length - MAX_LISTED_LINES
  return `${malformedLines.slice(0, MAX_LISTED_LINES).join('; ')}${unlistedCount > 0 ? `; and ${unlistedCount} more` : ''}`
}
