import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  isSpecType,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { toProtocolError } from './call-result.js'
import { callTool } from './call-tool.js'
import { ClientCall, type ClientNotification, type PendingRequest } from './client-call.js'
import type { Gateway } from './gateway.js'
import { completeArgument } from './upstream-prompts.js'
import { selectForwardedMeta } from './upstream-servers.js'

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
  let level: LoggingLevel | undefined
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
  const handleCall = <Result>(
    requestKey: string,
    context: ServerContext,
    work: (call: ClientCall<Result>) => Promise<Result>,
  ) => runNextStep(gateway, server, { requestKey, context, level: () => level }, work)

  server.setRequestHandler('tools/list', async () => ({ tools: [...(await gateway.listTools())] }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    handleCall(`tools/call ${params.name}`, context, (call) => callTool(params, call, gateway)),
  )
  server.setRequestHandler('logging/setLevel', async ({ params }) => {
    level = params.level
    await gateway.setLogLevel(level)
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
    server.setRequestHandler('completion/complete', ({ params }, { mcpReq: { signal } }) =>
      completeArgument(params, { prompts, resources, upstream }, signal).catch(rethrow),
    )
  }
  if (hasSession) subscribeClient(gateway, server, () => level)
  return server
}

async function listWhenServersReady<Result>({ waitForServers }: Gateway, list: () => Promise<Result>): Promise<Result> {
  await waitForServers()
  return list().catch(rethrow)
}

interface CallRequest {
  readonly requestKey: string
  readonly context: ServerContext
  readonly level: () => LoggingLevel | undefined
}

/** Starts a call, or continues one whose client sent answers, until it has a result or further questions. */
async function runNextStep<Result>(
  gateway: Gateway,
  server: Server,
  request: CallRequest,
  work: (call: ClientCall<Result>) => Promise<Result>,
): Promise<Result | InputRequiredResult> {
  const { requestKey, context, level } = request
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
    const step = await call.advance(toPendingRequest(context, level))
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
  { requestKey, context: { mcpReq }, level }: CallRequest,
) {
  const { envelope, inputResponses: initialAnswers = {}, _meta } = mcpReq
  const declaredCapabilities = readEnvelopeField(envelope, CLIENT_CAPABILITIES_META_KEY)
  const hasDeclaredCapabilities = isSpecType.ClientCapabilities(declaredCapabilities)
  const capabilities = (hasDeclaredCapabilities ? declaredCapabilities : server.getClientCapabilities()) as
    | ClientCapabilities
    | undefined
  // Older clients receive logs of level info by default.
  const logLevel = envelope === undefined ? (level() ?? 'info') : readEnvelopeField(envelope, LOG_LEVEL_META_KEY)
  const { progressToken: _, ...clientMeta } = selectForwardedMeta(_meta)._meta ?? {}
  const meta = {
    ...clientMeta,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities ?? {},
    ...(logLevel !== undefined && { [LOG_LEVEL_META_KEY]: logLevel }),
  }
  return { requestKey, capabilities: capabilities ?? {}, initialAnswers, meta, folders: () => clients.folders }
}

/** Sends notifications to the client until its session ends. */
function subscribeClient(gateway: Gateway, server: Server, level: () => LoggingLevel | undefined): void {
  // A failure is ignored: the client has disconnected or is not initialised yet.
  const send = (notification: Promise<void>): void => void notification.catch(() => {})
  const servesUpstream = gateway.upstream !== undefined
  const unsubscribe = gateway.clients.subscribe({
    notifyListsChanged() {
      send(server.sendToolListChanged())
      if (servesUpstream) send(server.sendPromptListChanged())
      if (servesUpstream) send(server.sendResourceListChanged())
    },
    notifyResourceUpdated: (uri) => send(server.sendResourceUpdated({ uri })),
    log({ level: messageLevel, data, logger }) {
      if (!isLevelEnabled(messageLevel, level())) return
      const params = { level: messageLevel as LoggingLevel, data, ...(logger !== undefined && { logger }) }
      send(server.notification({ method: 'notifications/message', params }))
    },
  })
  server.onclose = unsubscribe
}

function rethrow(error: unknown): never {
  throw error instanceof ProtocolError ? error : toProtocolError(error)
}

/** Reads a metadata field that newer clients send with each request. */
function readEnvelopeField(envelope: object | undefined, key: string): unknown {
  return (envelope as Record<string, unknown> | undefined)?.[key]
}

/** Converts a client request to the pending request of its call. Notifications are sent within this request. */
function toPendingRequest({ mcpReq }: ServerContext, sessionLevel: () => LoggingLevel | undefined): PendingRequest {
  const { signal, _meta, envelope } = mcpReq
  const send = (notification: ClientNotification): void => {
    // A failure is ignored, because the client has disconnected.
    void mcpReq.notify(notification).catch(() => {})
  }
  const isEnabled = (level: unknown): boolean => {
    if (envelope === undefined) return isLevelEnabled(level, sessionLevel())
    // A client that sends an envelope without a log level receives no logs.
    const minimumLevel = readEnvelopeField(envelope, LOG_LEVEL_META_KEY)
    return isSpecType.LoggingLevel(minimumLevel) && isLevelEnabled(level, minimumLevel)
  }
  return {
    signal,
    notify({ method, params }) {
      const progressToken = _meta?.progressToken
      if (method === 'notifications/message') {
        if (isEnabled(params.level)) send({ method, params })
      } else if (method !== 'notifications/progress') send({ method, params })
      else if (progressToken !== undefined) send({ method, params: { ...params, progressToken } })
    },
  }
}

const LOG_LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** Whether a log message passes the minimum level. Without a minimum, all messages pass. */
function isLevelEnabled(level: unknown, minimumLevel: LoggingLevel | undefined): boolean {
  return minimumLevel === undefined || LOG_LEVELS.indexOf(level as LoggingLevel) >= LOG_LEVELS.indexOf(minimumLevel)
}
