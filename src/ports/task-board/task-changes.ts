import { ToolCallError } from '../../contract/errors.js'
import type { BoardTask, BoardTaskUpdate, TaskChange, TaskOwner } from '../../contract/ports/task-board.js'
import { isOpen, listOpenBlockers } from '../../contract/ports/task-board.js'
import { quote } from '../../shared/quote.js'

/** Older changes are dropped, so that a task that changes often stays small. */
const MAX_HISTORY = 30

/** The agent that makes a change, and the time. */
export interface ChangeOrigin {
  readonly agent: TaskOwner
  readonly now: number
}

/** Returns the tasks after an update of one of them. Throws a `ToolCallError` if the update is not possible. */
export function applyUpdate(
  tasks: readonly BoardTask[],
  id: string,
  update: BoardTaskUpdate,
  origin: ChangeOrigin,
): readonly BoardTask[] {
  const task = requireTask(tasks, id)
  if (task.status === 'deleted') throw refuse(`Task ${id} was deleted. Create a new task instead.`)
  const owner = determineOwner(task, update, origin.agent)
  const { owner: _, ...ownerlessTask } = task
  const { subject = task.subject, description = task.description, activeForm = task.activeForm } = update
  const changedTask: BoardTask = {
    ...ownerlessTask,
    ...{ subject, description, status: update.status ?? task.status },
    ...(activeForm !== undefined && { activeForm }),
    ...(owner !== undefined && { owner }),
  }
  const changedTasks = addDependencies(
    tasks.map((other) => (other.id === id ? changedTask : other)),
    id,
    update,
  )
  checkBlockers(changedTasks, id, update)
  const text = describeUpdate(task, requireTask(changedTasks, id), update)
  return text === ''
    ? changedTasks
    : changedTasks.map((other) => (other.id === id ? addToHistory(other, text, origin) : other))
}

/** Adds a change to the history of a task. */
export function addToHistory(task: BoardTask, text: string, { agent, now }: ChangeOrigin): BoardTask {
  const change: TaskChange = { at: now, by: agent.name, text }
  return { ...task, history: [...task.history, change].slice(-MAX_HISTORY) }
}

function requireTask(tasks: readonly BoardTask[], id: string): BoardTask {
  const task = tasks.find((other) => other.id === id)
  if (task === undefined) throw createUnknownTaskError(id, tasks)
  return task
}

function createUnknownTaskError(id: string, tasks: readonly BoardTask[]): ToolCallError {
  const ids = tasks.filter(isOpen).map((task) => task.id)
  const openTasksText = ids.length === 0 ? 'The board has no open tasks.' : `Open tasks: ${ids.join(', ')}.`
  return refuse(`There is no task ${quote(id)} on the board. ${openTasksText}`)
}

/**
 * Returns the owner after the update. Starting a task without an owner claims it for the agent. A task of another agent can
 * only be released, so that of two agents that claim the same task only the first one gets it.
 */
function determineOwner(task: BoardTask, update: BoardTaskUpdate, agent: TaskOwner): TaskOwner | undefined {
  const { owner } = task
  if (update.owner === '') return update.status === 'in_progress' ? agent : undefined
  if (update.owner !== undefined) {
    const newOwner = { name: update.owner, session: agent.session }
    if (owner !== undefined && !isSameOwner(owner, newOwner))
      throw refuse(`${describeOwner(task, agent)} Choose another task, or release it first with owner "".`)
    return newOwner
  }
  const isWorkedOn = update.status === 'in_progress' || update.status === 'completed'
  if (isWorkedOn && owner !== undefined && owner.session !== agent.session)
    throw refuse(`${describeOwner(task, agent)} Release it first with owner "" if that session has ended.`)
  return owner ?? (update.status === 'in_progress' ? agent : undefined)
}

function isSameOwner(a: TaskOwner | undefined, b: TaskOwner | undefined): boolean {
  return a?.name === b?.name && a?.session === b?.session
}

function describeOwner({ id, owner }: BoardTask, agent: TaskOwner): string {
  const place = owner?.session === agent.session ? '' : ' in another session'
  return `Task ${id} belongs to ${quote(owner?.name ?? '')}${place}.`
}

function addDependencies(
  tasks: readonly BoardTask[],
  id: string,
  { addBlocks = [], addBlockedBy = [] }: BoardTaskUpdate,
): readonly BoardTask[] {
  const edges = [
    ...addBlockedBy.map((blocker) => ({ blocker, blocked: id })),
    ...addBlocks.map((blocked) => ({ blocker: id, blocked })),
  ]
  const blockers = new Map(tasks.map((task) => [task.id, new Set(task.blockedBy)]))
  for (const { blocker, blocked } of edges) {
    for (const end of [blocker, blocked])
      if (requireTask(tasks, end).status === 'deleted')
        throw refuse(`Task ${end} was deleted; it cannot block or be blocked.`)
    const path = findPath(blockers, blocker, blocked)
    if (path !== undefined)
      throw refuse(
        `Task ${blocked} cannot wait for task ${blocker}, because that would be a cycle: ${[...path, blocked].join(' → ')}.`,
      )
    blockers.get(blocked)?.add(blocker)
  }
  return edges.length === 0 ? tasks : tasks.map((task) => ({ ...task, blockedBy: [...(blockers.get(task.id) ?? [])] }))
}

/**
 * Returns the chain of tasks because of which `from` waits for `to`, from `to` back to `from`; undefined if it does not wait.
 */
function findPath(
  blockers: ReadonlyMap<string, ReadonlySet<string>>,
  from: string,
  to: string,
): readonly string[] | undefined {
  const reachedFrom = new Map<string, string | undefined>([[from, undefined]])
  for (const id of reachedFrom.keys()) {
    if (id === to) return followPath(reachedFrom, to)
    for (const next of blockers.get(id) ?? []) if (!reachedFrom.has(next)) reachedFrom.set(next, id)
  }
  return undefined
}

function followPath(reachedFrom: ReadonlyMap<string, string | undefined>, end: string): readonly string[] {
  const path = [end]
  for (let id = reachedFrom.get(end); id !== undefined; id = reachedFrom.get(id)) path.push(id)
  return path
}

function checkBlockers(tasks: readonly BoardTask[], id: string, { status }: BoardTaskUpdate): void {
  if (status !== 'in_progress' && status !== 'completed') return
  const blockers = listOpenBlockers(requireTask(tasks, id), tasks)
  if (blockers.length > 0)
    throw refuse(
      `Task ${id} waits for ${blockers.map((blocker) => `task ${blocker}`).join(', ')}. Complete these first.`,
    )
}

function describeUpdate(taskBefore: BoardTask, taskAfter: BoardTask, { addBlocks = [] }: BoardTaskUpdate): string {
  const newBlockers = taskAfter.blockedBy.filter((id) => !taskBefore.blockedBy.includes(id))
  return [
    ...(taskBefore.status === taskAfter.status ? [] : [`status: ${taskAfter.status}`]),
    ...(isSameOwner(taskBefore.owner, taskAfter.owner) ? [] : [`owner: ${taskAfter.owner?.name ?? 'none'}`]),
    ...(taskBefore.subject === taskAfter.subject ? [] : ['subject changed']),
    ...(taskBefore.description === taskAfter.description ? [] : ['description changed']),
    ...(newBlockers.length === 0 ? [] : [`waits for: ${newBlockers.join(', ')}`]),
    ...(addBlocks.length === 0 ? [] : [`blocks: ${addBlocks.join(', ')}`]),
  ].join('; ')
}

export function refuse(message: string): ToolCallError {
  return new ToolCallError('tool_failed', message)
}
