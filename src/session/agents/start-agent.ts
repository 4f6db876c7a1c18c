import { ToolCallError } from '../../contract/errors.js'
import type { AgentOutcome, AgentProgress, StartedAgent } from '../../contract/ports/agents.js'
import type { TaskEnd, TaskWork } from '../../contract/ports/tasks.js'
import { formatCounted } from '../../shared/counted.js'
import { cutText } from '../../shared/cut-text.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { AgentSetting, AgentsContext, AgentTask } from './agent-setting.js'
import { createAgentId, runAgent } from './run-agent.js'

/** Maximum number of running and waiting background agents of a session. */
const MAX_BACKGROUND_AGENTS = 100
const MAX_SUMMARY_CHARS = 4_000

/** Starts an agent in the background, as a task that can be read and stopped. It waits while too many others are running. */
export function startAgent(task: AgentTask, context: AgentsContext): StartedAgent {
  const { parent, request, kind } = task
  checkBackgroundLimit(parent)
  const agentId = createAgentId(kind)
  const backgroundAgent = new BackgroundAgent(request.description)
  const { signal } = backgroundAgent
  let hasBegun = false
  const outcome = parent.runtime.limitBackgroundAgents(() => {
    signal.throwIfAborted()
    hasBegun = true
    return runAgent(task, context, { signal, agentId, onProgress: (progress) => backgroundAgent.onProgress(progress) })
  })
  // An agent that is stopped while it waits ends at once.
  const cancelledWhileWaiting = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => (hasBegun ? undefined : reject(signal.reason)), { once: true })
  })
  backgroundAgent.begin(Promise.race([outcome, cancelledWhileWaiting]))
  return { taskId: addBackgroundAgent(backgroundAgent, parent), agentId }
}

/** Registers the agent as a task, and keeps the runtime of its parent until it has ended. Returns the id of the task. */
export function addBackgroundAgent(agent: BackgroundAgent, { background, runtime }: AgentSetting): string {
  background.add(agent.ended)
  void agent.ended.then(() => background.delete(agent.ended))
  return runtime.tasks.add(agent).id
}

/** Limits the number of agents that a model can start, because each keeps a conversation in memory. */
export function checkBackgroundLimit({ runtime }: AgentSetting): void {
  const runningAgents = runtime.tasks.list().filter(({ kind, status }) => kind === 'agent' && status === 'running')
  if (runningAgents.length < MAX_BACKGROUND_AGENTS) return
  const message = `${runningAgents.length} agents are running in the background already. Wait until some have ended, or do the work yourself.`
  throw new ToolCallError('tool_failed', message)
}

/** An agent in the background, as a task. */
export class BackgroundAgent implements TaskWork {
  readonly kind = 'agent'
  readonly description: string
  readonly #controller = new AbortController()
  #ended: Promise<TaskEnd> = Promise.resolve({ status: 'stopped', exitCode: null })
  #unreadText = 'The agent is waiting for another background agent to end.'
  #lastText = this.#unreadText
  #receivedBytes = 0

  constructor(description: string) {
    this.description = description
  }

  /** Called when the agent is idle, to see whether it still is. Undefined while it works. */
  idleCheck: (() => boolean) | undefined

  get isIdle(): boolean {
    return this.idleCheck?.() === true
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get ended(): Promise<TaskEnd> {
    return this.#ended
  }

  begin(outcome: Promise<AgentOutcome>): void {
    this.#ended = outcome.then(
      (outcome) => this.#end('completed', formatOutcome(outcome)),
      (error) => this.#end(this.signal.aborted ? 'stopped' : 'failed', reasonOf(error)),
    )
  }

  onProgress({ toolName, toolUses, tokens }: AgentProgress): void {
    const lastTool = toolName === undefined ? '' : `, most recently of ${toolName}`
    this.#setText(
      `The agent has made ${formatCounted(toolUses, 'call')}${lastTool}, and used ${formatCounted(tokens, 'token')}.`,
    )
  }

  #setText(text: string): void {
    this.#unreadText = text
    this.#lastText = text
  }

  takeOutput() {
    const text = this.#unreadText
    this.#unreadText = ''
    this.#receivedBytes += Buffer.byteLength(text)
    return { text, receivedBytes: this.#receivedBytes }
  }

  peek(): string {
    return this.#lastText
  }

  async stop(): Promise<void> {
    this.#controller.abort()
    await this.#ended
  }

  #end(status: TaskEnd['status'], text: string): TaskEnd {
    this.#setText(text)
    const summary = text.length <= MAX_SUMMARY_CHARS ? text : `${cutText(text, MAX_SUMMARY_CHARS)}…`
    return { status, exitCode: null, summary }
  }
}

function formatOutcome({ text, cutShort, worktree, notes = [] }: AgentOutcome): string {
  return [
    ...(cutShort === undefined ? [] : [`[The agent did not finish: ${cutShort}]`]),
    text.trim() === '' ? 'The agent ended without a message.' : text,
    ...(worktree === undefined ? [] : [`[It left changes in ${worktree.path}, on the branch ${worktree.branch}.]`]),
    ...notes.map((note) => `[${note}]`),
  ].join('\n')
}
