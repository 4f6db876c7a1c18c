import { ToolCallError } from '../../contract/errors.js'
import type { AgentOutcome, AgentProgress } from '../../contract/ports/agents.js'
import type { TaskEnd, TaskWork } from '../../contract/ports/tasks.js'
import { counted } from '../../shared/counted.js'
import { reasonOf } from '../../shared/reason-of.js'
import { MAX_BACKGROUND_AGENTS } from './agent-limits.js'
import type { AgentSetting } from './agent-setting.js'
import type { AgentsAround, AgentTask } from './agent-task.js'
import { newAgentId, runAgent } from './run-agent.js'

const MAX_SUMMARY_CHARS = 4_000

/** Lets an agent work by itself, as a task that can be read and stopped; it waits for its place among the others. */
export function startAgent(
  task: AgentTask,
  around: AgentsAround,
): { readonly taskId: string; readonly agentId: string } {
  const { parent, request, kind } = task
  refuseOneTooMany(parent)
  const agentId = newAgentId(kind)
  const work = new BackgroundAgent(request.description)
  const { signal } = work
  let hasBegun = false
  const running = parent.runtime.limitBackgroundAgents(() => {
    signal.throwIfAborted()
    hasBegun = true
    return runAgent(task, around, { signal, agentId, onProgress: (progress) => work.onProgress(progress) })
  })
  // One that is stopped while it waits has ended: its place may be long in coming.
  const calledOff = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => (hasBegun ? undefined : reject(signal.reason)), { once: true })
  })
  work.begin(Promise.race([running, calledOff]))
  parent.background.add(work.ended)
  void work.ended.then(() => parent.background.delete(work.ended))
  return { taskId: parent.runtime.tasks.add(work).id, agentId }
}

/** Each holds a conversation, or waits to: without a limit a model that goes astray takes all the memory there is. */
function refuseOneTooMany({ runtime }: AgentSetting): void {
  const others = runtime.tasks.list().filter(({ kind, status }) => kind === 'agent' && status === 'running')
  if (others.length < MAX_BACKGROUND_AGENTS) return
  const message = `There are ${others.length} agents in the background already. Wait until some have ended, or do the work yourself.`
  throw new ToolCallError('tool_failed', message)
}

class BackgroundAgent implements TaskWork {
  readonly kind = 'agent'
  readonly description: string
  readonly #stop = new AbortController()
  #ended: Promise<TaskEnd> = Promise.resolve({ status: 'stopped', exitCode: null })
  #unread = 'It waits for its turn.'
  #receivedBytes = 0

  constructor(description: string) {
    this.description = description
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get ended(): Promise<TaskEnd> {
    return this.#ended
  }

  begin(running: Promise<AgentOutcome>): void {
    this.#ended = running.then(
      (outcome) => this.#end('completed', endText(outcome)),
      (error) => this.#end(this.signal.aborted ? 'stopped' : 'failed', reasonOf(error)),
    )
  }

  onProgress({ toolName, toolUses, tokens }: AgentProgress): void {
    const now = toolName === undefined ? '' : `, the last one of ${toolName}`
    this.#unread = `It has made ${counted(toolUses, 'call')}${now}, and used ${counted(tokens, 'token')}.`
  }

  takeOutput() {
    const text = this.#unread
    this.#unread = ''
    this.#receivedBytes += Buffer.byteLength(text)
    return { text, receivedBytes: this.#receivedBytes }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  #end(status: TaskEnd['status'], text: string): TaskEnd {
    this.#unread = text
    const summary = text.length <= MAX_SUMMARY_CHARS ? text : `${text.slice(0, MAX_SUMMARY_CHARS)}…`
    return { status, exitCode: null, summary }
  }
}

function endText({ text, cutShort, worktree, notes = [] }: AgentOutcome): string {
  return [
    ...(cutShort === undefined ? [] : [`[It did not finish: ${cutShort}]`]),
    text.trim() === '' ? 'It said nothing at the end.' : text,
    ...(worktree === undefined ? [] : [`[It left changes in ${worktree.path}, on the branch ${worktree.branch}.]`]),
    ...notes.map((note) => `[${note}]`),
  ].join('\n')
}
