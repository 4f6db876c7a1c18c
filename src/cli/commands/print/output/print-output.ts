import type { AgentInfo } from '../../../../session/agents/agents-options.js'
import type { SessionEvent } from '../../../../session/conversation/session-event.js'
import type { ResultBody } from '../schema/output-schema.js'
import type { SessionFacts } from '../session/agent-session.js'

/** Where a session is told of, in the format that was asked for. Each resolves when the reader wants more. */
export interface PrintOutput {
  begin(facts: SessionFacts): Promise<void>
  event(event: SessionEvent): Promise<void> | void
  /** Sub-agents go their own way: nothing waits for what is told of them. */
  agentEvent(event: SessionEvent, agent: AgentInfo): void
  /** A prompt has ended; `text` is what the model said last. */
  end(result: ResultBody, text: string): Promise<void>
}
