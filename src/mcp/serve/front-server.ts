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
import { asProtocolError } from './call-result.js'
import { callTool } from './call-tool.js'
import { FrontCall, type FrontNotification, type Leg } from './client-call.js'
import type { Gateway } from './gateway.js'
import { complete } from './upstream-prompts.js'
import { passedMeta } from './upstream-servers.js'

/** Rounds of questions in one call; a client of an older revision is asked each of them by a request of its own. */
const MOST_ROUNDS = 100

/** The server that one client talks to for as long as it stays, and hears from what is told to all. */
export function createLastingServer(gateway: Gateway): Server {
  return createServer(gateway, true)
}

/** The server for one request of a client. */
export function createServerForRequest(gateway: Gateway): Server {
  return createServer(gateway, false)
}

function createServer(gateway: Gateway, isLasting: boolean): Server {
  const { prompts, resources, behind, parked } = gateway
  let level: LoggingLevel | undefined
  const server = new Server(gateway.info, {
    capabilities: {
      tools: { listChanged: true },
      logging: {},
      ...(behind !== undefined && {
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
      }),
    },
    inputRequired: { maxRounds: MOST_ROUNDS },
    requestState: { verify: (state) => parked.take(state) },
  })
  const through = <Result>(about: string, context: ServerContext, work: (call: FrontCall<Result>) => Promise<Result>) =>
    nextStep(gateway, server, { about, context, level: () => level }, work)

  server.setRequestHandler('tools/list', async () => ({ tools: [...(await gateway.listTools())] }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    through(`tools/call ${params.name}`, context, (call) => callTool(params, call, gateway)),
  )
  server.setRequestHandler('logging/setLevel', async ({ params }) => {
    level = params.level
    await gateway.setLogLevel(level)
    return {}
  })
  if (prompts !== undefined && resources !== undefined && behind !== undefined) {
    server.setRequestHandler('prompts/list', () => whenUp(gateway, () => prompts.list()))
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      through(`prompts/get ${params.name}`, context, ({ signal }) =>
        prompts.get(params.name, params.arguments, signal),
      ),
    )
    server.setRequestHandler('resources/list', () => whenUp(gateway, () => resources.list()))
    server.setRequestHandler('resources/templates/list', () => whenUp(gateway, () => resources.listTemplates()))
    server.setRequestHandler('resources/read', ({ params }, context) =>
      through(`resources/read ${params.uri}`, context, ({ signal }) => resources.read(params.uri, signal)),
    )
    for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
      server.setRequestHandler(method, async ({ params }) => {
        await resources.watch(params.uri, method === 'resources/subscribe').catch(rethrow)
        return {}
      })
    }
    server.setRequestHandler('completion/complete', ({ params }, { mcpReq: { signal } }) =>
      complete(params, { prompts, resources, behind }, signal).catch(rethrow),
    )
  }
  if (isLasting) follow(gateway, server, () => level)
  return server
}

async function whenUp<Result>({ serversCameUp }: Gateway, list: () => Promise<Result>): Promise<Result> {
  await serversCameUp()
  return list().catch(rethrow)
}

interface Request {
  readonly about: string
  readonly context: ServerContext
  readonly level: () => LoggingLevel | undefined
}

/** Begins a call, or goes on with one whose client came back with answers: until its result, or its next questions. */
async function nextStep<Result>(
  gateway: Gateway,
  server: Server,
  request: Request,
  work: (call: FrontCall<Result>) => Promise<Result>,
): Promise<Result | InputRequiredResult> {
  const { about, context, level } = request
  const { inputResponses = {} } = context.mcpReq
  const begun = context.mcpReq.requestState<FrontCall<Result>>()
  if (begun !== undefined && begun.about !== about) {
    begun.cancel('Its answers came with another request.')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'These answers belong to another request.')
  }
  const call = begun ?? new FrontCall(frontOptions(gateway, server, request), work)
  if (begun !== undefined) call.supply(inputResponses)
  try {
    const step = await call.next(legOf(context, level))
    if ('result' in step) return step.result
    const inputRequests = step.asks as NonNullable<InputRequiredResult['inputRequests']>
    return { resultType: 'input_required', inputRequests, requestState: gateway.parked.park(call) }
  } catch (error) {
    return rethrow(error)
  }
}

function frontOptions({ clients }: Gateway, server: Server, { about, context: { mcpReq }, level }: Request) {
  const { envelope, inputResponses: given = {}, _meta } = mcpReq
  const declared = envelopeField(envelope, CLIENT_CAPABILITIES_META_KEY)
  const isDeclared = isSpecType.ClientCapabilities(declared)
  const capabilities = (isDeclared ? declared : server.getClientCapabilities()) as ClientCapabilities | undefined
  // Older clients get a log unless they say otherwise.
  const logLevel = envelope === undefined ? (level() ?? 'info') : envelopeField(envelope, LOG_LEVEL_META_KEY)
  const { progressToken: _, ...ownMeta } = passedMeta(_meta)._meta ?? {}
  const meta = {
    ...ownMeta,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities ?? {},
    ...(logLevel !== undefined && { [LOG_LEVEL_META_KEY]: logLevel }),
  }
  return { about, capabilities: capabilities ?? {}, given, meta, folders: () => clients.folders }
}

/** Tells a client what everybody is told, while it stays. */
function follow(gateway: Gateway, server: Server, level: () => LoggingLevel | undefined): void {
  // A client that has gone, or has not said hello yet, does not miss it.
  const tell = (sent: Promise<void>): void => void sent.catch(() => {})
  const hasMore = gateway.behind !== undefined
  const leave = gateway.clients.join({
    listsChanged() {
      tell(server.sendToolListChanged())
      if (hasMore) tell(server.sendPromptListChanged())
      if (hasMore) tell(server.sendResourceListChanged())
    },
    resourceUpdated: (uri) => tell(server.sendResourceUpdated({ uri })),
    log({ level: said, data, logger }) {
      if (!isLoudEnough(said, level())) return
      const params = { level: said as LoggingLevel, data, ...(logger !== undefined && { logger }) }
      tell(server.notification({ method: 'notifications/message', params }))
    },
  })
  server.onclose = leave
}

function rethrow(error: unknown): never {
  throw error instanceof ProtocolError ? error : asProtocolError(error)
}

/** A field that newer clients send with each request. */
function envelopeField(envelope: object | undefined, key: string): unknown {
  return (envelope as Record<string, unknown> | undefined)?.[key]
}

/** A request of a client as a leg of its call: what is told on the way belongs to this request. */
function legOf({ mcpReq }: ServerContext, sessionLevel: () => LoggingLevel | undefined): Leg {
  const { signal, _meta, envelope } = mcpReq
  const tell = (notification: FrontNotification): void => {
    // A client that has gone does not miss it.
    void mcpReq.notify(notification).catch(() => {})
  }
  const wants = (level: unknown): boolean => {
    if (envelope === undefined) return isLoudEnough(level, sessionLevel())
    // In this revision who says no level wants no log.
    const wanted = envelopeField(envelope, LOG_LEVEL_META_KEY)
    return isSpecType.LoggingLevel(wanted) && isLoudEnough(level, wanted)
  }
  return {
    signal,
    notify({ method, params }) {
      const progressToken = _meta?.progressToken
      if (method === 'notifications/message') {
        if (wants(params.level)) tell({ method, params })
      } else if (method !== 'notifications/progress') tell({ method, params })
      else if (progressToken !== undefined) tell({ method, params: { ...params, progressToken } })
    },
  }
}

const LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** Whether a message of this level is wanted by who asked for another; who asked for none gets all. */
function isLoudEnough(level: unknown, wanted: LoggingLevel | undefined): boolean {
  return wanted === undefined || LEVELS.indexOf(level as LoggingLevel) >= LEVELS.indexOf(wanted)
}
