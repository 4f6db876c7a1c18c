/** The state of a task on the board. A deleted task is no longer listed. */
export type BoardTaskStatus = 'pending' | 'in_progress' | 'completed' | 'deleted'

/** The agent that works on a task. Agents of different sessions may have the same name. */
export interface TaskOwner {
  readonly name: string
  readonly session: string
}

/** One change of a task, for people who want to know what happened. */
export interface TaskChange {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The name of the agent that made the change. */
  readonly by: string
  /** For example `status: in_progress`. */
  readonly text: string
}

/** A task on the board of a project. */
export interface BoardTask {
  /** A number, as text. Numbers are not used again. */
  readonly id: string
  readonly subject: string
  readonly description: string
  /** The ongoing action, shown while the task is in progress: "Running the tests". */
  readonly activeForm?: string
  readonly status: BoardTaskStatus
  readonly owner?: TaskOwner
  /** Tasks that must be completed before this one can start. */
  readonly blockedBy: readonly string[]
  /** The latest changes, oldest first. */
  readonly history: readonly TaskChange[]
}

/** The content of a new task. */
export type NewBoardTask = Pick<BoardTask, 'subject' | 'description' | 'activeForm'>

/** The changes of a task. Fields that are left out stay as they are. */
export interface BoardTaskUpdate extends Partial<NewBoardTask> {
  readonly status?: BoardTaskStatus
  /** The name of the new owner. Empty to release the task. Fails if another agent owns it. */
  readonly owner?: string
  /** Tasks that can start only after this one. */
  readonly addBlocks?: readonly string[]
  /** Tasks that must be completed before this one. */
  readonly addBlockedBy?: readonly string[]
}

/**
 * The tasks of a project, shared by all agents and processes that work on it. Every change is made under a lock and is
 * complete or not made at all. A change that is not possible fails with a `ToolCallError` that says why.
 */
export interface TaskBoardPort {
  /** Returns all tasks that are not deleted, in the order of their creation. */
  list(): Promise<readonly BoardTask[]>
  /** Returns a task, even if it was deleted. */
  get(id: string): Promise<BoardTask | undefined>
  create(task: NewBoardTask, agent: string): Promise<BoardTask>
  update(id: string, update: BoardTaskUpdate, agent: string): Promise<BoardTask>
  /** Returns the tasks as last read, for display. Reads them again in the background when they are old. */
  listRecent(): readonly BoardTask[]
}

/** Returns the tasks that must still be completed before this one can start. */
export function listOpenBlockers(task: BoardTask, tasks: readonly BoardTask[]): readonly string[] {
  return task.blockedBy.filter((id) => tasks.some((other) => other.id === id && isOpen(other)))
}

/** Whether work on a task is still to be done. */
export function isOpen({ status }: BoardTask): boolean {
  return status === 'pending' || status === 'in_progress'
}
