import type { TaskBoardPort } from '../../contract/ports/task-board.js'
import type { TaskBoardOptions } from '../../ports/task-board/create-task-board.js'
import { OnDemand } from './on-demand.js'

/** Creates the task board of the project. Its code is loaded on first use. */
export function createTaskBoardPort(options: TaskBoardOptions): TaskBoardPort {
  const board = new OnDemand(async () => {
    const { createTaskBoard } = await import('../../ports/task-board/create-task-board.js')
    return createTaskBoard(options)
  })
  return {
    list: async () => (await board.open()).list(),
    get: async (id) => (await board.open()).get(id),
    create: async (task, agent) => (await board.open()).create(task, agent),
    update: async (id, update, agent) => (await board.open()).update(id, update, agent),
    listRecent() {
      // The next call of a tool reports the error.
      if (board.opened === undefined) board.open().catch(() => undefined)
      return board.opened?.listRecent() ?? []
    },
  }
}
