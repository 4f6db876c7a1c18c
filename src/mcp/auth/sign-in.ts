import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FetchLike } from '@modelcontextprotocol/client'
import { cutText } from '../../shared/cut-text.js'
import { toPrintable } from '../../shared/printable.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { HttpServerConfig } from '../config/server-config.js'
import type { CredentialFile } from './credentials.js'
import { type Challenge, SignInError, SignInSession } from './sign-in-session.js'

/** How long the user may take to sign in in the browser. */
const SIGN_IN_TIMEOUT_MS = 5 * 60_000
const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]'])

export interface SignInOptions {
  readonly config: HttpServerConfig
  readonly file: CredentialFile
  /** The challenge of the rejected request. */
  readonly challenge?: Challenge | undefined
  /** Opens the sign-in page. Resolves when it is open, not when the user has finished. */
  readonly openBrowser: (url: string) => Promise<void>
  readonly fetch: FetchLike
  readonly signal: AbortSignal
  readonly now: () => number
}

/** Signs the user in with a browser: discovery, registration, PKCE, and storing the tokens. */
export async function signIn(options: SignInOptions): Promise<void> {
  const { config, file } = options
  const oauth = config.oauth ?? {}
  const storedCredentials = await file.read()
  const port = oauth.callbackPort ?? parsePort(storedCredentials?.client.redirect_uris?.[0])
  const callback = await CallbackServer.open({ port, isFixed: oauth.callbackPort !== undefined })
  try {
    const { redirectUrl } = callback
    const session = new SignInSession({ url: config.url, redirectUrl, oauth, client: storedCredentials?.client })
    await obtainTokens(session, callback, options, storedCredentials?.tokens?.scope)
    const credentials = session.createCredentials(options.now())
    await file.change(() => credentials)
  } catch (error) {
    if (error instanceof SignInError) throw error
    throw new SignInError(`sign-in failed: ${toPrintable(reasonOf(error)).slice(0, 500)}`, { cause: error })
  } finally {
    await callback.close()
  }
}

async function obtainTokens(
  session: SignInSession,
  callback: CallbackServer,
  { config, challenge, openBrowser, fetch, signal }: SignInOptions,
  grantedScope: string | undefined,
): Promise<void> {
  const { auth, computeScopeUnion } = await import('@modelcontextprotocol/client')
  const limitedSignal = AbortSignal.any([signal, AbortSignal.timeout(SIGN_IN_TIMEOUT_MS)])
  // The scopes granted earlier are requested as well; otherwise they would be lost.
  const requestedScope = challenge?.needsMoreScope ? computeScopeUnion(grantedScope, challenge.scope) : challenge?.scope
  const scope = config.oauth?.scope ?? requestedScope
  const request = {
    serverUrl: config.url,
    fetchFn: fetch,
    ...(scope !== undefined && { scope }),
    ...(challenge?.resourceMetadataUrl !== undefined && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
  }
  await auth(session, request)
  const answer = callback.waitForAnswer(session.expectedState, limitedSignal)
  // The promise may reject before it is awaited below.
  answer.catch(() => {})
  await openBrowser(checkSignInUrl(session.authorizationUrl))
  const { code, iss } = await answer
  await auth(session, { ...request, authorizationCode: code, ...(iss !== undefined && { iss }) })
}

/** Returns the URL if it is safe to open, because a server must not make the browser open a file or start a program. */
function checkSignInUrl(url: URL | undefined): string {
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname))) return url.href
  throw new SignInError(
    'the sign-in page of the authorisation server was not opened: its URL is neither https nor on this machine',
  )
}

function parsePort(redirectUrl: string | undefined): number {
  return redirectUrl !== undefined && URL.canParse(redirectUrl) ? Number(new URL(redirectUrl).port) : 0
}

const CALLBACK_HOST = '127.0.0.1'
const CALLBACK_PATH = '/callback'
const MAX_REASON_CHARS = 200

/** The parameters with which the authorisation server redirects the browser back. */
interface CallbackAnswer {
  readonly code: string
  /** The issuer, which is compared with the expected authorisation server. */
  readonly iss?: string
}

/** A loopback HTTP server that receives the redirect of the browser. */
class CallbackServer {
  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  /** Listens on `port`. If that port is taken and `isFixed` is false, listens on any free port. */
  static async open({ port = 0, isFixed = false } = {}): Promise<CallbackServer> {
    const server = createServer()
    try {
      await listen(server, port)
    } catch (error) {
      if (isFixed || port === 0)
        throw new SignInError(
          `could not listen on port ${port} for the browser redirect; free the port or set another oauth.callbackPort`,
          { cause: error },
        )
      await listen(server, 0)
    }
    return new CallbackServer(server, (server.address() as AddressInfo).port)
  }

  get redirectUrl(): string {
    return `http://${CALLBACK_HOST}:${this.port}${CALLBACK_PATH}`
  }

  /**
   * Resolves with the first request that has the right state. Other requests are rejected, because any page could send
   * them.
   */
  waitForAnswer(state: string, signal: AbortSignal): Promise<CallbackAnswer> {
    return new Promise((resolve, reject) => {
      const stop = () =>
        reject(new SignInError('sign-in was cancelled or timed out before the browser returned; try again'))
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) stop()
      this.server.on('request', (request, response) => {
        const answer = this.readAnswer(request, state)
        if (answer === undefined) return reply(response, 400, 'Unexpected request.')
        if (answer instanceof SignInError) {
          reply(response, 200, 'Sign-in failed. You can close this page.')
          return reject(answer)
        }
        reply(response, 200, 'You are signed in. You can close this page.')
        resolve(answer)
      })
    })
  }

  async close(): Promise<void> {
    const serverClosed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    this.server.closeAllConnections()
    await serverClosed
  }

  private readAnswer(
    { method, url = '', headers }: IncomingMessage,
    state: string,
  ): CallbackAnswer | SignInError | undefined {
    // A request for another host name may come from a web page through DNS rebinding.
    if (method !== 'GET' || headers.host !== `${CALLBACK_HOST}:${this.port}`) return undefined
    const { pathname, searchParams } = new URL(url, this.redirectUrl)
    if (pathname !== CALLBACK_PATH || searchParams.get('state') !== state) return undefined
    const code = searchParams.get('code')
    const iss = searchParams.get('iss')
    if (code !== null && !searchParams.has('error')) return { code, ...(iss !== null && { iss }) }
    const reason = searchParams.get('error_description') ?? searchParams.get('error') ?? 'no code received'
    return new SignInError(
      `the authorisation server rejected the sign-in: ${toPrintable(cutText(reason, MAX_REASON_CHARS))}`,
    )
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, CALLBACK_HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`${text}\n`)
}
