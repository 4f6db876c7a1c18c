import { appendFileSync, copyFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { type BoardTask, isOpen, type NewBoardTask, type TaskBoardPort } from '../../contract/ports/task-board.js'
import { reasonOf } from '../../shared/reason-of.js'
import { withFileLock } from '../../system/file-lock.js'
import { makeFolder } from '../../system/make-folder.js'
import { readRegularText } from '../../system/read-regular-file.js'
import { writeFileAtomically } from '../../system/write-file-atomically.js'
import { type Board, EMPTY_BOARD, parseBoard } from './board-file.js'
import { addToHistory, applyUpdate, type ChangeOrigin, refuse } from './task-changes.js'

export interface TaskBoardOptions {
  /** The folder of the project's board. It belongs to the user, not to the project. */
  readonly folder: string
  readonly session: string
  readonly findObjection?: FindBoardObjection | undefined
  /** Whether changes must survive a power failure. Default: false. */
  readonly isDurable?: boolean | undefined
}

/** Asks the user's hooks. Returns why the task must not be created or completed; undefined if no hook objects. */
export type FindBoardObjection = (
  event: 'TaskCreated' | 'TaskCompleted',
  task: Pick<BoardTask, 'subject' | 'description'> & Partial<Pick<BoardTask, 'id'>>,
) => Promise<string | undefined>

/** With more tasks, the board would be too long to be useful. */
const MAX_TASKS = 500
const MAX_BOARD_BYTES = 64 * 1024 * 1024
const MAX_ARCHIVE_BYTES = 4 * 1024 * 1024
/** How old the tasks for display may be. */
const MAX_DISPLAY_AGE_MS = 1_000

/** Creates a task board in a file. Finished tasks move to an archive file when the next piece of work begins. */
export function createTaskBoard(options: TaskBoardOptions): TaskBoardPort {
  const { folder, session, isDurable = false, findObjection } = options
  const file = join(folder, 'board.json')
  let recentTasks: readonly BoardTask[] = []
  let readAt = 0

  return {
    async list() {
      return remember(readBoard()).filter(({ status }) => status !== 'deleted')
    },
    async get(id) {
      return remember(readBoard()).find((task) => task.id === id)
    },
    async create(task, agent) {
      const objection = await findObjection?.('TaskCreated', task)
      if (objection !== undefined) throw refuse(`A hook blocked the new task: ${objection}`)
      return await change((board) => {
        const { tasks, finished } = makeRoom(board.tasks)
        const id = String(board.nextId)
        const createdTask = createTask(id, task, { agent: { name: agent, session }, now: Date.now() })
        return { board: { nextId: board.nextId + 1, tasks: [...tasks, createdTask] }, finished, id }
      })
    },
    async update(id, update, agent) {
      const apply = ({ tasks }: Board) =>
        applyUpdate(tasks, id, update, { agent: { name: agent, session }, now: Date.now() })
      if (update.status === 'completed') await requireNoObjection(apply(readBoard()), id)
      return await change((board) => ({ board: { ...board, tasks: apply(board) }, finished: [], id }))
    },
    listRecent() {
      if (Date.now() - readAt > MAX_DISPLAY_AGE_MS) {
        readAt = Date.now()
        setImmediate(() => {
          try {
            remember(readBoard())
          } catch {
            // Only for display: the next call of a tool reports why the board cannot be read.
          }
        })
      }
      return recentTasks
    },
  }

  /** Throws if a hook objects. Hooks run before the board is locked, because they can take minutes. */
  async function requireNoObjection(tasks: readonly BoardTask[], id: string): Promise<void> {
    const task = tasks.find((other) => other.id === id)
    const objection = task && (await findObjection?.('TaskCompleted', task))
    if (objection !== undefined) throw refuse(`A hook objects to completing task ${id}: ${objection}`)
  }

  function remember({ tasks }: Board): readonly BoardTask[] {
    recentTasks = tasks.filter(({ status }) => status !== 'deleted')
    readAt = Date.now()
    return tasks
  }

  /** Reads, changes and writes the board under its lock, and returns the task that was changed. */
  async function change(
    compute: (board: Board) => { board: Board; finished: readonly BoardTask[]; id: string },
  ): Promise<BoardTask> {
    try {
      makeFolder(folder)
    } catch (error) {
      throw refuse(`The task board ${folder} cannot be created (${reasonOf(error)}).`)
    }
    return await withFileLock(file, async (checkLockHeld) => {
      const { board, finished, id } = compute(readBoard())
      archive(finished)
      await writeFileAtomically(file, `${JSON.stringify(board)}\n`, {
        mode: 0o600,
        isDurable,
        beforeRename: checkLockHeld,
      })
      const task = remember(board).find((other) => other.id === id)
      if (task === undefined) throw new Error(`Task ${id} is missing from the board that was just written.`)
      return task
    })
  }

  function readBoard(): Board {
    const read = readRegularText(file, { maxBytes: MAX_BOARD_BYTES })
    if (read.kind === 'absent') return EMPTY_BOARD
    const board = read.kind === 'found' ? parseBoard(read.content) : undefined
    // Never replaced: the tasks in it may still be recovered by hand.
    if (board === undefined) throw refuse(`The task board ${file} cannot be read. Move it away to start a new one.`)
    return board
  }

  function archive(tasks: readonly BoardTask[]): void {
    if (tasks.length === 0) return
    const archiveFile = join(folder, 'archive.jsonl')
    const size = statSync(archiveFile, { throwIfNoEntry: false })?.size ?? 0
    if (size > MAX_ARCHIVE_BYTES) {
      copyFileSync(archiveFile, join(folder, 'archive.old.jsonl'))
      truncateSync(archiveFile)
    }
    appendFileSync(archiveFile, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''), { mode: 0o600 })
  }
}

function createTask(id: string, { subject, description, activeForm }: NewBoardTask, origin: ChangeOrigin): BoardTask {
  const content = { subject, description, ...(activeForm !== undefined && { activeForm }) }
  return addToHistory({ id, ...content, status: 'pending', blockedBy: [], history: [] }, 'created', origin)
}

/** Removes finished tasks if no work is left, or if the board is full. Throws if there is still no room for another task. */
function makeRoom(tasks: readonly BoardTask[]): { tasks: readonly BoardTask[]; finished: readonly BoardTask[] } {
  const openTasks = tasks.filter(isOpen)
  if (openTasks.length > 0 && tasks.length < MAX_TASKS) return { tasks, finished: [] }
  if (openTasks.length >= MAX_TASKS)
    throw refuse(`The board has ${openTasks.length} open tasks, which is the limit. Complete or delete some first.`)
  const openIds = new Set(openTasks.map(({ id }) => id))
  // A finished task blocks nothing, so references to it can go.
  const remainingTasks = openTasks.map((task) => ({
    ...task,
    blockedBy: task.blockedBy.filter((id) => openIds.has(id)),
  }))
  return { tasks: remainingTasks, finished: tasks.filter((task) => !isOpen(task)) }
}
