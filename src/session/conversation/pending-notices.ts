import type { AttachmentMessage } from '../../contract/messages.js'
import type { BackgroundTask } from '../../contract/ports/tasks.js'

const MAX_PENDING = 100

/** Notices about background events, kept until the next request. Pass `taskEnded` as `onTaskEnded` to the runtime. */
export class PendingNotices {
  #pending: AttachmentMessage[] = []
  readonly #listeners = new Set<() => void>()

  readonly taskEnded = (task: BackgroundTask): void => {
    this.#pending = [...this.#pending, taskEndedMessage(task)].slice(-MAX_PENDING)
    for (const listener of this.#listeners) listener()
  }

  /** Resolves when the next notice is added or the signal is aborted. */
  added(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#listeners.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#listeners.add(done)
      if (signal.aborted) done()
      else signal.addEventListener('abort', done)
    })
  }

  /** Removes and returns all notices, for the next request. */
  take(): readonly AttachmentMessage[] {
    const taken = this.#pending
    this.#pending = []
    return taken
  }
}

function taskEndedMessage({ id, kind, description, status, exitCode, summary }: BackgroundTask): AttachmentMessage {
  const code = typeof exitCode === 'number' ? ` (exit code ${exitCode})` : ''
  const head = `The background task ${id} has ended: ${status}${code}. It was: ${description}`
  const rest = summary === undefined ? 'Use TaskOutput to read its output.' : `Its result:\n${summary}`
  return {
    type: 'attachment',
    kind: 'task_ended',
    data: { text: `${head}\n${rest}`, task: { id, kind, description, status } },
  }
}
