import type { ListedSession } from '../../session/transcript/read/list-sessions.js'
import { SessionPaths } from '../../session/transcript/storage/session-paths.js'
import type { CallDetail } from './call-details.js'
import { SessionData } from './session-data.js'

/** A call of past sessions, counted once for each tool and input. */
export interface PastCall {
  readonly tool: string
  readonly input: unknown
  count: number
}

/** More different calls are not collected, because each is judged twice. */
const MAX_PAST_CALLS = 2_000
/** Longer sessions are skipped: reading them would take longer than a person waits. */
const MAX_SESSIONS = 200

/** Collects the different calls of sessions, newest session first. */
export async function collectCalls(
  sessions: readonly ListedSession[],
  signal: AbortSignal,
): Promise<readonly PastCall[]> {
  const calls = new Map<string, PastCall>()
  for (const { path } of sessions.slice(0, MAX_SESSIONS)) {
    if (signal.aborted || calls.size >= MAX_PAST_CALLS) break
    const data = new SessionData(SessionPaths.fromFile(path))
    // A session that cannot be read has no calls to judge.
    await data.refresh().catch(() => undefined)
    for (const position of data.rows.calls.keys()) countCall(calls, data.readCall(position))
  }
  return [...calls.values()]
}

function countCall(calls: Map<string, PastCall>, detail: CallDetail | undefined): void {
  if (detail === undefined || detail.input === undefined) return
  const { row, input } = detail
  const key = `${row.tool}\n${JSON.stringify(input)}`
  const call = calls.get(key)
  if (call !== undefined) call.count++
  else if (calls.size < MAX_PAST_CALLS) calls.set(key, { tool: row.tool, input, count: 1 })
}
