import type { AttachmentMessage } from '../../contract/messages.js'
import type { DuePrompt } from '../../contract/ports/schedule.js'
import type { BackgroundTask, TaskEvent } from '../../contract/ports/tasks.js'
import { formatCounted } from '../../shared/counted.js'
import { shortenText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { SCHEDULED_PROMPT, TASK_EVENT } from '../messages/attachments.js'

const MAX_PENDING_NOTICES = 100
const TASK_ENDED = 'task_ended'

/** Notices about background events, kept until the next request. Pass `taskEnded` as `onTaskEnded` to the runtime. */
export class PendingNotices {
  #pending: AttachmentMessage[] = []
  readonly #listeners = new Set<() => void>()

  /** Called when a notice should make an idle session continue. The host then calls `Session.ask` without a prompt. */
  onWake: (() => void) | undefined

  readonly taskEnded = (task: BackgroundTask): void => {
    if (task.isEndedByModel === true) return
    this.#add(createTaskEndedMessage(task))
    if (task.kind === 'monitor') this.onWake?.()
  }

  /** Pass it as `onTaskReported` to the runtime. */
  readonly taskReported = (task: BackgroundTask, event: TaskEvent): void => {
    this.#add(createTaskEventMessage(task, event))
    this.onWake?.()
  }

  /** A scheduled prompt is due. Pass it as `onDue` of the schedule to the runtime. */
  readonly promptDue = (prompt: DuePrompt): void => {
    // A model that works for an hour gets a task of every minute once.
    this.#pending = this.#pending.filter(
      ({ kind, data }) => kind !== SCHEDULED_PROMPT || (data as DuePrompt).id !== prompt.id,
    )
    this.#add({ type: 'attachment', kind: SCHEDULED_PROMPT, data: { ...prompt } })
    this.onWake?.()
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0
  }

  /** Adds a text for the model, which is marked as one from the host. */
  addText(text: string): void {
    this.#add({ type: 'attachment', kind: 'notice', data: { text } })
  }

  /** Resolves when the next notice is added or the signal is aborted. */
  waitForNext(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        this.#listeners.delete(finish)
        signal.removeEventListener('abort', finish)
        resolve()
      }
      this.#listeners.add(finish)
      if (signal.aborted) finish()
      else signal.addEventListener('abort', finish)
    })
  }

  /** Removes and returns all notices, for the next request. */
  take(): readonly AttachmentMessage[] {
    const notices = this.#pending
    this.#pending = []
    return notices
  }

  #add(notice: AttachmentMessage): void {
    this.#pending = [...this.#pending, notice].slice(-MAX_PENDING_NOTICES)
    for (const listener of this.#listeners) listener()
  }
}

function createTaskEventMessage({ id, description }: BackgroundTask, event: TaskEvent): AttachmentMessage {
  return { type: 'attachment', kind: TASK_EVENT, data: { id, description, ...event } }
}

function createTaskEndedMessage({
  id,
  kind,
  description,
  status,
  exitCode,
  summary,
}: BackgroundTask): AttachmentMessage {
  const code = typeof exitCode === 'number' ? ` (exit code ${exitCode})` : ''
  const head = `The background task ${id} has ended: ${status}${code}. Its description: ${description}`
  const details = summary === undefined ? 'Use TaskOutput to read its output.' : `Its result:\n${summary}`
  return {
    type: 'attachment',
    kind: TASK_ENDED,
    data: { text: `${head}\n${details}`, task: { id, kind, description, status } },
  }
}

const MAX_SHOWN_LINES = 3
const MAX_SHOWN_CHARS = 200

/** Describes why an idle model continues, in a few lines for the user; undefined for messages that wake no model. */
export function describeWakeNotice({ kind, data }: AttachmentMessage): string | undefined {
  if (!isRecord(data)) return undefined
  if (kind === SCHEDULED_PROMPT) return `${data.id} is due: ${shortenText(String(data.prompt), MAX_SHOWN_CHARS)}`
  if (kind === TASK_ENDED && isRecord(data.task) && data.task.kind === 'monitor')
    return `${data.task.id} (${data.task.description}) has ended: ${data.task.status}`
  if (kind !== TASK_EVENT || !Array.isArray(data.lines)) return undefined
  const shownLines = data.lines.slice(0, MAX_SHOWN_LINES).map((line) => shortenText(String(line), MAX_SHOWN_CHARS))
  const omittedCount = data.lines.length - shownLines.length + (Number(data.omittedLines) || 0)
  return [
    `${data.id} (${data.description}) reports:`,
    ...shownLines,
    ...(omittedCount === 0 ? [] : [`and ${formatCounted(omittedCount, 'more line')}`]),
  ].join('\n')
}
