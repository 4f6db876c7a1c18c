import { isAbsolute } from 'node:path'
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type McpServer,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from '@agentclientprotocol/sdk'
import type { ListedSession } from '../session/transcript/read/list-sessions.js'
import { SessionError } from '../session/transcript/storage/session-error.js'
import { isRecord } from '../shared/is-record.js'
import { reasonOf } from '../shared/reason-of.js'
import { version } from '../shared/version.js'
import { type AcpHost, MissingModelError, type SessionRequest } from './acp-host.js'
import { ConnectedSession } from './connected-session.js'

const SESSIONS_PER_PAGE = 50

const AUTH_METHOD = {
  id: 'environment',
  name: 'API key in the environment',
  description:
    'Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OPENAI_BASE_URL and HAFT_MODEL, in the environment of the editor.',
}

/** Serves an editor over the Agent Client Protocol until the connection or the signal ends. */
export async function serveAcp(stream: Stream, host: AcpHost, signal: AbortSignal): Promise<void> {
  const server = new AcpServer(host)
  const connection = server.createApp().connect(stream)
  const close = () => connection.close()
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()
  await connection.closed.catch(() => undefined)
  signal.removeEventListener('abort', close)
  await server.dispose()
}

/** What a request names besides the session: the folders and servers that it works with. */
interface Workspace {
  readonly cwd: string
  readonly additionalDirectories?: readonly string[]
  readonly mcpServers?: readonly McpServer[]
}

/** The sessions of one editor. */
class AcpServer {
  readonly #host: AcpHost
  readonly #sessions = new Map<string, ConnectedSession>()
  /** Sessions that are being opened, so that the end of the connection closes them as well. */
  readonly #opening = new Set<Promise<unknown>>()
  #capabilities: ClientCapabilities = {}

  constructor(host: AcpHost) {
    this.#host = host
  }

  createApp(): AgentApp {
    return agent({ name: 'haft' })
      .onRequest('initialize', ({ params }) => {
        this.#capabilities = params.clientCapabilities ?? {}
        return createInitializeResponse()
      })
      .onRequest('authenticate', async ({ params: { methodId } }) => {
        if (methodId !== AUTH_METHOD.id) throw RequestError.invalidParams(undefined, `unknown method "${methodId}"`)
        const problem = await this.#host.findModelProblem()
        if (problem !== undefined) throw RequestError.authRequired(undefined, problem)
      })
      .onRequest('session/new', async ({ params, client }) => {
        const session = await this.#open(params, client)
        return { sessionId: session.id, modes: session.modes, configOptions: session.configOptions }
      })
      .onRequest('session/load', async ({ params, client }) => {
        const session = await this.#open(params, client, { id: params.sessionId, isFork: false })
        session.replay()
        return { modes: session.modes, configOptions: session.configOptions }
      })
      .onRequest('session/resume', async ({ params, client }) => {
        const session = await this.#open(params, client, { id: params.sessionId, isFork: false })
        return { modes: session.modes, configOptions: session.configOptions }
      })
      .onRequest('session/fork', parseForkRequest, async ({ params, client }) => {
        const session = await this.#open(params, client, { id: params.sessionId, isFork: true })
        return { sessionId: session.id, modes: session.modes, configOptions: session.configOptions }
      })
      .onRequest('session/list', ({ params }) => this.#list(params.cwd ?? undefined, params.cursor ?? undefined))
      .onRequest('session/delete', async ({ params: { sessionId } }) => {
        await this.#close(sessionId)
        await this.#host.deleteSession(sessionId).catch(rethrowSessionError)
      })
      .onRequest('session/close', async ({ params: { sessionId } }) => {
        if (!(await this.#close(sessionId))) throw RequestError.sessionNotFound(sessionId)
      })
      .onRequest('session/set_mode', ({ params: { sessionId, modeId } }) => this.#get(sessionId).setMode(modeId))
      .onRequest('session/set_config_option', async ({ params }) => {
        const session = this.#get(params.sessionId)
        await session.setOption(params.configId, params.value)
        return { configOptions: session.configOptions }
      })
      .onRequest('session/prompt', ({ params, signal }) => this.#get(params.sessionId).prompt(params, signal))
      .onNotification('session/cancel', ({ params: { sessionId } }) => this.#sessions.get(sessionId)?.cancel())
  }

  async dispose(): Promise<void> {
    await Promise.allSettled(this.#opening)
    await Promise.allSettled([...this.#sessions.keys()].map((id) => this.#close(id)))
  }

  async #open(
    workspace: Workspace,
    client: AgentContext,
    continued?: SessionRequest['continued'],
  ): Promise<ConnectedSession> {
    const { cwd, additionalDirectories = [], mcpServers = [] } = workspace
    const relativePath = [cwd, ...additionalDirectories].find((path) => !isAbsolute(path))
    if (relativePath !== undefined)
      throw RequestError.invalidParams(undefined, `the path "${relativePath}" must be absolute`)
    if (continued?.isFork === false) await this.#close(continued.id)
    const request: SessionRequest = {
      cwd,
      additionalFolders: additionalDirectories,
      mcpServers: Object.fromEntries(mcpServers.map((server) => [server.name, toServerConfig(server)])),
      ...(continued !== undefined && { continued }),
    }
    const opening = ConnectedSession.open(this.#host, request, client, this.#capabilities).then((session) => {
      this.#sessions.set(session.id, session)
      return session
    })
    this.#opening.add(opening)
    try {
      const session = await opening
      // After the answer: some editors do not know the session before it, and ignore or reject the update.
      setImmediate(() => void session.announceCommands().catch(() => undefined))
      return session
    } catch (error) {
      throw toRequestError(error, continued?.id)
    } finally {
      this.#opening.delete(opening)
    }
  }

  #get(sessionId: string): ConnectedSession {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) throw RequestError.sessionNotFound(sessionId)
    return session
  }

  /** Returns whether the session was open. */
  async #close(sessionId: string): Promise<boolean> {
    const session = this.#sessions.get(sessionId)
    this.#sessions.delete(sessionId)
    await session?.close()
    return session !== undefined
  }

  async #list(cwd: string | undefined, cursor: string | undefined) {
    const start = cursor === undefined ? 0 : Number(cursor)
    if (!Number.isSafeInteger(start) || start < 0) throw RequestError.invalidParams(undefined, 'the cursor is invalid')
    const sessions = await this.#host.listSessions(cwd)
    const end = start + SESSIONS_PER_PAGE
    return {
      sessions: sessions.slice(start, end).map(toSessionInfo),
      ...(end < sessions.length && { nextCursor: String(end) }),
    }
  }
}

function createInitializeResponse() {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'haft', title: 'Haft', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, fork: {}, additionalDirectories: {} },
    },
    authMethods: [AUTH_METHOD],
  }
}

/** `session/fork` is not in the stable schema yet, so its parameters are checked here. */
function parseForkRequest(params: unknown): Workspace & { readonly sessionId: string } {
  if (!isRecord(params) || typeof params.sessionId !== 'string' || typeof params.cwd !== 'string')
    throw RequestError.invalidParams(undefined, 'session/fork needs sessionId and cwd')
  const { sessionId, cwd, additionalDirectories, mcpServers } = params
  return {
    ...{ sessionId, cwd },
    ...(Array.isArray(additionalDirectories) && { additionalDirectories: additionalDirectories.map(String) }),
    ...(Array.isArray(mcpServers) && { mcpServers: mcpServers as McpServer[] }),
  }
}

function toServerConfig(server: McpServer): Record<string, unknown> {
  if ('command' in server) {
    const { command, args, env } = server
    return { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) }
  }
  const { type, url, headers } = server
  return { type, url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }
}

function toSessionInfo({ id, cwd = '', title, lastAt }: ListedSession) {
  return { sessionId: id, cwd, ...(title !== undefined && { title }), updatedAt: new Date(lastAt).toISOString() }
}

function toRequestError(error: unknown, sessionId: string | undefined): unknown {
  if (error instanceof MissingModelError) return RequestError.authRequired(undefined, error.message)
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof SessionError && cause.code === 'not_found' && sessionId !== undefined)
    return RequestError.sessionNotFound(sessionId)
  return error instanceof RequestError ? error : RequestError.invalidParams(undefined, reasonOf(error))
}

function rethrowSessionError(error: unknown): never {
  throw RequestError.invalidParams(undefined, reasonOf(error))
}
