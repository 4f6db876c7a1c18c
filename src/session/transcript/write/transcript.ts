import type { StepTimer } from '../../../calls/call-environment.js'
import type { ToolEvent } from '../../../contract/events.js'
import type { Message } from '../../../contract/messages.js'
import type { ReadFileEntry } from '../../../contract/ports/read-file-state.js'
import { describeFailure } from '../../../results/preview.js'
import { toPrintable } from '../../../shared/printable.js'
import type { SecretMasker } from '../../../shared/secret-masker.js'
import type { ConversationLog } from '../../conversation/conversation.js'
import { lockSession, type SessionLock } from '../storage/session-lock.js'
import type { SessionPaths } from '../storage/session-paths.js'
import {
  type SessionStarted,
  serialiseEntry,
  TRANSCRIPT_VERSION,
  type TranscriptEntry,
} from '../storage/transcript-entry.js'
import { TranscriptFile } from '../storage/transcript-file.js'
import { StepTimes } from './call-record.js'
import { ConversationWriter, type FindTool } from './conversation-writer.js'
import { type StateSource, StateWriter } from './state-writer.js'

/** The contents that the file of a resumed session already has. */
export interface ExistingContents {
  /** In file order. Unreadable messages are undefined. */
  readonly messages: readonly (Message | undefined)[]
  readonly state: Readonly<Record<string, unknown>>
  readonly readFiles: Iterable<readonly [path: string, entry: ReadFileEntry]>
  readonly title: string | undefined
  readonly agents: Iterable<string>
  /** The session whose results folder this one shares. */
  readonly resultsOf: string | undefined
}

export interface TranscriptParts {
  readonly sessionId: string
  /** Undefined if there is no folder to write to. */
  readonly paths: SessionPaths | undefined
  readonly projectRoot: string
  readonly cwd: string
  /** A lock that is already held, as for a resumed session. */
  readonly lock?: SessionLock | undefined
  readonly existing?: ExistingContents | undefined
  /** Called once, with one line for the user, when the session cannot be saved. */
  readonly onProblem?: ((message: string) => void) | undefined
  /** Whether each line must survive a power failure. */
  readonly isDurable?: boolean | undefined
  /** Masks secrets in every line. */
  readonly secrets?: SecretMasker | undefined
  /** Receives every line that is written, for a second copy. `agentId` is the sub-agent whose file the line belongs to. */
  readonly onLine?: ((line: string, agentId: string | undefined) => void) | undefined
}

/** Fields that are never masked. A secret may be an ordinary word, and a line with a masked type could not be read again. */
const UNMASKED_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'from', 'role', 'cause', 'key', 'id', 'agentId', 'forkedFrom', 'resultsOf'],
  ...['toolUseId', 'tool_use_id', 'toolName', 'tool_name', 'name', 'errorCode', 'signature'],
])

/** Whether a provider refuses the block if it has changed, so that a session with it could not be resumed. */
function isSigned(block: object): boolean {
  const { type, signature } = block as { type?: unknown; signature?: unknown }
  return (type === 'thinking' && signature !== undefined) || type === 'redacted_thinking'
}

/**
 * Writes the events of a session to a file, one per line. Each line is written before the event takes effect, so that
 * the file is complete even if the process is killed. The file is created with the first line.
 */
export class Transcript {
  readonly sessionId: string
  readonly path: string | undefined
  /** The folder for long results, so that a resumed session can read them. Undefined if the session is not saved. */
  readonly resultsFolder: string | undefined
  /** Set when the tools are known, so that the views of results are recorded. */
  findTool: FindTool = () => undefined
  readonly #parts: TranscriptParts
  readonly #file: TranscriptFile | undefined
  readonly #main: ConversationWriter
  readonly #state: StateWriter
  readonly #stepTimes = new StepTimes()
  readonly #agents = new Map<string, ConversationWriter>()
  readonly #knownAgents: Set<string>
  #lock: SessionLock | undefined
  #hasStarted: boolean
  #hasTitle: boolean
  #hasReported = false
  #isClosed = false

  constructor(parts: TranscriptParts) {
    const { paths, existing } = parts
    this.#parts = parts
    this.sessionId = parts.sessionId
    this.path = paths?.transcript
    this.resultsFolder = paths?.resultsFolderOf(existing?.resultsOf)
    this.#lock = parts.lock
    this.#hasStarted = existing !== undefined
    this.#hasTitle = existing?.title !== undefined
    this.#knownAgents = new Set(existing?.agents)
    const write = (entry: TranscriptEntry) => this.#write(entry)
    this.#main = this.#createWriter(write)
    this.#state = new StateWriter(write)
    this.#file = paths && this.#openFile(paths)
    if (paths === undefined) this.#reportOnce('there is no home folder')
    if (existing === undefined) return
    this.#main.continueFrom(existing.messages)
    this.#state.continueFrom(existing.state, existing.readFiles)
  }

  /** Log of the main agent, for `Conversation`. */
  readonly log: ConversationLog = {
    messageAdded: (message, facts) => {
      this.#setTitleFrom(message)
      this.#main.messageAdded(message, facts)
      this.#state.saveTracked()
    },
    messagesRewritten: (messages, cause) => {
      this.#main.messagesRewritten(messages, cause)
      this.#state.saveTracked()
    },
    requestSent: (request, model) => this.#main.requestSent(request, model),
  }

  /** Continues after another process. `savedMessages` are the messages in the file, `messages` those of the resumed conversation. */
  resumeWith(messages: readonly Message[], savedMessages: ExistingContents['messages']): void {
    if (savedMessages.every((message, index) => message === messages[index])) {
      for (const message of messages.slice(savedMessages.length)) this.#main.messageAdded(message, {})
    } else this.#main.messagesRewritten(messages, 'repair')
    this.#write({ type: 'session-resumed', at: Date.now() })
  }

  /** Returns the log of a sub-agent. Its file is created with the first line. */
  agentLog(agentId: string): ConversationLog {
    return this.#openAgentWriter(agentId)
  }

  /** Whether a sub-agent with this id was recorded. */
  hasAgent(agentId: string): boolean {
    return this.#knownAgents.has(agentId)
  }

  /** Returns the file of a sub-agent, for hooks. Undefined if the session is not saved. */
  agentPath(agentId: string): string | undefined {
    return this.#parts.paths?.agentPathOf(agentId)
  }

  /** Frees the writer of a sub-agent that has ended. Its file is kept. */
  agentEnded(agentId: string): void {
    this.#agents.delete(agentId)
  }

  /** For `onEvent` of the runtime. A call is recorded before it does anything. */
  readonly onToolEvent = (event: ToolEvent, source: { readonly agentId?: string } = {}): void => {
    if (event.type === 'call-progressed') return
    if (source.agentId !== undefined) {
      if (event.type !== 'mode-entered') this.#openAgentWriter(source.agentId).onToolEvent(event)
      return
    }
    if (event.type === 'mode-entered') this.saveState('mode', event.mode)
    else this.#main.onToolEvent(event)
  }

  /** For the timer of the runtime. The duration of each step is recorded with the end of its call. */
  readonly timer: StepTimer = {
    step: (...measurement) => this.#stepTimes.add(...measurement),
  }

  /** Saves a value that is restored when the session is resumed. It must be plain data and replaces the earlier value; undefined removes it. */
  saveState(key: string, value: unknown): void {
    this.#state.save(key, value)
  }

  /** Checks this state after every message and saves what changed. */
  track(source: StateSource): void {
    this.#state.track(source)
  }

  /** Saves changes of the tracked state now, without waiting for a message. */
  saveTracked(): void {
    this.#state.saveTracked()
  }

  setTitle(title: string): void {
    const shortenedTitle = shortenTitle(title)
    if (shortenedTitle !== undefined) this.#writeTitle(shortenedTitle)
  }

  /** Writes the tracked state and the end of the session, tries once more to write pending lines, and unlocks the session. */
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
      // A session without messages and without a title leaves no file.
      if (entry.type !== 'message-added' && entry.type !== 'title') return
      this.#hasStarted = true
      this.#append(this.#file, this.#createStartEntry())
    }
    this.#append(this.#file, entry)
  }

  #append(file: TranscriptFile, entry: TranscriptEntry, agentId?: string): void {
    try {
      const { secrets, onLine } = this.#parts
      const line = serialiseEntry(secrets === undefined ? entry : secrets.maskData(entry, UNMASKED_FIELDS, isSigned))
      file.append(line)
      onLine?.(line, agentId)
    } catch (error) {
      // An entry that cannot be serialised or written must not stop the session.
      this.#reportOnce(describeFailure(error))
    }
  }

  #openFile(paths: SessionPaths): TranscriptFile {
    return new TranscriptFile({
      path: paths.transcript,
      gap: paths.gap,
      prepare: () => {
        this.#lock ??= lockSession(paths)
      },
      shouldKeepOpen: true,
      onProblem: (error) => this.#reportOnce(describeFailure(error)),
      isDurable: this.#parts.isDurable,
    })
  }

  #openAgentWriter(agentId: string): ConversationWriter {
    const existingWriter = this.#agents.get(agentId)
    if (existingWriter !== undefined) return existingWriter
    const { paths } = this.#parts
    const file =
      paths &&
      new TranscriptFile({
        path: paths.agentPathOf(agentId),
        onProblem: (error) => this.#reportOnce(describeFailure(error)),
        isDurable: this.#parts.isDurable,
      })
    const writer = this.#createWriter((entry) => {
      if (file === undefined || this.#isClosed) return
      if (!this.#knownAgents.has(agentId)) this.#startAgent(file, agentId)
      this.#append(file, entry, agentId)
    })
    this.#agents.set(agentId, writer)
    return writer
  }

  #createWriter(write: (entry: TranscriptEntry) => void): ConversationWriter {
    return new ConversationWriter({ write, findTool: (name) => this.findTool(name), stepTimes: this.#stepTimes })
  }

  #startAgent(file: TranscriptFile, agentId: string): void {
    this.#knownAgents.add(agentId)
    this.#write({ type: 'agent-started', agentId, at: Date.now() })
    this.#append(file, { ...this.#createStartEntry(), agentId }, agentId)
  }

  #createStartEntry(): SessionStarted {
    const { sessionId, cwd, projectRoot } = this.#parts
    return { type: 'session-started', version: TRANSCRIPT_VERSION, id: sessionId, cwd, projectRoot, at: Date.now() }
  }

  #setTitleFrom(message: Message): void {
    if (this.#hasTitle) return
    const title = titleOf(message)
    if (title !== undefined) this.#writeTitle(title)
  }

  #writeTitle(title: string): void {
    this.#hasTitle = true
    this.#write({ type: 'title', at: Date.now(), title })
  }

  #reportOnce(reason: string): void {
    if (this.#hasReported) return
    this.#hasReported = true
    const problem =
      this.path === undefined ? 'This session is not saved' : `This session cannot be saved in ${this.path}`
    const consequence = this.path === undefined ? '' : ' It continues, and is saved as soon as writing works again.'
    this.#parts.onProblem?.(`${problem}: ${reason}.${consequence}`)
  }
}

const MAX_TITLE_LENGTH = 100

/** Returns the title of a session from its first prompt. Undefined if the message is not a prompt. */
function titleOf(message: Message): string | undefined {
  if (message.type !== 'user') return undefined
  const text = textOf(message.content)
  return text === undefined ? undefined : shortenTitle(text)
}

function shortenTitle(text: string): string | undefined {
  // Avoids splitting a whole long prompt.
  const words = text
    .slice(0, 4 * MAX_TITLE_LENGTH)
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return undefined
  const line = [...toPrintable(words.join(' '))]
  return line.length <= MAX_TITLE_LENGTH ? line.join('') : `${line.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`
}

function textOf(content: (Message & { type: 'user' })['content']): string | undefined {
  if (typeof content === 'string') return content
  const block = content.find((part) => part.type === 'text')
  return block?.type === 'text' ? block.text : undefined
}
