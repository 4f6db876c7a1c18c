import type { FetchLike } from '@modelcontextprotocol/client'
import { printable } from '../../shared/printable.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { HttpServerConfig } from '../config/server-config.js'
import { CallbackServer } from './callback-server.js'
import type { Challenge } from './challenge.js'
import type { CredentialFile } from './credentials.js'
import { SignInError } from './sign-in-error.js'
import { SignInSession } from './sign-in-session.js'

/** How long a person may take in the browser. */
const PATIENCE_MS = 5 * 60_000
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

export interface SignInOptions {
  readonly config: HttpServerConfig
  readonly file: CredentialFile
  /** What the server said when it turned a request away. */
  readonly challenge?: Challenge | undefined
  /** Shows the person the page; resolves when it is shown, and not when they are done. */
  readonly openBrowser: (url: string) => Promise<void>
  readonly fetch: FetchLike
  readonly signal: AbortSignal
  readonly now: () => number
}

/** Lets a person sign in with their browser: discovery, registration, PKCE, and the tokens into their file. */
export async function signIn(options: SignInOptions): Promise<void> {
  const { config, file } = options
  const oauth = config.oauth ?? {}
  const stored = await file.read()
  const port = oauth.callbackPort ?? portOf(stored?.client.redirect_uris?.[0])
  const callback = await CallbackServer.open({ port, isFixed: oauth.callbackPort !== undefined })
  try {
    const { redirectUrl } = callback
    const session = new SignInSession({ url: config.url, redirectUrl, oauth, client: stored?.client })
    await obtainTokens(session, callback, options, stored?.tokens?.scope)
    const credentials = session.credentials(options.now())
    await file.change(() => credentials)
  } catch (error) {
    if (error instanceof SignInError) throw error
    throw new SignInError(`signing in failed: ${printable(reasonOf(error)).slice(0, 500)}`, { cause: error })
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
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  // What was granted before is asked for again: a server that wants more would else take it away.
  const wanted = challenge?.isForMore ? computeScopeUnion(grantedScope, challenge.scope) : challenge?.scope
  const scope = config.oauth?.scope ?? wanted
  const request = {
    serverUrl: config.url,
    fetchFn: fetch,
    ...(scope !== undefined && { scope }),
    ...(challenge?.resourceMetadataUrl !== undefined && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
  }
  await auth(session, request)
  const answer = callback.wait(session.expectedState, limit)
  // The browser may be refused before anybody waits for the answer.
  answer.catch(() => {})
  await openBrowser(checkedAddress(session.authorizationUrl))
  const { code, iss } = await answer
  await auth(session, { ...request, authorizationCode: code, ...(iss !== undefined && { iss }) })
}

/** A server must not make the browser open a file or a program. */
function checkedAddress(url: URL | undefined): string {
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname))) return url.href
  throw new SignInError('the authorisation server has no page that is safe to open')
}

function portOf(redirectUrl: string | undefined): number {
  return redirectUrl !== undefined && URL.canParse(redirectUrl) ? Number(new URL(redirectUrl).port) : 0
}
