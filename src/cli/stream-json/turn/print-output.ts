import type { AgentInfo } from '../../../session/agents/agents-options.js'
import type { QueryEnd, SessionEvent } from '../../../session/conversation/session-event.js'
import type { SessionFacts } from '../../agent-session/agent-session.js'
import type { ResultBody } from '../schema/output-schema.js'

/** The output of a session in one format. A promise of a method resolves when the reader can accept more output. */
export interface PrintOutput {
  /** @param listCommands returns the names of the slash commands */
  begin(facts: SessionFacts, listCommands: () => Promise<readonly string[]>): Promise<void>
  handleEvent(event: SessionEvent): Promise<void> | void
  /** Handles an event of a sub-agent. Not awaited, because sub-agents run independently. */
  handleAgentEvent(event: SessionEvent, agent: AgentInfo): void
  /** Called when a prompt is finished. */
  end(result: ResultBody, end: QueryEnd): Promise<void>
}
