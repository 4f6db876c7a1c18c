import type { SessionEvent } from '../../../../session/session-event.js'

const MAIN = ''

interface Speech {
  readonly ended: Promise<void>
  readonly end: () => void
}

/** Whose message is still being spoken: calls begin before it is whole, and a question has to come after the line with its call. */
export class SpokenMessages {
  readonly #open = new Map<string, Speech>()

  /** To be told of what happens to an agent when its lines have been written. */
  take(event: SessionEvent, agentId = MAIN): void {
    const isWhole = event.type === 'message-added' && event.message.type === 'assistant'
    if (isWhole || event.type === 'message-discarded' || event.type === 'request-started') this.end(agentId)
    if (event.type === 'request-started') this.#open.set(agentId, speech())
  }

  end(agentId = MAIN): void {
    this.#open.get(agentId)?.end()
    this.#open.delete(agentId)
  }

  /** Resolves when the message of the agent is told, and that of the main conversation, which may have started the agent. */
  async told(agentId = MAIN): Promise<void> {
    await Promise.all([this.#open.get(MAIN)?.ended, this.#open.get(agentId)?.ended])
  }
}

function speech(): Speech {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { ended, end: () => end() }
}
