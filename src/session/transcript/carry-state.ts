import type { ReadFileState } from '../../contract/ports/read-file-state.js'
import type { StatePort } from '../../contract/ports/state.js'
import type { AgentRuntime } from '../../contract/runtime.js'
import type { ResumedSession } from './resume-session.js'
import type { Transcript } from './transcript.js'

/** A runtime whose state can be seen: a `HaftRuntime` is one. */
export interface StatefulRuntime extends Pick<AgentRuntime, 'cwd' | 'permissions' | 'restore'> {
  readonly readFiles: ReadFileState | undefined
  readonly state: { readonly port: StatePort }
}

/** Has the transcript keep what the main agent knows of files, its todos and plan, its folder and its mode, and what else is given. */
export function trackRuntime(
  transcript: Transcript,
  runtime: StatefulRuntime,
  more: Readonly<Record<string, unknown>> = {},
): void {
  transcript.track({
    readFiles: runtime.readFiles,
    appState: () => runtime.state.port.getAppState(),
    facts: () => ({ cwd: runtime.cwd, mode: runtime.permissions.mode, ...more }),
  })
}

/** Gives a new runtime what the session had; its folder and its mode are for whoever makes the runtime to choose. */
export function restoreRuntime(
  runtime: StatefulRuntime,
  { messages, appState, readFiles }: Pick<ResumedSession, 'messages' | 'appState' | 'readFiles'>,
): void {
  runtime.restore(messages)
  runtime.state.port.setAppState((state) => ({ ...state, ...appState }))
  for (const [path, entry] of readFiles) runtime.readFiles?.set(path, entry)
}
