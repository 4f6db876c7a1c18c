import { ToolCallError } from '../../contract/errors.js'
import type { AgentOutcome, StartedAgent } from '../../contract/ports/agents.js'
import { findTeammateNameProblem, MAX_TEAM_MESSAGE_CHARS, type TeamInbox } from '../../contract/ports/teams.js'
import { cutText } from '../../shared/cut-text.js'
import { quote } from '../../shared/quote.js'
import { receiveMail } from '../conversation/receive-mail.js'
import type { QueryEnd } from '../conversation/session-event.js'
import { AgentLoop } from './agent-loop.js'
import type { AgentsContext, AgentTask } from './agent-setting.js'
import { type OpenedAgent, openAgent } from './open-agent.js'
import { describeEnd } from './run-agent.js'
import { addBackgroundAgent, BackgroundAgent, checkBackgroundLimit } from './start-agent.js'

/** Starts an agent that is a member of the team: when it has finished, it waits for messages and continues. */
export async function startTeammate(task: AgentTask, name: string, context: AgentsContext): Promise<StartedAgent> {
  const { parent, request, kind } = task
  const { teams } = parent.runtime
  if (teams === undefined) throw refuse('There are no teams here. Call Agent without name.')
  if (parent.runtime.depth > 0) throw refuse('Only the main agent can start teammates. Call Agent without name.')
  if (kind.isFork === true) throw refuse('A fork cannot be a teammate. Choose another subagent_type.')
  const problem = findTeammateNameProblem(name)
  if (problem !== undefined) throw refuse(`${quote(name)} cannot be the name of a teammate. ${problem}`)
  checkBackgroundLimit(parent)
  const agentId = context.settings.takeAgentId(name)
  const inbox = await teams.addTeammate({ name, agentId, kind: kind.name, description: request.description })
  const agent = new BackgroundAgent(`${name}: ${request.description}`)
  inbox.ended.addEventListener('abort', () => void agent.stop(), { once: true })
  agent.begin(runTeammate({ ...task, inbox }, agentId, agent, context))
  return { taskId: addBackgroundAgent(agent, parent), agentId, team: inbox.team }
}

async function runTeammate(
  task: AgentTask & { readonly inbox: TeamInbox },
  agentId: string,
  background: BackgroundAgent,
  context: AgentsContext,
): Promise<AgentOutcome> {
  const { inbox } = task
  const startedAt = performance.now()
  const { signal } = background
  try {
    const agent = await openAgent({ ...task, agentId }, context, signal)
    try {
      const onProgress = background.onProgress.bind(background)
      const loop = new AgentLoop(agent, task, context, { signal, agentId, onProgress })
      await loop.begin()
      await takeTurns(loop, task, background)
    } finally {
      await agent.close()
    }
    return createOutcome(agent, inbox, Math.round(performance.now() - startedAt))
  } finally {
    // Without effect if the session ends: then the teammate stays a member.
    await inbox.leave()
  }
}

/** Works, waits for messages, and works again, until the teammate is stopped. */
async function takeTurns(
  loop: AgentLoop,
  { inbox, parent }: AgentTask & { readonly inbox: TeamInbox },
  background: BackgroundAgent,
): Promise<void> {
  const { signal } = background
  const addPendingInput = async () => ({ hasMore: await receiveMail(inbox, loop) })
  while (!signal.aborted) {
    // A teammate that waits for messages leaves its place to others.
    const end = await parent.runtime.limitBackgroundAgents(() => loop.run('TeammateIdle', addPendingInput))
    if (signal.aborted) return
    await inbox.reportIdle(formatReport(end))
    // Nothing can be spent on the messages that wait.
    if (end.reason === 'max_budget') return
    background.idleCheck = () => !inbox.hasMail
    await inbox.waitForMail(signal)
    background.idleCheck = undefined
    if (!signal.aborted) await inbox.setStatus('working')
  }
}

/** The text that the lead gets when a teammate has finished, shortened if it is too long for a message. */
function formatReport(end: QueryEnd): string {
  const problem = describeEnd(end)
  const text = end.text.trim() === '' ? '(no text)' : end.text
  const report = problem === undefined ? text : `[It did not finish: ${problem}]\n${text}`
  if (report.length <= MAX_TEAM_MESSAGE_CHARS) return report
  const note = `\n[${report.length} characters; the rest was left out. Ask for what you need.]`
  return `${cutText(report, MAX_TEAM_MESSAGE_CHARS - note.length)}${note}`
}

function createOutcome({ setting, agentId }: OpenedAgent, { name }: TeamInbox, durationMs: number): AgentOutcome {
  const { tokens, toolUses, costUsd } = setting.spending
  return {
    ...{ agentId, text: `The teammate ${name} has ended.`, tokens, toolUses, durationMs },
    ...(costUsd !== undefined && { costUsd }),
  }
}

function refuse(message: string): ToolCallError {
  return new ToolCallError('tool_failed', message)
}
