import type { AttachmentMessage } from '../../contract/messages.js'
import type { BackgroundTask } from '../../contract/ports/tasks.js'

const MAX_WAITING = 100

/** What happened beside the conversation, until its model can be told: `taskEnded` is for `onTaskEnded` of the runtime. */
export class PendingNotices {
  #waiting: AttachmentMessage[] = []
  readonly #listeners = new Set<() => void>()

  readonly taskEnded = (task: BackgroundTask): void => {
    this.#waiting = [...this.#waiting, taskEnded(task)].slice(-MAX_WAITING)
    for (const listener of this.#listeners) listener()
  }

  /** Resolves with the next one, or when the signal ends the waiting. */
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

  /** Gives them once, for the next request. */
  take(): readonly AttachmentMessage[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }
}

function taskEnded({ id, kind, description, status, exitCode, summary }: BackgroundTask): AttachmentMessage {
  const code = typeof exitCode === 'number' ? ` (exit code ${exitCode})` : ''
  const head = `The background task ${id} has ended: ${status}${code}. It was: ${description}`
  const rest = summary === undefined ? 'TaskOutput gives what it printed.' : `What came of it:\n${summary}`
  return {
    type: 'attachment',
    kind: 'task_ended',
    data: { text: `${head}\n${rest}`, task: { id, kind, description, status } },
  }
}
