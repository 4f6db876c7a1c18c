import type { BoardTask, BoardTaskStatus, TaskChange, TaskOwner } from '../../contract/ports/task-board.js'
import { isRecord } from '../../shared/is-record.js'

/** The content of a board's file. */
export interface Board {
  readonly nextId: number
  readonly tasks: readonly BoardTask[]
}

export const EMPTY_BOARD: Board = { nextId: 1, tasks: [] }

/** Parses the file of a board. Returns undefined if any part of it is damaged. */
export function parseBoard(text: string): Board | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(value) || !Array.isArray(value.tasks)) return undefined
  const { nextId, tasks } = value
  if (!Number.isSafeInteger(nextId) || !tasks.every(isTask)) return undefined
  return { nextId: nextId as number, tasks }
}

const STATUSES: readonly BoardTaskStatus[] = ['pending', 'in_progress', 'completed', 'deleted']

function isTask(value: unknown): value is BoardTask {
  return (
    isRecord(value) &&
    [value.id, value.subject, value.description, value.activeForm ?? ''].every(isString) &&
    STATUSES.some((status) => status === value.status) &&
    (value.owner === undefined || isOwner(value.owner)) &&
    isListOf(value.blockedBy, isString) &&
    isListOf(value.history, isChange)
  )
}

function isOwner(value: unknown): value is TaskOwner {
  return isRecord(value) && isString(value.name) && isString(value.session)
}

function isChange(value: unknown): value is TaskChange {
  return isRecord(value) && typeof value.at === 'number' && isString(value.by) && isString(value.text)
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem)
}
