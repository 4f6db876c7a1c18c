import { randomUUID } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type CompleteResult,
  type InputRequiredResult,
  isInputRequiredResult,
  isSpecType,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { type InputRequest, selectForwardedMeta } from '../client/exchange.js'
import { toProtocolError } from './call-result.js'
import { callTool } from './call-tool.js'
import { ClientCall, type PendingRequest } from './client-call.js'
import { type ClientNotification, isLevelEnabled } from './client-notification.js'
import { ClientSession } from './client-session.js'
import type { Gateway } from './gateway.js'
import { NotificationQueue } from './notification-queue.js'
import { completeArgument } from './upstream-prompts.js'

/** The maximum number of rounds of questions in one call. */
const MAX_ROUNDS = 100

/** Creates the server for the session of one client, which also receives notifications. */
export function createSessionServer(gateway: Gateway): Server {
  return createServer(gateway, true)
}

/** Creates a server for a single stateless request. */
export function createRequestServer(gateway: Gateway): Server {
  return createServer(gateway, false)
}

function createServer(gateway: Gateway, hasSession: boolean): Server {
  const { prompts, resources, upstream, waitingCalls } = gateway
  const server = new Server(gateway.info, {
    capabilities: {
      tools: { listChanged: true },
      logging: {},
      ...(upstream !== undefined && {
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
      }),
    },
    inputRequired: { maxRounds: MAX_ROUNDS },
    requestState: { verify: (state) => waitingCalls.remove(state) },
  })
  const session = hasSession ? openSession(gateway, server) : undefined
  const handleCall = <Result>(
    requestKey: string,
    context: ServerContext,
    work: (call: ClientCall<Result>) => Promise<Result>,
  ) => runNextStep(gateway, server, { requestKey, context, session }, work)

  const getRuntime = ({ mcpReq: { envelope } }: ServerContext) =>
    gateway.runtimes.get(session ?? readClientName(envelope))
  server.setRequestHandler('tools/list', async (_request, context) => ({
    tools: [...(await gateway.listTools(getRuntime(context)))],
  }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    handleCall(`tools/call ${params.name}`, context, (call) => callTool(params, call, gateway, getRuntime(context))),
  )
  server.setRequestHandler('logging/setLevel', async ({ params }) => {
    if (session !== undefined) session.level = params.level
    await gateway.setLogLevel(params.level)
    return {}
  })
  if (prompts !== undefined && resources !== undefined && upstream !== undefined) {
    server.setRequestHandler('prompts/list', () => listWhenServersReady(gateway, () => prompts.list()))
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      handleCall(`prompts/get ${params.name}`, context, ({ signal }) =>
        prompts.get(params.name, params.arguments, signal),
      ),
    )
    server.setRequestHandler('resources/list', () => listWhenServersReady(gateway, () => resources.list()))
    server.setRequestHandler('resources/templates/list', () =>
      listWhenServersReady(gateway, () => resources.listTemplates()),
    )
    server.setRequestHandler('resources/read', ({ params }, context) =>
      handleCall(`resources/read ${params.uri}`, context, ({ signal }) => resources.read(params.uri, signal)),
    )
    for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
      server.setRequestHandler(method, async ({ params }) => {
        await resources.watch(params.uri, method === 'resources/subscribe').catch(rethrow)
        return {}
      })
    }
    server.setRequestHandler('completion/complete', async ({ params }, context) => {
      const sources = { prompts, resources, upstream }
      const result = await handleCall<CompleteResult>('completion/complete', context, ({ signal }) =>
        completeArgument(params, sources, signal),
      )
      if (!isInputRequiredResult(result)) return result
      waitingCalls.remove(result.requestState ?? '').cancel('A completion cannot ask the user.')
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        'A permission rule requires asking the user, which is not possible for a completion in this protocol revision.',
      )
    })
  }
  return server
}

async function listWhenServersReady<Result>({ waitForServers }: Gateway, list: () => Promise<Result>): Promise<Result> {
  await waitForServers()
  return list().catch(rethrow)
}

interface CallRequest {
  readonly requestKey: string
  readonly context: ServerContext
  /** Undefined if the request is stateless. */
  readonly session: ClientSession | undefined
}

/** Starts a call, or continues one whose client sent answers, until it has a result or further questions. */
async function runNextStep<Result>(
  gateway: Gateway,
  server: Server,
  request: CallRequest,
  work: (call: ClientCall<Result>) => Promise<Result>,
): Promise<Result | InputRequiredResult> {
  const { requestKey, context, session } = request
  const { inputResponses = {} } = context.mcpReq
  const waitingCall = context.mcpReq.requestState<ClientCall<Result>>()
  if (waitingCall !== undefined && waitingCall.requestKey !== requestKey) {
    waitingCall.cancel('The client sent the answers for this call with a different request.')
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'These answers belong to a different request. Send the request again without a state.',
    )
  }
  const call = waitingCall ?? new ClientCall(createCallOptions(gateway, server, request), work)
  if (waitingCall !== undefined) call.supplyResponses(inputResponses)
  try {
    const step = await call.advance(toPendingRequest(server, context, session))
    if ('result' in step) return step.result
    const inputRequests = step.inputRequests as NonNullable<InputRequiredResult['inputRequests']>
    return { resultType: 'input_required', inputRequests, requestState: gateway.waitingCalls.add(call) }
  } catch (error) {
    return rethrow(error)
  }
}

function createCallOptions(
  { clients }: Gateway,
  server: Server,
  { requestKey, context: { mcpReq }, session }: CallRequest,
) {
  const { envelope, inputResponses: initialAnswers = {}, _meta } = mcpReq
  const declaredCapabilities = readEnvelopeField(envelope, CLIENT_CAPABILITIES_META_KEY)
  const hasDeclaredCapabilities = isSpecType.ClientCapabilities(declaredCapabilities)
  const capabilities = (hasDeclaredCapabilities ? declaredCapabilities : server.getClientCapabilities()) as
    | ClientCapabilities
    | undefined
  // Older clients receive logs of level info by default.
  const logLevel = envelope === undefined ? (session?.level ?? 'info') : readEnvelopeField(envelope, LOG_LEVEL_META_KEY)
  const { progressToken: _, ...clientMeta } = selectForwardedMeta(_meta)._meta ?? {}
  const meta = {
    ...clientMeta,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities ?? {},
    ...(logLevel !== undefined && { [LOG_LEVEL_META_KEY]: logLevel }),
  }
  return { requestKey, session, capabilities: capabilities ?? {}, initialAnswers, meta, folders: () => clients.folders }
}

/** Opens the session of a client, which receives notifications until it ends. */
function openSession(gateway: Gateway, server: Server): ClientSession {
  const session = new ClientSession(server)
  const servesUpstream = gateway.upstream !== undefined
  const unsubscribe = gateway.clients.subscribe({
    session,
    notifyListChanged(kind) {
      if (kind === 'tools' || servesUpstream) session.notifyListChanged(kind)
    },
    notifyResourceUpdated: (uri) => session.notifyResourceUpdated(uri),
    log: (entry) => session.log(entry),
  })
  const announceRoots = () => void gateway.upstream?.servers.rootsChanged()
  server.oninitialized = () => {
    if (server.getClientCapabilities()?.roots !== undefined) announceRoots()
  }
  server.setNotificationHandler('notifications/roots/list_changed', announceRoots)
  server.onclose = () => {
    session.isConnected = false
    unsubscribe()
    void gateway.runtimes.end(session).catch(() => {})
  }
  return session
}

function rethrow(error: unknown): never {
  throw error instanceof ProtocolError ? error : toProtocolError(error)
}

/** Returns the name and version that a client without a session states. */
function readClientName(envelope: object | undefined): string {
  const info = readEnvelopeField(envelope, CLIENT_INFO_META_KEY)
  return isSpecType.Implementation(info) ? JSON.stringify([info.name, info.version]) : ''
}

/** Reads a metadata field that newer clients send with each request. */
function readEnvelopeField(envelope: object | undefined, key: string): unknown {
  return (envelope as Record<string, unknown> | undefined)?.[key]
}

/** How long a user may take to answer. */
const ANSWER_TIMEOUT_MS = 10 * 60 * 1000

/** Converts a client request to the pending request of its call. Notifications are sent within this request. */
function toPendingRequest(
  server: Server,
  { mcpReq }: ServerContext,
  session: ClientSession | undefined,
): PendingRequest {
  const { signal, _meta, envelope, id } = mcpReq
  const notifications = session?.notifications ?? new NotificationQueue()
  const send = (notification: ClientNotification): Promise<void> => mcpReq.notify(notification as never)
  const isEnabled = (level: unknown): boolean => {
    if (envelope === undefined) return isLevelEnabled(level, session?.level)
    // A client that sends an envelope without a log level receives no logs.
    const minimumLevel = readEnvelopeField(envelope, LOG_LEVEL_META_KEY)
    return isSpecType.LoggingLevel(minimumLevel) && isLevelEnabled(level, minimumLevel)
  }
  return {
    signal,
    notify({ method, params }) {
      const progressToken = _meta?.progressToken
      if (method === 'notifications/message') {
        if (isEnabled(params.level)) notifications.addLog(params, send)
      } else if (method === 'notifications/progress' && progressToken !== undefined) {
        const notification = { method, params: { ...params, progressToken } }
        notifications.add(`progress ${id}`, () => send(notification))
      }
    },
    // Without an envelope, the protocol revision has requests to the client.
    ...(envelope === undefined && {
      ask: (request) => askClient(server, request, { relatedRequestId: id, timeout: ANSWER_TIMEOUT_MS, signal }),
    }),
  }
}

/** Sends a request to a client of an older revision. */
function askClient(server: Server, { method, params = {} }: InputRequest, options: RequestOptions): Promise<unknown> {
  if (method === 'roots/list') return server.listRoots(undefined, options)
  if (method === 'sampling/createMessage') return server.createMessage(params as never, options)
  // Older revisions require an identifier for URLs.
  const extraParams = params.mode === 'url' && params.elicitationId === undefined && { elicitationId: randomUUID() }
  return server.elicitInput({ ...params, ...extraParams } as never, options)
}
