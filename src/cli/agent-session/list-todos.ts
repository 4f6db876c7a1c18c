import type { TaskBoardPort } from '../../contract/ports/task-board.js'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import { isRecord } from '../../shared/is-record.js'

/** An item of the to-do list, or a task of the board. */
export interface TodoItem {
  readonly content: string
  readonly status: string
}

/** Returns the to-do list, then the recent tasks of the board. */
export function listTodos({ state, taskBoard }: Pick<HaftRuntime, 'state' | 'taskBoard'>): readonly TodoItem[] {
  return [...readTodos(state.port.getAppState()['todo:list']), ...listBoardTodos(taskBoard)]
}

function readTodos(value: unknown): readonly TodoItem[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item) =>
    isRecord(item) && typeof item.content === 'string' && typeof item.status === 'string'
      ? [{ content: item.content, status: item.status }]
      : [],
  )
}

const MAX_SHOWN_AGE_MS = 24 * 60 * 60 * 1000

/** Returns the tasks of the board that changed recently. Older ones belong to work that nobody continued. */
function listBoardTodos(taskBoard: TaskBoardPort | undefined): readonly TodoItem[] {
  const tasks = taskBoard?.listRecent() ?? []
  return tasks
    .filter(({ history }) => Date.now() - (history.at(-1)?.at ?? 0) < MAX_SHOWN_AGE_MS)
    .map(({ id, subject, activeForm, status, owner }) => {
      const content = `#${id} ${(status === 'in_progress' && activeForm) || subject}`
      return { content: owner === undefined ? content : `${content} (${owner.name})`, status }
    })
}
