import type { ShownMessage } from '../src/inspector/data/conversation.js'
import type { RequestDetail } from '../src/inspector/data/request-details.js'
import type { SessionRows } from '../src/inspector/data/rows.js'
import type { ShownCall } from '../src/inspector/data/show-call.js'
import type { ExportedSession } from '../src/inspector/export/collect-export.js'

/** A message with its position. */
export interface PlacedMessage extends ShownMessage {
  readonly position: number
  readonly at: number
}

/** One page of a conversation. */
export interface MessagePage {
  readonly messages: readonly PlacedMessage[]
  readonly next?: number
}

/** Receives the named events of a stream. */
type OnEvent = (name: string, data: unknown) => void

const STORAGE_KEY = 'haft-token'

/** The address that the command printed contains the token and the session. */
export interface StartParameters {
  readonly session: string | undefined
}

let token = ''

/** Takes the token out of the address, so that it is not in the history or in a copied address. */
export function takeStartParameters(): StartParameters {
  const parameters = new URLSearchParams(location.hash.replace(/^#/, ''))
  const givenToken = parameters.get('token')
  if (givenToken !== null) {
    sessionStorage.setItem(STORAGE_KEY, givenToken)
    history.replaceState(null, '', '#/timeline')
  }
  token = exportedSession === undefined ? (sessionStorage.getItem(STORAGE_KEY) ?? '') : ''
  return { session: parameters.get('session') ?? exportedSession?.rows.id ?? undefined }
}

/** The session inside an exported file; undefined if there is a server. */
export const exportedSession: ExportedSession | undefined = readExport()

function readExport(): ExportedSession | undefined {
  const text = document.getElementById('data')?.textContent
  return text === undefined || text === null ? undefined : (JSON.parse(text) as ExportedSession)
}

/** Gets data from the server. Throws with the message of the server. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request(path, { signal: signal ?? null })).json() as Promise<T>
}

/** Sends data to the server and returns its answer. */
export async function postJson<T>(path: string, body: unknown): Promise<T> {
  return (await request(path, createPost(body))).json() as Promise<T>
}

/** Sends data to the server and receives events until it has answered. */
export async function postStream(path: string, body: unknown, onEvent: OnEvent, signal: AbortSignal): Promise<void> {
  await readEvents(await request(path, { ...createPost(body), signal }), onEvent)
}

/** Receives events until the signal ends them. `EventSource` cannot send the token. */
export async function watch(path: string, onEvent: OnEvent, signal: AbortSignal): Promise<void> {
  await readEvents(await request(path, { signal }), onEvent)
}

/** Downloads a file. */
export async function download(path: string, name: string): Promise<void> {
  const url = URL.createObjectURL(await (await request(path, {})).blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export function readRows(session: string): Promise<SessionRows> {
  return exportedSession === undefined ? getJson(sessionPath(session)) : Promise.resolve(exportedSession.rows)
}

export async function readCall(session: string, position: number): Promise<ShownCall | undefined> {
  if (exportedSession !== undefined) return exportedSession.calls[position]
  return getJson(sessionPath(session, `calls/${position}`))
}

export async function readRequest(session: string, position: number): Promise<RequestDetail | undefined> {
  if (exportedSession !== undefined) return exportedSession.requests[position]
  return getJson(sessionPath(session, `requests/${position}`))
}

export async function readMessages(session: string, agent: number, from: number): Promise<MessagePage> {
  if (exportedSession === undefined) return getJson(`${sessionPath(session, `messages/${from}`)}?agent=${agent}`)
  const { messages, rows } = exportedSession
  const placed = messages.map((message, position) => ({ ...message, position, at: rows.messages[position]?.at ?? 0 }))
  return { messages: placed.filter(({ position }) => position >= from && rows.messages[position]?.agent === agent) }
}

export function sessionPath(session: string, rest?: string): string {
  return `/api/sessions/${encodeURIComponent(session)}${rest === undefined ? '' : `/${rest}`}`
}

function createPost(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

async function request(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string> | undefined), Authorization: `Bearer ${token}` }
  const response = await fetch(path, { ...init, headers })
  if (response.ok) return response
  const text = await response.text()
  throw new Error(readError(text))
}

function readError(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return String(error)
  } catch {
    // The server refused the request before it was answered.
    return text.trim()
  }
}

async function readEvents(response: Response, onEvent: OnEvent): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const chunk = await reader?.read()
    if (chunk === undefined || chunk.done) return
    rest += chunk.value
    const events = rest.split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const [, name = '', data = 'null'] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? []
      onEvent(name, JSON.parse(data))
    }
  }
}
