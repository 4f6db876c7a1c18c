import type { ToolEvent } from '../../contract/events.js'
import type { Message } from '../../contract/messages.js'
import type { ReadFileEntry } from '../../contract/ports/read-file-state.js'
import { describeFailure } from '../../results/preview.js'
import type { ConversationLog } from '../conversation/conversation.js'
import { ConversationWriter } from './conversation-writer.js'
import { lockSession, type SessionLock } from './session-lock.js'
import type { SessionPlace } from './session-place.js'
import { type StateSource, StateWriter } from './state-writer.js'
import { shortTitle, titleOf } from './title-of.js'
import { entryLine, type SessionStarted, TRANSCRIPT_VERSION, type TranscriptEntry } from './transcript-entry.js'
import { TranscriptFile } from './transcript-file.js'

/** What is in the file already. */
export interface TakenOver {
  /** As the file has them: a hole stands for a message that cannot be read any more. */
  readonly messages: readonly (Message | undefined)[]
  readonly state: Readonly<Record<string, unknown>>
  readonly readFiles: Iterable<readonly [path: string, entry: ReadFileEntry]>
  readonly title: string | undefined
  readonly agents: Iterable<string>
  /** The session with whose results those of this one are kept. */
  readonly resultsOf: string | undefined
}

export interface TranscriptParts {
  readonly sessionId: string
  /** Undefined where there is no folder to write to. */
  readonly place: SessionPlace | undefined
  readonly projectRoot: string
  readonly cwd: string
  /** Held already, as by a session that is resumed. */
  readonly lock?: SessionLock | undefined
  readonly takenOver?: TakenOver | undefined
  /** One line for the user, told once: what happens now is not saved. */
  readonly onProblem?: ((message: string) => void) | undefined
}

/**
 * What happened in a session, line by line in a file of its own. Each line is written before the thing it tells of goes
 * on, so that a process that is killed leaves all it did. The file is made with the first line.
 */
export class Transcript {
  readonly sessionId: string
  readonly path: string | undefined
  /** Where long results go, so that they are there when the session is resumed; undefined where nothing is saved. */
  readonly resultsFolder: string | undefined
  readonly #parts: TranscriptParts
  readonly #file: TranscriptFile | undefined
  readonly #main: ConversationWriter
  readonly #state: StateWriter
  readonly #agents = new Map<string, ConversationWriter>()
  readonly #knownAgents: Set<string>
  #lock: SessionLock | undefined
  #hasStarted: boolean
  #hasTitle: boolean
  #hasTold = false
  #isClosed = false

  constructor(parts: TranscriptParts) {
    const { place, takenOver } = parts
    this.#parts = parts
    this.sessionId = parts.sessionId
    this.path = place?.transcript
    this.resultsFolder = place?.results(takenOver?.resultsOf)
    this.#lock = parts.lock
    this.#hasStarted = takenOver !== undefined
    this.#hasTitle = takenOver?.title !== undefined
    this.#knownAgents = new Set(takenOver?.agents)
    const write = (entry: TranscriptEntry) => this.#write(entry)
    this.#main = new ConversationWriter(write)
    this.#state = new StateWriter(write)
    this.#file = place && this.#openFile(place)
    if (place === undefined) this.#tell('there is no home folder')
    if (takenOver === undefined) return
    this.#main.takeOver(takenOver.messages)
    this.#state.takeOver(takenOver.state, takenOver.readFiles)
  }

  /** The conversation of the main agent, for `Conversation`. */
  readonly log: ConversationLog = {
    messageAdded: (message, facts) => {
      this.#nameAfter(message)
      this.#main.messageAdded(message, facts)
      this.#state.saveTracked()
    },
    messagesRewritten: (messages, cause) => {
      this.#main.messagesRewritten(messages, cause)
      this.#state.saveTracked()
    },
  }

  /** Goes on where another process stopped: `before` is what the file holds, `messages` what the conversation begins with. */
  resumeWith(messages: readonly Message[], before: TakenOver['messages']): void {
    if (before.every((message, index) => message === messages[index])) {
      for (const message of messages.slice(before.length)) this.#main.messageAdded(message, {})
    } else this.#main.messagesRewritten(messages, 'repair')
    this.#write({ type: 'session-resumed', at: Date.now() })
  }

  /** The conversation of a sub-agent, in a file of its own; it is made with the first line. */
  agentLog(agentId: string): ConversationLog {
    return this.#agent(agentId)
  }

  /** The file of a sub-agent, for hooks; undefined where nothing is kept. */
  agentPath(agentId: string): string | undefined {
    return this.#parts.place?.agent(agentId)
  }

  /** To be let go of when a sub-agent has ended; its file stays. */
  agentEnded(agentId: string): void {
    this.#agents.delete(agentId)
  }

  /** For `onEvent` of the runtime: a call is written down before it does anything. */
  readonly onToolEvent = (event: ToolEvent, source: { readonly agentId?: string } = {}): void => {
    if (event.type === 'call-progressed') return
    if (source.agentId !== undefined) {
      if (event.type !== 'mode-entered') this.#agent(source.agentId).onToolEvent(event)
      return
    }
    if (event.type === 'mode-entered') this.saveState('mode', event.mode)
    else this.#main.onToolEvent(event)
  }

  /** Keeps a value for the one who resumes: plain data, the last one by key. Undefined removes it. */
  saveState(key: string, value: unknown): void {
    this.#state.save(key, value)
  }

  /** Has what an agent keeps looked at after every message, and written where it changed. */
  track(source: StateSource): void {
    this.#state.track(source)
  }

  /** Writes what changed in the state that is tracked, without waiting for a message. */
  saveTracked(): void {
    this.#state.saveTracked()
  }

  setTitle(title: string): void {
    const short = shortTitle(title)
    if (short !== undefined) this.#writeTitle(short)
  }

  /** A full disk is tried for the last time; others may have the session from now on. */
  close(reason?: string): void {
    if (this.#isClosed) return
    if (this.#hasStarted) {
      this.#state.saveTracked()
      this.#write({ type: 'session-ended', at: Date.now(), ...(reason !== undefined && { reason }) })
    }
    this.#isClosed = true
    this.#file?.close()
    this.#lock?.release()
    this.#lock = undefined
  }

  #write(entry: TranscriptEntry): void {
    if (this.#file === undefined || this.#isClosed) return
    if (!this.#hasStarted) {
      // Of a session in which nothing was said, nothing is left.
      if (entry.type !== 'message-added' && entry.type !== 'title') return
      this.#hasStarted = true
      this.#append(this.#file, this.#startOf())
    }
    this.#append(this.#file, entry)
  }

  #append(file: TranscriptFile, entry: TranscriptEntry): void {
    try {
      file.append(entryLine(entry))
    } catch (error) {
      // Whoever is told of what happens must not be able to stop it.
      this.#tell(describeFailure(error))
    }
  }

  #openFile(place: SessionPlace): TranscriptFile {
    return new TranscriptFile({
      path: place.transcript,
      gap: place.gap,
      prepare: () => {
        this.#lock ??= lockSession(place)
      },
      keepOpen: true,
      onProblem: (error) => this.#tell(describeFailure(error)),
    })
  }

  #agent(agentId: string): ConversationWriter {
    const known = this.#agents.get(agentId)
    if (known !== undefined) return known
    const { place } = this.#parts
    const file =
      place &&
      new TranscriptFile({ path: place.agent(agentId), onProblem: (error) => this.#tell(describeFailure(error)) })
    const writer = new ConversationWriter((entry) => {
      if (file === undefined || this.#isClosed) return
      if (!this.#knownAgents.has(agentId)) this.#startAgent(file, agentId)
      this.#append(file, entry)
    })
    this.#agents.set(agentId, writer)
    return writer
  }

  #startAgent(file: TranscriptFile, agentId: string): void {
    this.#knownAgents.add(agentId)
    this.#write({ type: 'agent-started', agentId, at: Date.now() })
    this.#append(file, { ...this.#startOf(), agentId })
  }

  #startOf(): SessionStarted {
    const { sessionId, cwd, projectRoot } = this.#parts
    return { type: 'session-started', version: TRANSCRIPT_VERSION, id: sessionId, cwd, projectRoot, at: Date.now() }
  }

  #nameAfter(message: Message): void {
    if (this.#hasTitle) return
    const title = titleOf(message)
    if (title !== undefined) this.#writeTitle(title)
  }

  #writeTitle(title: string): void {
    this.#hasTitle = true
    this.#write({ type: 'title', at: Date.now(), title })
  }

  #tell(reason: string): void {
    if (this.#hasTold) return
    this.#hasTold = true
    const what = this.path === undefined ? 'This session is not saved' : `This session cannot be saved in ${this.path}`
    const later = this.path === undefined ? '' : ' It goes on, and is saved as soon as that works again.'
    this.#parts.onProblem?.(`${what}: ${reason}.${later}`)
  }
}
