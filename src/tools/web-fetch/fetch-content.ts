import { ToolCallError } from '../../contract/errors.js'
import { HttpError, type HttpPort, type HttpResponse } from '../../contract/ports/http.js'
import { cutText } from '../../shared/cut-text.js'
import { version } from '../../shared/version.js'
import { detectKind } from '../documents/file-kind.js'
import type { PageCache, WebContent } from './page-cache.js'
import { isAllowedByRobots, MAX_ROBOTS_BYTES } from './robots.js'

/** A redirect to another host, which is not followed. */
export interface Redirect {
  readonly type: 'redirect'
  readonly url: string
  readonly status: number
  readonly location: string
}

export interface ContentRequest {
  readonly http: HttpPort
  readonly url: string
  readonly raw: boolean
  readonly cache: PageCache
  /** The current time, for the age of cached pages. */
  readonly now: number
  readonly signal: AbortSignal
}

const MAX_REDIRECTS = 10
const MAX_BYTES = 10 * 1024 ** 2
const TIMEOUT_MS = 30_000
/** How much of an error page is shown. */
const MAX_ERROR_CHARS = 500
const MAX_PDF_PAGES = 500
const HEADERS = {
  'user-agent': `Haft/${version} (fetches single pages for a user)`,
  accept: 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'accept-language': 'en, *;q=0.5',
}
const REDIRECT_STATUSES = [301, 302, 303, 307, 308]

/** Fetches a URL and turns it into text or an image. Follows redirects on the same host only. */
export async function fetchContent(request: ContentRequest): Promise<WebContent | Redirect> {
  const { url, raw, cache, now } = request
  const key = `${raw ? 'raw' : 'page'} ${url}`
  const cachedContent = cache.get(key, now)
  if (cachedContent !== undefined) return cachedContent
  try {
    await requireRobots(request)
    const content = await followRedirects(request)
    const isWhole = content.type !== 'text' || content.isDownloadSlow !== true
    if (content.type !== 'redirect' && isWhole) cache.set(key, content, now)
    return content
  } catch (error) {
    if (error instanceof HttpError) throw new ToolCallError('tool_failed', error.message, { cause: error })
    throw error
  }
}

/** Refuses a page that the site's `robots.txt` excludes. */
async function requireRobots(request: ContentRequest): Promise<void> {
  const page = new URL(request.url)
  if (isAllowedByRobots(await readRobots(page, request), page.pathname + page.search)) return
  throw new ToolCallError(
    'tool_failed',
    `${page.host} does not allow programs to fetch ${page.pathname} (robots.txt). Ask the user for the content, or use another source.`,
  )
}

/** Returns `robots.txt` of a site; if there is none, an empty string, which allows everything. */
async function readRobots(page: URL, { http, cache, now, signal }: ContentRequest): Promise<string> {
  const { href } = new URL('/robots.txt', page)
  const key = `robots ${href}`
  const cachedRobots = cache.get(key, now)
  if (cachedRobots?.type === 'text') return cachedRobots.text
  const { status, url, body } = await http.fetch(href, {
    ...{ headers: HEADERS, maxBytes: MAX_ROBOTS_BYTES, timeoutMs: TIMEOUT_MS, signal },
  })
  const text = status === 200 ? new TextDecoder().decode(body) : ''
  cache.set(key, { type: 'text', url, title: '', text, isDownloadTruncated: false }, now)
  return text
}

async function followRedirects(request: ContentRequest): Promise<WebContent | Redirect> {
  let { url } = request
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const { http, signal } = request
    const limits = { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, acceptsPartialBody: true }
    const response = await http.fetch(url, { headers: HEADERS, ...limits, signal })
    const location = REDIRECT_STATUSES.includes(response.status) ? response.headers.location : undefined
    if (location === undefined) return readResponse(response, request)
    const target = resolveLocation(location, response.url)
    if (target.host !== new URL(response.url).host)
      return { type: 'redirect', url: response.url, status: response.status, location: target.href }
    url = target.href
  }
  throw new ToolCallError('tool_failed', `${request.url} redirects more than ${MAX_REDIRECTS} times.`)
}

/**
 * Resolves the target of a redirect. The port requests `https` in any case, so a redirect to the same host over `http` is not a
 * redirect to another port.
 */
function resolveLocation(location: string, base: string): URL {
  if (!URL.canParse(location, base))
    throw new ToolCallError(
      'tool_failed',
      `${base} redirects to ${JSON.stringify(location)}, which is not a valid URL.`,
    )
  return new URL(location, base)
}

async function readResponse(response: HttpResponse, request: ContentRequest): Promise<WebContent> {
  if (response.status >= 400 || response.status < 200)
    throw new ToolCallError('tool_failed', await describeStatus(response, request))
  const { url, body, isTruncated: isDownloadTruncated, isTimedOut = false } = response
  const mediaType = mediaTypeOf(response)
  const detectedKind = detectKind(body.subarray(0, 8_192))
  if (isTimedOut && ['image', 'pdf'].includes(detectedKind.kind))
    throw new ToolCallError('tool_failed', `${url} did not complete its response within ${TIMEOUT_MS / 1000} s.`)
  if (detectedKind.kind === 'image') {
    const { fitImage } = await import('../documents/fit-image.js')
    const image = await fitImage(body, detectedKind.mediaType, url)
    return { type: 'image', url, mediaType: image.mediaType, base64: image.base64 }
  }
  if (detectedKind.kind === 'pdf')
    return { type: 'text', url, ...(await readPdf(response, request)), isDownloadTruncated }
  if (detectedKind.kind === 'binary' && !isHtml(mediaType))
    throw new ToolCallError(
      'tool_failed',
      `${url} is a binary file (${mediaType || 'of unknown type'}, ${body.length} bytes) and cannot be shown. Download it with a command such as curl if it is needed.`,
    )
  const page = isHtml(mediaType) && !request.raw ? await convertHtml(response, request) : decodeText(response)
  return { type: 'text', url, ...page, isDownloadTruncated, ...(isTimedOut && { isDownloadSlow: true }) }
}

const CAUSES: Readonly<Record<number, string>> = {
  401: 'The page needs a login',
  403: 'The site refuses access; the page may need a login or a browser',
  404: 'The page does not exist',
  407: 'The proxy needs a login',
  410: 'The page was removed',
  429: 'The site limits the number of requests; try again later',
  451: 'The page is not available for legal reasons',
}

async function describeStatus(response: HttpResponse, request: ContentRequest): Promise<string> {
  const { status, url } = response
  const cause = CAUSES[status] ?? (status >= 500 ? 'The server failed; try again later' : 'The request was refused')
  const content = isHtml(mediaTypeOf(response))
    ? (await convertHtml(response, request)).text
    : decodeText(response).text
  const excerpt = cutText(content.trim(), MAX_ERROR_CHARS)
  return `${url} answered with status ${status}. ${cause}.${excerpt === '' ? '' : `\n\nStart of the response:\n${excerpt}`}`
}

function mediaTypeOf({ headers }: HttpResponse): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function charsetOf({ headers }: HttpResponse): string | undefined {
  return /charset\s*=\s*"?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1]
}

function isHtml(mediaType: string): boolean {
  return mediaType === 'text/html' || mediaType === 'application/xhtml+xml'
}

async function convertHtml(response: HttpResponse, { http, signal }: ContentRequest) {
  const { converterOf } = await import('./convert-page.js')
  const { url, body } = response
  const { title, markdown } = await converterOf(http).convert(body, { url, charset: charsetOf(response), signal })
  return { title, text: markdown }
}

async function readPdf({ body, url }: HttpResponse, { signal }: ContentRequest) {
  const { readPdfInThread } = await import('../documents/pdf-thread.js')
  const choose = (pageCount: number) => ({ first: 1, last: Math.min(pageCount, MAX_PDF_PAGES) })
  const { pageCount, pages } = await readPdfInThread(body, { name: url, signal, choose })
  const text = pages.map((page) => `<page ${page.page} of ${pageCount}>\n${page.text}\n</page>`).join('\n')
  return { title: '', text }
}

function decodeText(response: HttpResponse): { title: string; text: string } {
  const charset = charsetOf(response)
  try {
    return { title: '', text: new TextDecoder(charset ?? 'utf-8').decode(response.body) }
  } catch {
    // The server states an encoding that does not exist.
    return { title: '', text: new TextDecoder().decode(response.body) }
  }
}
