import type {
  AgentContext,
  ClientCapabilities,
  PromptRequest,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { RequestError } from '@agentclientprotocol/sdk'
import type { NoUserAvailable, PermissionAnswer, PermissionQuestion } from '../calls/call-environment.js'
import type { EditorFiles } from '../contract/host/editor-files.js'
import { PERMISSION_MODES, type PermissionMode } from '../contract/permission/context.js'
import type { QueryEnd, SessionEvent } from '../session/conversation/session-event.js'
import { shortenText } from '../shared/cut-text.js'
import { reasonOf } from '../shared/reason-of.js'
import type { AcpHost, EditorSession, SessionEditor, SessionRequest } from './acp-host.js'
import { createEditorAskPort } from './editor-questions.js'
import { createPermissionChoices, explainQuestion, type OfferedUpdate } from './permission-requests.js'
import { readPrompt } from './prompt-content.js'
import { SessionUpdates } from './session-updates.js'

const MAX_TITLE_CHARS = 80
const MODEL_OPTION = 'model'
const MODE_OPTION = 'mode'

const MODES: Readonly<Record<PermissionMode, { readonly name: string; readonly description: string }>> = {
  default: { name: 'Default', description: 'Asks before calls that change something' },
  acceptEdits: { name: 'Accept edits', description: 'Edits files in the project without asking' },
  plan: { name: 'Plan', description: 'Reads and plans, changes nothing' },
  auto: { name: 'Auto', description: 'A classifier decides about calls' },
  dontAsk: { name: "Don't ask", description: 'Denies what no rule allows' },
  bypassPermissions: { name: 'Bypass permissions', description: 'Runs every call without asking' },
}

/** One session of an editor: runs its prompts one after the other, and sends what happens. */
export class ConnectedSession {
  readonly #client: AgentContext
  readonly #session: EditorSession
  readonly #updates: SessionUpdates
  readonly #closing = new AbortController()
  #turn: AbortController | undefined
  #lastTurn: Promise<unknown> = Promise.resolve()
  #hasTitle: boolean

  private constructor(client: AgentContext, session: EditorSession, capabilities: ClientCapabilities) {
    this.#client = client
    this.#session = session
    this.#updates = new SessionUpdates(session, (update) => this.#send(update), capabilities)
    this.#hasTitle = session.messages.length > 0
    session.onMode = (mode) => this.#announceMode(mode)
    session.onAgentEvent = (event, agent) => this.#updates.handleAgent(event, agent)
    session.onWake = () => void this.#continueWithNotices()
  }

  static async open(
    host: AcpHost,
    request: SessionRequest,
    client: AgentContext,
    capabilities: ClientCapabilities,
  ): Promise<ConnectedSession> {
    let connected: ConnectedSession | undefined
    let id = ''
    const editor: SessionEditor = {
      ask: async (question, offers) =>
        (await connected?.askPermission(question, offers)) ?? { behavior: 'unavailable' },
      askPort: createEditorAskPort(client, capabilities, () => id),
      files: createEditorFiles(client, capabilities, () => id),
    }
    const session = await host.openSession(request, editor)
    id = session.id
    connected = new ConnectedSession(client, session, capabilities)
    return connected
  }

  get id(): string {
    return this.#session.id
  }

  get modes(): SessionModeState {
    const availableModes = PERMISSION_MODES.map((id) => ({ id, ...MODES[id] }))
    return { currentModeId: this.#session.mode, availableModes }
  }

  get configOptions(): SessionConfigOption[] {
    const { model, models, mode } = this.#session
    const names = models.includes(model) ? models : [model, ...models]
    return [
      {
        ...{ type: 'select', id: MODEL_OPTION, name: 'Model', category: 'model', currentValue: model },
        options: names.map((name) => ({ value: name, name })),
      },
      {
        ...{ type: 'select', id: MODE_OPTION, name: 'Permission mode', category: 'mode', currentValue: mode },
        options: PERMISSION_MODES.map((id) => ({ value: id, ...MODES[id] })),
      },
    ]
  }

  /** Sends what an editor shows besides the conversation. Called after the answer to the request that opened the session. */
  async announceCommands(): Promise<void> {
    const commands = await this.#session.listCommands()
    this.#send({
      sessionUpdate: 'available_commands_update',
      availableCommands: commands.map(({ name, description, argumentHint: hint }) => ({
        ...{ name, description },
        ...(hint !== undefined && { input: { hint } }),
      })),
    })
  }

  replay(): void {
    this.#updates.replay(this.#session.messages)
  }

  async prompt({ prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const { content, text } = readPrompt(prompt)
    if (text.trim() === '' && typeof content === 'string')
      throw RequestError.invalidParams(undefined, 'the prompt is empty')
    return this.#enqueue(async (turn) => {
      const cancel = () => turn.abort()
      signal.addEventListener('abort', cancel, { once: true })
      try {
        const expanded = text.startsWith('/') ? await this.#expand(text, turn.signal) : undefined
        this.#announceTitle(text)
        const end = await this.#run(expanded ?? content, turn.signal)
        if (end.message !== undefined && end.reason !== 'interrupted')
          this.#updates.handle(createEndNotice(end.message))
        return toResponse(end)
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    })
  }

  cancel(): void {
    this.#turn?.abort()
  }

  async setMode(mode: string): Promise<void> {
    const knownMode = PERMISSION_MODES.find((candidate) => candidate === mode)
    if (knownMode === undefined)
      throw RequestError.invalidParams(undefined, `unknown mode "${mode}". Modes: ${PERMISSION_MODES.join(', ')}`)
    const refusal = await this.#session.setMode(knownMode)
    if (refusal !== undefined) throw RequestError.invalidParams(undefined, refusal)
  }

  async setOption(id: string, value: unknown): Promise<void> {
    if (typeof value !== 'string') throw RequestError.invalidParams(undefined, `the option "${id}" needs a text`)
    if (id === MODE_OPTION) return this.setMode(value)
    if (id !== MODEL_OPTION) throw RequestError.invalidParams(undefined, `unknown option "${id}"`)
    try {
      await this.#session.setModel(value)
    } catch (error) {
      throw RequestError.invalidParams(undefined, reasonOf(error))
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#turn?.abort()
    await this.#lastTurn.catch(() => undefined)
    await this.#session.dispose()
  }

  async askPermission(
    question: PermissionQuestion,
    offers: readonly OfferedUpdate[],
  ): Promise<PermissionAnswer | NoUserAvailable> {
    const call = this.#updates.findCall(question.toolUseId, question.tool.name, question.input)
    const { options, toAnswer } = createPermissionChoices(question, offers)
    try {
      const response = await this.#client.request(
        'session/request_permission',
        {
          sessionId: this.id,
          toolCall: call.describeQuestion(explainQuestion(question)),
          options: [...options],
        },
        { cancellationSignal: question.signal, stopWaitingOnCancel: true },
      )
      return toAnswer(response)
    } catch {
      // The question was withdrawn, or the editor cannot ask: the mode decides, as it does without a user.
      return question.signal.aborted ? { behavior: 'deny' } : { behavior: 'unavailable' }
    }
  }

  async #expand(text: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      return await this.#session.expandCommand(text, signal)
    } catch (error) {
      throw RequestError.invalidParams(undefined, reasonOf(error))
    }
  }

  /** Runs one turn after the other. */
  #enqueue<T>(run: (turn: AbortController) => Promise<T>): Promise<T> {
    const result = this.#lastTurn.then(async () => {
      const turn = new AbortController()
      this.#turn = turn
      if (this.#closing.signal.aborted) turn.abort()
      try {
        return await run(turn)
      } finally {
        this.#turn = undefined
      }
    })
    this.#lastTurn = result.catch(() => undefined)
    return result
  }

  #run(prompt: Parameters<EditorSession['ask']>[0], signal: AbortSignal): Promise<QueryEnd> {
    return this.#session.ask(prompt, { signal, onEvent: (event) => this.#updates.handle(event) })
  }

  /** Lets the model continue when background work has reported something. */
  async #continueWithNotices(): Promise<void> {
    await this.#enqueue(async ({ signal }) => {
      if (this.#session.hasNotices && !signal.aborted) await this.#run(undefined, signal)
    })
  }

  #announceTitle(text: string): void {
    if (this.#hasTitle || text.trim() === '') return
    this.#hasTitle = true
    const title = shortenText(text.trim().replace(/\s+/g, ' '), MAX_TITLE_CHARS)
    this.#send({ sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() })
  }

  #announceMode(mode: PermissionMode): void {
    this.#send({ sessionUpdate: 'current_mode_update', currentModeId: mode })
    this.#send({ sessionUpdate: 'config_option_update', configOptions: this.configOptions })
  }

  #send(update: SessionUpdate): void {
    // An editor that has gone away gets no more updates; the end of the connection ends the session.
    this.#client.notify('session/update', { sessionId: this.id, update }).catch(() => undefined)
  }
}

function createEditorFiles(
  client: AgentContext,
  { fs }: ClientCapabilities,
  sessionId: () => string,
): EditorFiles | undefined {
  if (fs?.readTextFile !== true) return undefined
  return {
    async read(path) {
      try {
        return (await client.request('fs/read_text_file', { sessionId: sessionId(), path })).content
      } catch {
        // The editor does not have the file: it is read from the disk.
        return undefined
      }
    },
    write:
      fs.writeTextFile === true
        ? async (path, content) => {
            await client.request('fs/write_text_file', { sessionId: sessionId(), path, content })
          }
        : undefined,
  }
}

function createEndNotice(text: string): SessionEvent {
  return { type: 'notice', level: 'warning', text }
}

/** Throws if the model could not answer; an editor shows that as an error. */
function toResponse({ reason, message, error }: QueryEnd): PromptResponse {
  switch (reason) {
    case 'interrupted':
      return { stopReason: 'cancelled' }
    case 'max_output':
      return { stopReason: 'max_tokens' }
    case 'max_turns':
    case 'max_budget':
      return { stopReason: 'max_turn_requests' }
    case 'refused':
      return { stopReason: 'refusal' }
    case 'model_failed':
    case 'context_full':
      throw RequestError.internalError({ reason, ...(error !== undefined && { kind: error.kind }) }, message ?? reason)
    default:
      return { stopReason: 'end_turn' }
  }
}
