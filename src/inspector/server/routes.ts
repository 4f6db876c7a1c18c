import { PERMISSION_MODES } from '../../contract/permission/context.js'
import { listSessions } from '../../session/transcript/read/list-sessions.js'
import { isRecord } from '../../shared/is-record.js'
import { describeMessage } from '../data/conversation.js'
import { collectCalls } from '../data/past-calls.js'
import { searchSessions } from '../data/search-sessions.js'
import { showCall } from '../data/show-call.js'
import { collectExport } from '../export/collect-export.js'
import { toHtmlFile } from '../export/html.js'
import { toOtlp } from '../export/otlp.js'
import type { SimulatedRules } from '../workbench.js'
import type { WatchedSession } from './live-sessions.js'
import { replayDecisions } from './replay-decisions.js'
import type { RequestContext } from './request-context.js'

/** A request that cannot be answered because it is malformed. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequestError'
}

/** An answer with a body. */
export interface Reply {
  readonly status?: number
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that sends events until the page leaves. */
export interface StreamReply {
  /** Returns a function that ends the events. */
  readonly stream: (emit: (name: string, data: unknown) => void) => () => void
}

export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly body: unknown
  readonly signal: AbortSignal
}

type Handler = (request: ApiRequest, context: RequestContext, args: readonly string[]) => Promise<Reply | StreamReply>

const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ['GET', /^\/api\/sessions$/, listAll],
  ['GET', /^\/api\/search$/, search],
  ['GET', /^\/api\/sessions\/([^/]+)$/, readRows],
  ['GET', /^\/api\/sessions\/([^/]+)\/events$/, watchSession],
  ['GET', /^\/api\/sessions\/([^/]+)\/calls\/(\d+)$/, readCall],
  ['GET', /^\/api\/sessions\/([^/]+)\/messages\/(\d+)$/, readMessages],
  ['GET', /^\/api\/sessions\/([^/]+)\/requests\/(\d+)$/, readRequest],
  ['GET', /^\/api\/sessions\/([^/]+)\/hooks$/, readHookRuns],
  ['GET', /^\/api\/sessions\/([^/]+)\/export\.html$/, exportHtml],
  ['GET', /^\/api\/sessions\/([^/]+)\/export\.otlp\.json$/, exportOtlp],
  ['GET', /^\/api\/pool$/, async (_, { workbench }) => toJson(await workbench.listPool())],
  ['GET', /^\/api\/servers$/, async (_, { workbench }) => toJson(await workbench.listServers())],
  ['GET', /^\/api\/hooks$/, async (_, { workbench }) => toJson(workbench.listHooks())],
  ['POST', /^\/api\/tool-search$/, searchTools],
  ['POST', /^\/api\/simulate$/, simulate],
  ['POST', /^\/api\/replay-decisions$/, replay],
  ['POST', /^\/api\/call$/, callTool],
  ['POST', /^\/api\/answer$/, answer],
]

/** Answers a request to the API. Throws a `BadRequestError` or a `SessionError` if it cannot be answered. */
export async function routeRequest(request: ApiRequest, context: RequestContext): Promise<Reply | StreamReply> {
  for (const [method, path, handler] of ROUTES) {
    const match = path.exec(request.url.pathname)
    if (match !== null && method === request.method) return handler(request, context, match.slice(1))
  }
  return { status: 404, type: 'application/json', body: JSON.stringify({ error: 'Not found.' }) }
}

function toJson(value: unknown): Reply {
  return { type: 'application/json', body: JSON.stringify(value) ?? 'null' }
}

async function listAll(_: ApiRequest, { home, projectRoot, files }: RequestContext): Promise<Reply> {
  const sessions = await listSessions(home, projectRoot)
  const otherFiles = [...files.keys()].filter((id) => sessions.every((session) => session.id !== id))
  return toJson([...otherFiles.map((id) => ({ id, title: files.get(id)?.transcript, lastAt: 0 })), ...sessions])
}

async function search({ url, signal }: ApiRequest, { home, projectRoot }: RequestContext): Promise<Reply> {
  const query = url.searchParams.get('q') ?? ''
  if (query.trim() === '') return toJson([])
  return toJson(await searchSessions(await listSessions(home, projectRoot), query, signal))
}

function open({ sessions }: RequestContext, [id = '']: readonly string[]): Promise<WatchedSession> {
  return sessions.open(id)
}

async function readRows(_: ApiRequest, context: RequestContext, args: readonly string[]): Promise<Reply> {
  return toJson((await open(context, args)).data.rows)
}

async function watchSession(_: ApiRequest, context: RequestContext, args: readonly string[]): Promise<StreamReply> {
  const session = await open(context, args)
  return {
    stream(emit) {
      emit('rows', session.data.rows)
      return session.watch((update) => emit('update', update))
    },
  }
}

async function readCall(_: ApiRequest, context: RequestContext, args: readonly string[]): Promise<Reply> {
  const { data } = await open(context, args)
  const detail = data.readCall(Number(args[1]))
  if (detail === undefined) throw new BadRequestError('There is no such call.')
  const checkpoint = await context.workbench.readCheckpoint(data.rows, detail.row.id)
  return toJson(showCall(detail, context.workbench.findTool(detail.row.tool), checkpoint))
}

const MESSAGES_PER_PAGE = 60

async function readMessages({ url }: ApiRequest, context: RequestContext, args: readonly string[]): Promise<Reply> {
  const { data } = await open(context, args)
  const agent = Number(url.searchParams.get('agent') ?? 0)
  const { messages } = data.rows
  const page: object[] = []
  let position = Number(args[1])
  for (; position < messages.length && page.length < MESSAGES_PER_PAGE; position++) {
    const row = messages[position]
    if (row?.agent === agent) page.push({ position, at: row.at, ...describeMessage(data.readMessage(position)) })
  }
  return toJson({ messages: page, next: position < messages.length ? position : undefined })
}

async function readRequest(_: ApiRequest, context: RequestContext, args: readonly string[]): Promise<Reply> {
  const detail = (await open(context, args)).data.readRequest(Number(args[1]))
  if (detail === undefined) throw new BadRequestError('There is no such request.')
  return toJson(detail)
}

async function readHookRuns(_: ApiRequest, context: RequestContext, args: readonly string[]): Promise<Reply> {
  return toJson((await open(context, args)).data.listHookRuns())
}

async function exportHtml(_: ApiRequest, context: RequestContext, args: readonly string[]): Promise<Reply> {
  const { data } = await open(context, args)
  const exported = await collectExport(data, context.workbench)
  return {
    type: 'text/html; charset=utf-8',
    body: toHtmlFile(context.assets, `Haft session ${data.paths.id}`, exported),
    headers: { 'Content-Disposition': `attachment; filename="haft-${data.paths.id}.html"` },
  }
}

async function exportOtlp(_: ApiRequest, context: RequestContext, args: readonly string[]): Promise<Reply> {
  const { data } = await open(context, args)
  const otlp = toOtlp(data.rows, (position) => data.readCall(position)?.trace)
  return {
    ...toJson(otlp),
    headers: { 'Content-Disposition': `attachment; filename="haft-${data.paths.id}.otlp.json"` },
  }
}

async function searchTools({ body }: ApiRequest, { workbench }: RequestContext): Promise<Reply> {
  return toJson(await workbench.search(requireText(body, 'query')))
}

async function simulate({ body }: ApiRequest, { workbench }: RequestContext): Promise<Reply> {
  const input = isRecord(body) ? body.input : undefined
  return toJson(await workbench.simulate(requireText(body, 'tool'), input, requireRules(body)))
}

async function replay({ body, signal }: ApiRequest, context: RequestContext): Promise<Reply> {
  const sessionList = await listSessions(context.home, context.projectRoot)
  const calls = await collectCalls(sessionList, signal)
  return toJson(await replayDecisions(calls, requireRules(body), context.workbench, signal))
}

async function callTool({ body }: ApiRequest, { calls }: RequestContext): Promise<StreamReply> {
  const tool = requireText(body, 'tool')
  const input = isRecord(body) ? body.input : undefined
  return { stream: (emit) => calls.start(tool, input, (event) => emit('call', event)) }
}

async function answer({ body }: ApiRequest, { calls }: RequestContext): Promise<Reply> {
  const behavior = requireText(body, 'behavior')
  if (behavior !== 'allow' && behavior !== 'deny') throw new BadRequestError('behavior must be allow or deny.')
  const suggestion = isRecord(body) && typeof body.suggestion === 'number' ? body.suggestion : undefined
  const isOpen = calls.answer(requireText(body, 'id'), { behavior, ...(suggestion !== undefined && { suggestion }) })
  return toJson({ isOpen })
}

function requireText(body: unknown, name: string): string {
  const value = isRecord(body) ? body[name] : undefined
  if (typeof value !== 'string') throw new BadRequestError(`${name} must be a string.`)
  return value
}

/** Reads rules to try. An invalid list is refused, because ignoring it could make a call look allowed. */
function requireRules(body: unknown): SimulatedRules {
  const rules = isRecord(body) && isRecord(body.rules) ? body.rules : {}
  const mode = PERMISSION_MODES.find((candidate) => candidate === (rules.mode ?? 'default'))
  if (mode === undefined) throw new BadRequestError(`mode must be one of ${PERMISSION_MODES.join(', ')}.`)
  const readList = (name: 'allow' | 'deny' | 'ask'): readonly string[] => {
    const list = rules[name] ?? []
    if (!Array.isArray(list) || !list.every((rule) => typeof rule === 'string'))
      throw new BadRequestError(`rules.${name} must be a list of strings.`)
    return list
  }
  return {
    mode,
    withSettings: rules.withSettings === true,
    allow: readList('allow'),
    deny: readList('deny'),
    ask: readList('ask'),
  }
}
