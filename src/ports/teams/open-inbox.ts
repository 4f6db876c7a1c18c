import type { TeamInbox, TeamMessage } from '../../contract/ports/teams.js'
import type { Mailbox } from './mailbox.js'

/** So that a long queue does not fill the context window at once. The rest follows at the next step. */
const MAX_RECEIVED_MESSAGES = 50
const MAX_RECEIVED_CHARS = 100_000

export interface InboxOptions {
  readonly name: string
  readonly team: string
  readonly lead: string
  readonly mailbox: Mailbox
  readonly setStatus: TeamInbox['setStatus']
  readonly reportIdle: TeamInbox['reportIdle']
  readonly leave: TeamInbox['leave']
  /** Called when somebody begins to wait for messages. */
  readonly onWaiting: () => void
}

/** The mailbox of an agent of this process, and those who wait for messages in it. */
export class OpenInbox implements TeamInbox {
  readonly name: string
  readonly team: string
  readonly lead: string
  readonly setStatus: TeamInbox['setStatus']
  readonly leave: TeamInbox['leave']
  readonly #reportIdle: TeamInbox['reportIdle']
  readonly #mailbox: Mailbox
  readonly #end = new AbortController()
  readonly #onWaiting: () => void
  #report: Promise<void> | undefined
  #announcedIndex = 0
  readonly #waiters = new Set<() => void>()

  constructor({ name, team, lead, mailbox, setStatus, reportIdle, leave, onWaiting }: InboxOptions) {
    this.name = name
    this.team = team
    this.lead = lead
    this.setStatus = setStatus
    this.leave = leave
    this.#mailbox = mailbox
    this.#reportIdle = reportIdle
    this.#onWaiting = onWaiting
  }

  async reportIdle(text: string): Promise<void> {
    this.#report = this.#reportIdle(text)
    try {
      await this.#report
    } finally {
      this.#report = undefined
    }
  }

  /** Resolves when a report that has begun is complete: until then, the member counts as working. */
  async waitForReport(): Promise<void> {
    // The member itself handles a failure.
    await this.#report?.catch(() => undefined)
  }

  get ended(): AbortSignal {
    return this.#end.signal
  }

  get hasMail(): boolean {
    return this.#lastUnreadIndex > 0
  }

  get #lastUnreadIndex(): number {
    if (this.ended.aborted) return 0
    try {
      return this.#mailbox.lastUnreadIndex
    } catch {
      // For example, too many files are open. The next poll looks again.
      return 0
    }
  }

  /** Whether a message has arrived since this was last asked. */
  hasNewMail(): boolean {
    const index = this.#lastUnreadIndex
    if (index <= this.#announcedIndex) return false
    this.#announcedIndex = index
    return true
  }

  get isAwaited(): boolean {
    return this.#waiters.size > 0
  }

  receive(): readonly TeamMessage[] {
    if (this.ended.aborted) return []
    let charsLeft = MAX_RECEIVED_CHARS
    const messages: TeamMessage[] = []
    for (const message of this.#mailbox.listUnread().slice(0, MAX_RECEIVED_MESSAGES)) {
      charsLeft -= message.text.length
      if (charsLeft < 0 && messages.length > 0) break
      messages.push(message)
    }
    return messages
  }

  async acknowledge(messages: readonly TeamMessage[]): Promise<void> {
    if (messages.length > 0) await this.#mailbox.acknowledge(Math.max(...messages.map(({ index }) => index)))
  }

  /** Waiters are registered before the mailbox is read, so a message cannot arrive unnoticed in between. */
  async waitForMail(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const finish = () => {
        this.#waiters.delete(finish)
        for (const abortable of [signal, this.ended]) abortable.removeEventListener('abort', finish)
        resolve()
      }
      this.#waiters.add(finish)
      this.#onWaiting()
      for (const abortable of [signal, this.ended]) abortable.addEventListener('abort', finish)
      if (signal.aborted || this.ended.aborted || this.hasMail) finish()
    })
  }

  /** Wakes those who wait, if there are messages. */
  notify(): void {
    if (this.#waiters.size > 0 && this.hasMail) for (const wake of [...this.#waiters]) wake()
  }

  end(): void {
    this.#end.abort()
  }
}
