import { useEffect, useState } from 'preact/hooks'
import type { CallRow, MessageRow, RequestRow, SessionRows } from '../src/inspector/data/rows.js'
import type { SessionUpdate } from '../src/inspector/data/session-data.js'
import { exportedSession, sessionPath, watch } from './api.js'

/** The rows of the open session. `version` changes with every update. */
export interface SessionState {
  readonly rows: SessionRows | undefined
  readonly version: number
  readonly problem: string | undefined
}

const RETRY_MS = 1_000

/** Keeps the rows of a session up to date while the page is open. */
export function useSession(id: string | undefined): SessionState {
  const [state, setState] = useState<SessionState>({ rows: undefined, version: 0, problem: undefined })
  useEffect(() => {
    if (id === undefined) return undefined
    if (exportedSession !== undefined) {
      setState({ rows: exportedSession.rows, version: 1, problem: undefined })
      return undefined
    }
    const abort = new AbortController()
    setState({ rows: undefined, version: 0, problem: undefined })
    void follow(id, abort.signal, setState)
    return () => abort.abort()
  }, [id])
  return state
}

type SetState = (update: (state: SessionState) => SessionState) => void

async function follow(id: string, signal: AbortSignal, setState: SetState): Promise<void> {
  while (!signal.aborted) {
    try {
      await watch(sessionPath(id, 'events'), (name, data) => applyEvent(name, data, setState), signal)
    } catch (error) {
      if (signal.aborted) return
      const problem = error instanceof Error ? error.message : String(error)
      setState((state) => ({ ...state, problem }))
    }
    // The server has ended or was restarted.
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

function applyEvent(name: string, data: unknown, setState: SetState): void {
  setState((state) => {
    const version = state.version + 1
    if (name === 'rows') return { rows: data as SessionRows, version, problem: undefined }
    if (state.rows === undefined) return state
    return { rows: applyUpdate(state.rows, data as SessionUpdate), version, problem: undefined }
  })
}

/** Adds what the server sent. The lists are changed in place, because copying long lists for each event would be slow. */
function applyUpdate(rows: SessionRows, update: SessionUpdate): SessionRows {
  for (const [position, call] of update.calls) (rows.calls as CallRow[])[position] = call
  for (const [position, request] of update.requests) (rows.requests as RequestRow[])[position] = request
  for (const [position, message] of update.messages) (rows.messages as MessageRow[])[position] = message
  const { title, endedAt, agents, rewrites } = update
  return { ...rows, title, endedAt, agents, rewrites }
}
