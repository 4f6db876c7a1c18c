import type { UserMessage } from '../../../contract/messages.js'
import type { PermissionMode } from '../../../contract/permission/context.js'
import type { AgentInfo } from '../../../session/agents/agents-options.js'
import type { SubmitOptions } from '../../../session/session.js'
import type { QueryEnd, SessionEvent } from '../../../session/session-event.js'
import type { SessionFacts } from './print-output.js'

export type Prompt = UserMessage['content']

/** A conversation that is ready for prompts, one after the other. */
export interface AgentSession {
  readonly id: string
  readonly facts: SessionFacts
  submit(prompt: Prompt, options: SubmitOptions): AsyncGenerator<SessionEvent, QueryEnd>
  /** From the next prompt on; the model of the start where none is named. Fails with one line where there is none such. */
  setModel(name: string | undefined): Promise<void>
  /** Tells why not, where the mode is refused. */
  setMode(mode: PermissionMode): Promise<string | undefined>
  /** Plan mode is on, and nobody is there to approve a plan. */
  readonly plansAlone: boolean
  /** The answer in the form that was asked for; undefined where none was. */
  readonly structured: { readonly value: unknown } | 'missing' | undefined
  /** Names of tools that only hand over the answer. */
  readonly answerTools: ReadonlySet<string>
  /** Of all prompts so far, sub-agents included; undefined where a price is not known. */
  readonly costUsd: number | undefined
  /** Told of every mode that is entered. */
  onMode: ((mode: PermissionMode) => void) | undefined
  /** Told of what sub-agents do. */
  onAgentEvent: ((event: SessionEvent, agent: AgentInfo) => void) | undefined
  dispose(): Promise<void>
}
