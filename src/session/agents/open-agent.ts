import { ToolCallError } from '../../contract/errors.js'
import type { Message } from '../../contract/messages.js'
import type { Model } from '../../contract/model/model.js'
import { isReadOnlyAgentKind } from '../../contract/ports/agents.js'
import type { ForkOptions } from '../../contract/runtime.js'
import { reasonOf } from '../../shared/reason-of.js'
import { Spending } from '../conversation/spending.js'
import type { AgentKind } from './agent-kind.js'
import { MAX_AGENT_DEPTH } from './agent-limits.js'
import type { AgentSetting } from './agent-setting.js'
import type { AgentsAround, AgentTask } from './agent-task.js'
import { forkMessages } from './fork-messages.js'
import type { OpenWorktree, WorktreeEnd } from './worktree.js'

/** An agent that is ready to begin. */
export interface OpenedAgent {
  readonly agentId: string
  readonly setting: AgentSetting
  readonly system: readonly string[]
  /** What its conversation begins with, the task included. */
  readonly messages: readonly Message[]
  readonly notes: readonly string[]
  /** Lets go of all that it had, and tells what stays. */
  close(): Promise<WorktreeEnd>
}

const NOTHING_LEFT: WorktreeEnd = { notes: [] }

const MANNERS =
  'You work for another agent, which sees only your last message: put into it all that it asked for, and what you could not do. You cannot ask it anything.'

export async function openAgent(
  task: AgentTask & { readonly agentId: string },
  around: AgentsAround,
  signal: AbortSignal,
): Promise<OpenedAgent> {
  const { request, agentId } = task
  const { model, notes } = await modelFor(task, around)
  const worktree = request.isolation === undefined ? undefined : await open(request.cwd, agentId, signal)
  try {
    return await prepare({ ...task, model, notes, worktree }, around)
  } catch (error) {
    await worktree?.close()
    throw error
  }
}

interface Prepared extends AgentTask {
  readonly agentId: string
  readonly model: Model
  readonly notes: readonly string[]
  readonly worktree: OpenWorktree | undefined
}

async function prepare(task: Prepared, { options, settings }: AgentsAround): Promise<OpenedAgent> {
  const { request, kind, parent, agentId, model, notes, worktree } = task
  const cwd = worktree?.cwd ?? request.cwd
  const runtime = parent.runtime.fork({ ...forkOptions(task, worktree), agentId, cwd })
  const isFork = kind.isFork === true
  const system = isFork ? parent.system : options.system({ cwd, model }, { custom: kind.prompt, append: MANNERS })
  const setting: AgentSetting = {
    ...{ runtime, model, system, kind },
    conversationId: isFork ? parent.conversationId : undefined,
    spending: new Spending(parent.spending),
    background: new Set(),
  }
  settings.add(setting)
  const before = runningShells(setting)
  const opening = isFork ? [] : ((await options.opening?.({ cwd })) ?? [])
  return {
    ...{ agentId, setting, system, notes },
    messages: isFork
      ? forkMessages(request.messages, request.prompt, worktree?.cwd)
      : [...opening, { type: 'user', content: request.prompt }],
    async close() {
      options.transcripts?.agentEnded(agentId)
      // What works on in the background goes through the tools of this agent.
      void Promise.allSettled(setting.background).then(() => runtime.dispose())
      if (setting.background.size === 0) await runtime.dispose()
      if (worktree === undefined) return NOTHING_LEFT
      const isInUse = setting.background.size > 0 || runningShells(setting).some((id) => !before.includes(id))
      return isInUse ? leave(worktree) : worktree.close()
    },
  }
}

function runningShells({ runtime }: AgentSetting): readonly string[] {
  return runtime.tasks.list().flatMap(({ id, kind, status }) => (kind === 'shell' && status === 'running' ? [id] : []))
}

/** A folder is not taken from under those who work in it. */
function leave({ isolation, branch }: OpenWorktree): WorktreeEnd {
  const kept = { path: isolation.path, branch }
  return { kept, notes: ['What it started in the background may still work there, so that its folder was kept.'] }
}

async function open(cwd: string, name: string, signal: AbortSignal): Promise<OpenWorktree> {
  const { openWorktree } = await import('./worktree.js')
  return openWorktree(cwd, name, { signal })
}

/** A kind gets no more than it may have; a fork has what its parent has, because its requests begin with the same tools. */
function forkOptions({ kind, parent, request }: AgentTask, worktree: OpenWorktree | undefined): ForkOptions {
  const isolated = worktree === undefined ? {} : { isolation: worktree.isolation }
  if (kind.isFork === true) return { ...isolated, agentName: kind.name, messages: request.messages }
  const { tools, disallowedTools = [], permissionMode } = kind
  const isDeepest = parent.runtime.depth + 1 >= MAX_AGENT_DEPTH
  const mode = isReadOnlyAgentKind(kind.name) ? 'plan' : permissionMode
  return {
    ...isolated,
    agentName: kind.name,
    disallowedTools,
    withoutRoles: isDeepest ? ['mainAgentOnly', 'startsAgents'] : ['mainAgentOnly'],
    ...(tools !== undefined && { tools }),
    ...(mode !== undefined && { permissionMode: mode, mayLoosenMode: kind.source === 'user' && mode !== 'plan' }),
  }
}

/** A model that a call names must be there; one that a kind names, perhaps for another provider, is replaced by the parent's. */
async function modelFor(
  { request, kind, parent }: AgentTask,
  { options }: AgentsAround,
): Promise<{ readonly model: Model; readonly notes: readonly string[] }> {
  const asked = request.model ?? kind.model ?? INHERIT
  if (kind.isFork === true || asked === INHERIT) return { model: parent.model, notes: [] }
  try {
    return { model: await options.openModel(asked), notes: [] }
  } catch (error) {
    const why = `The model ${asked} cannot be used: ${reasonOf(error)}`
    if (request.model !== undefined) throw new ToolCallError('tool_failed', `${why} Leave model out.`, { cause: error })
    return { model: parent.model, notes: [`${why} ${describe(kind)} used ${parent.model.id}.`] }
  }
}

const INHERIT = 'inherit'

function describe({ name }: AgentKind): string {
  return `The ${name} agent`
}
