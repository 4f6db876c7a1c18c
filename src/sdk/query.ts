import { randomUUID } from 'node:crypto'
import type { Prompt } from '../cli/agent-session/agent-session.js'
import { BoundedQueue } from '../cli/io/bounded-queue.js'
import type { OutputLine } from '../cli/stream-json/schema/output-schema.js'
import type { PermissionMode } from '../contract/permission/context.js'
import { isRecord } from '../shared/is-record.js'
import { InProcessCommand } from './in-process-command.js'
import type { McpServerConfig, Options } from './options.js'
import { ProgramSide } from './program-side.js'
import type { StoreMirror } from './store-mirror.js'
import { toArguments, toInitialize } from './to-arguments.js'

/** A message of a session. The types of messages are those of stream-json, see docs/headless.md. */
export type SDKMessage = Exclude<OutputLine, { type: `control_${string}` }>

/** A prompt, for prompts that are an async iterable. */
export interface SDKUserMessage {
  readonly type: 'user'
  readonly message: { readonly role: 'user'; readonly content: Prompt }
  readonly parent_tool_use_id?: string | null
  readonly session_id?: string
  readonly uuid?: string
  /** `now` and `next`: the model that works gets the prompt with its next request. */
  readonly priority?: 'now' | 'next' | 'later'
}

type Fields = Readonly<Record<string, unknown>>

/** Parameters of `query`. */
export interface QueryParameters {
  readonly prompt: string | AsyncIterable<SDKUserMessage>
  readonly options?: Options
}

/** The session waits when so many messages have not been read. */
const MAX_UNREAD_MESSAGES = 10_000

/** Runs prompts in a session in this process. Yields its messages; the last one of each prompt is its result. */
export function query({ prompt, options = {} }: QueryParameters): Query {
  return new Query(prompt, options)
}

/** A running session: an async iterable of its messages, with methods that control it. */
export class Query implements AsyncGenerator<SDKMessage, void> {
  readonly #options: Options
  readonly #command: InProcessCommand
  readonly #program: ProgramSide
  readonly #abortController: AbortController
  readonly #messages = new BoundedQueue<SDKMessage>(MAX_UNREAD_MESSAGES)
  readonly #iterator: AsyncGenerator<SDKMessage, void>
  readonly #responses = new Map<string, { resolve(response: Fields): void; reject(error: Error): void }>()
  readonly #initialized: Promise<Fields>
  readonly #ended: Promise<void>
  #failure: Error | undefined
  #resolveIdle = () => {}
  /** The text of the last result if it was an error. */
  #lastError: string | undefined
  #isClosed = false
  #mirror: StoreMirror | undefined

  constructor(prompt: string | AsyncIterable<SDKUserMessage>, options: Options) {
    this.#options = options
    this.#abortController = new AbortController()
    const { abortController } = options
    const abort = () => this.#abortController.abort()
    if (abortController?.signal.aborted === true) abort()
    else abortController?.signal.addEventListener('abort', abort, { once: true })
    this.#command = new InProcessCommand({
      ...{
        args: toArguments(options),
        cwd: options.cwd,
        env: toEnvironment(options),
        signal: this.#abortController.signal,
      },
      onError: (text) => options.stderr?.(text),
    })
    const sendQuietly = (request: Fields) => void this.#request(request).catch(() => {})
    this.#program = new ProgramSide(options, (line) => this.#command.send(line), sendQuietly)
    this.#iterator = this.#readMessages()
    this.#initialized = this.#initialize()
    this.#initialized.catch(() => {})
    this.#ended = this.#run()
    void this.#sendPrompts(prompt)
  }

  async #initialize(): Promise<Fields> {
    const hooks = this.#program.registerHooks()
    const servers = this.#listServers(this.#options.mcpServers ?? {})
    const configs = servers.flatMap(([name, { timeout }]) => (timeout === undefined ? [] : [[name, { timeout }]]))
    return await this.#request({
      ...toInitialize(this.#options),
      ...(hooks !== undefined && { hooks }),
      ...(servers.length > 0 && { sdkMcpServers: servers.map(([name]) => name) }),
      ...(configs.length > 0 && { sdkMcpServerConfigs: Object.fromEntries(configs) }),
    })
  }

  #listServers(servers: Readonly<Record<string, McpServerConfig>>) {
    return Object.entries(servers).flatMap(([name, config]) => ('instance' in config ? [[name, config] as const] : []))
  }

  /** Runs the session. The code is loaded here, so that an import of this module is fast. */
  async #run(): Promise<void> {
    const readLines = this.#readLines()
    try {
      const store = await this.#openStore()
      const [{ runDrivenSession }, { readAgentOptions }] = await Promise.all([
        import('../cli/stream-json/drive-session.js'),
        import('../cli/options/agent-options.js'),
      ])
      const { io, host } = this.#command
      const code = await runDrivenSession(io, host, readAgentOptions(io.args))
      await store?.finish()
      if (code !== 0 && !this.#isClosed && this.#lastError !== undefined)
        this.#failure = new Error(`Haft returned an error result: ${this.#lastError}`)
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
    if (this.#abortController.signal.aborted && !this.#isClosed) this.#failure = createAbortError()
    this.#command.closeOutput()
    await readLines
    this.#program.close()
    for (const { reject } of this.#responses.values()) reject(this.#failure ?? new Error('The session has ended.'))
    this.#responses.clear()
    this.#resolveIdle()
    this.#messages.close()
  }

  async #openStore() {
    const { sessionStore } = this.#options
    if (sessionStore === undefined) return undefined
    const { StoreMirror } = await import('./store-mirror.js')
    const { homeDir, cwd } = this.#command.host
    this.#mirror = await StoreMirror.open(sessionStore, { home: homeDir, cwd, resume: this.#options.resume })
    return this.#mirror
  }

  async #readLines(): Promise<void> {
    for await (const line of this.#command.lines as AsyncIterable<OutputLine>) {
      if (line.type === 'control_response') this.#receiveResponse(line.response)
      else if (line.type === 'control_request' || line.type === 'control_cancel_request') this.#program.handle(line)
      else if (line.type === 'system' && line.subtype === 'session_state_changed') this.#onState(line.state)
      else await this.#deliver(line)
    }
  }

  #onState(state: 'idle' | 'running'): void {
    if (state === 'idle') this.#resolveIdle()
  }

  async #deliver(message: SDKMessage): Promise<void> {
    if (message.type === 'result') {
      this.#lastError = message.is_error ? message.result : undefined
      await this.#mirror?.update(message.session_id)
    }
    // Waits for a reader that is slower than the session.
    await this.#messages.push(message)
  }

  #receiveResponse(response: Fields): void {
    const requestId = String(response.request_id)
    const pending = this.#responses.get(requestId)
    this.#responses.delete(requestId)
    if (response.subtype === 'success') pending?.resolve(isRecord(response.response) ? response.response : {})
    else pending?.reject(new Error(String(response.error)))
  }

  #request(request: Fields): Promise<Fields> {
    const requestId = randomUUID()
    return new Promise((resolve, reject) => {
      this.#responses.set(requestId, { resolve, reject })
      this.#command.send({ type: 'control_request', request_id: requestId, request })
    })
  }

  async #sendPrompts(prompt: string | AsyncIterable<SDKUserMessage>): Promise<void> {
    try {
      if (typeof prompt !== 'string') await this.streamInput(prompt)
      else {
        const idle = this.#waitUntilIdle()
        this.#command.send({ type: 'user', message: { role: 'user', content: prompt } })
        await idle
        this.#command.closeInput()
      }
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
      this.#abortController.abort()
    }
  }

  #waitUntilIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolveIdle = resolve
    })
  }

  async *#readMessages(): AsyncGenerator<SDKMessage, void> {
    try {
      yield* this.#messages
      if (this.#failure !== undefined) throw this.#failure
    } finally {
      this.close()
      await this.#ended
    }
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#iterator.next()
  }

  async return(): Promise<IteratorResult<SDKMessage, void>> {
    this.close()
    await this.#ended
    return await this.#iterator.return(undefined)
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    this.close()
    await this.#ended
    return await this.#iterator.throw(error)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    await this.#ended
  }

  /** Sends further prompts, and closes the input when all of them are answered. */
  async streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    let idle: Promise<void> | undefined
    for await (const message of stream) {
      if (this.#abortController.signal.aborted) return
      idle = this.#waitUntilIdle()
      this.#command.send(message)
    }
    await idle
    this.#command.closeInput()
  }

  /** Ends the running prompt. Prompts that wait stay queued. */
  async interrupt(): Promise<Fields> {
    return await this.#request({ subtype: 'interrupt' })
  }

  async setPermissionMode(mode: PermissionMode): Promise<void> {
    await this.#request({ subtype: 'set_permission_mode', mode })
  }

  /** Changes the model from the next prompt on; without a name, the initial one is restored. */
  async setModel(model?: string): Promise<void> {
    await this.#request({ subtype: 'set_model', ...(model !== undefined && { model }) })
  }

  async setMaxThinkingTokens(maxThinkingTokens: number | null): Promise<void> {
    await this.#request({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: maxThinkingTokens })
  }

  /** Returns what the session offers: commands, agents, models. */
  initializationResult(): Promise<Fields> {
    return this.#initialized
  }

  async supportedCommands(): Promise<unknown> {
    return (await this.#initialized).commands
  }

  async supportedModels(): Promise<unknown> {
    return (await this.#initialized).models
  }

  async supportedAgents(): Promise<unknown> {
    return (await this.#initialized).agents
  }

  async accountInfo(): Promise<unknown> {
    return (await this.#initialized).account
  }

  async mcpServerStatus(): Promise<unknown> {
    return (await this.#request({ subtype: 'mcp_status' })).mcpServers
  }

  async reconnectMcpServer(serverName: string): Promise<void> {
    await this.#request({ subtype: 'mcp_reconnect', serverName })
  }

  async toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    await this.#request({ subtype: 'mcp_toggle', serverName, enabled })
  }

  /** Replaces the servers that the options and earlier calls have added. */
  async setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<Fields> {
    this.#program.setServers(servers)
    const entries = Object.entries(servers).map(([name, config]) => {
      if (!('instance' in config)) return [name, config]
      const { instance: _, ...entry } = config
      return [name, entry]
    })
    return await this.#request({ subtype: 'mcp_set_servers', servers: Object.fromEntries(entries) })
  }

  async getContextUsage(): Promise<Fields> {
    return await this.#request({ subtype: 'get_context_usage' })
  }

  /** Restores the files from before the prompt with this uuid. */
  async rewindFiles(userMessageId: string, { dryRun = false }: { readonly dryRun?: boolean } = {}): Promise<Fields> {
    return await this.#request({ subtype: 'rewind_files', user_message_id: userMessageId, dry_run: dryRun })
  }

  async stopTask(taskId: string): Promise<void> {
    await this.#request({ subtype: 'stop_task', task_id: taskId })
  }

  /** Ends the session. Running calls are cancelled. */
  close(): void {
    this.#isClosed = true
    this.#command.closeInput()
    this.#abortController.abort()
  }
}

/** The lines of the session say whether it works, as the Agent SDK expects. */
function toEnvironment({ env = process.env }: Options) {
  return { ...env, CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' }
}

function createAbortError(): Error {
  const error = new Error('The query was aborted.')
  error.name = 'AbortError'
  return error
}
