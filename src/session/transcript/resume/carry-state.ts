import type { ReadFileState } from '../../../contract/ports/read-file-state.js'
import type { StatePort } from '../../../contract/ports/state.js'
import type { AgentRuntime } from '../../../contract/runtime.js'
import { findToolByName } from '../../../contract/tool/identity.js'
import type { Transcript } from '../write/transcript.js'
import type { ResumedSession } from './resume-session.js'

/** A runtime with readable state. `HaftRuntime` implements it. */
export interface StatefulRuntime extends Pick<AgentRuntime, 'cwd' | 'permissions' | 'pool' | 'restore'> {
  readonly readFiles: ReadFileState | undefined
  readonly state: { readonly port: StatePort }
  /** The git worktree that the session works in. */
  readonly worktree?: { readonly name: string } | undefined
}

/**
 * Makes the transcript save the main agent's read-file state, todos, plan, working folder, worktree and mode, the values in
 * `extraFacts`, and the views of results.
 */
export function trackRuntime(
  transcript: Transcript,
  runtime: StatefulRuntime,
  extraFacts: Readonly<Record<string, unknown>> = {},
): void {
  transcript.findTool = (name) => findToolByName(runtime.pool, name)
  transcript.track({
    readFiles: runtime.readFiles,
    appState: () => runtime.state.port.getAppState(),
    facts: () => ({
      cwd: runtime.cwd,
      mode: runtime.permissions.mode,
      worktree: runtime.worktree?.name,
      ...extraFacts,
    }),
  })
}

/** Restores the state of a session in a new runtime. The creator of the runtime sets its working folder, worktree and mode. */
export function restoreRuntime(
  runtime: StatefulRuntime,
  { messages, appState, readFiles }: Pick<ResumedSession, 'messages' | 'appState' | 'readFiles'>,
): void {
  runtime.restore(messages)
  runtime.state.port.setAppState((state) => ({ ...state, ...appState }))
  for (const [path, entry] of readFiles) runtime.readFiles?.set(path, entry)
}
