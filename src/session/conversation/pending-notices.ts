import type { AttachmentMessage } from '../../contract/messages.js'
import type { BackgroundTask } from '../../contract/ports/tasks.js'

const MAX_PENDING_NOTICES = 100

/** Notices about background events, kept until the next request. Pass `taskEnded` as `onTaskEnded` to the runtime. */
export class PendingNotices {
  #pending: AttachmentMessage[] = []
  readonly #listeners = new Set<() => void>()

  readonly taskEnded = (task: BackgroundTask): void => this.#add(createTaskEndedMessage(task))

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
    kind: 'task_ended',
    data: { text: `${head}\n${details}`, task: { id, kind, description, status } },
  }
}
