import { randomBytes } from 'node:crypto'
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { cutText } from '../../shared/cut-text.js'
import { toPrintable } from '../../shared/printable.js'
import type { HttpServerConfig, OAuthServerConfig } from '../config/server-config.js'
import type { Credentials } from './credentials.js'

export interface SessionOptions {
  readonly url: string
  readonly redirectUrl: string
  readonly oauth: OAuthServerConfig
  /** The client that was registered at the last sign-in. It is reused if its redirect URL is still the same. */
  readonly client?: Credentials['client'] | undefined
}

/** The state of one sign-in, from discovery to the tokens. Nothing is stored before it succeeds. */
export class SignInSession implements OAuthClientProvider {
  /** A secret value that only the opened browser page can return. */
  readonly expectedState = randomBytes(32).toString('base64url')
  authorizationUrl: URL | undefined
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #discovery: OAuthDiscoveryState | undefined
  #verifier: string | undefined
  #resource: string | undefined

  constructor(private readonly options: SessionOptions) {
    const { client, redirectUrl } = options
    if (client?.redirect_uris?.includes(redirectUrl)) this.#client = client as StoredOAuthClientInformation
  }

  get redirectUrl(): string {
    return this.options.redirectUrl
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope, clientSecret } = this.options.oauth
    return {
      client_name: 'Haft',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...(scope !== undefined && { scope }),
    }
  }

  state(): string {
    return this.expectedState
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.options.oauth
    if (clientId === undefined) return this.#client
    if (clientSecret !== undefined && context !== undefined)
      requireSecretIssuer(this.options.oauth, this.options.url, context.issuer)
    return {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      // A configured client is assumed to be registered with this authorisation server.
      ...(context !== undefined && { issuer: context.issuer }),
    }
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw new SignInError('sign-in has not been started')
    return this.#verifier
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery
  }

  saveResourceUrl(resource: string | URL): void {
    this.#resource = String(resource)
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'client') this.#client = undefined
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined
  }

  /** Returns the credentials to store. Throws if sign-in has not produced tokens. */
  createCredentials(now: number): Credentials {
    const client = this.clientInformation()
    const discovery = this.#discovery
    if (client === undefined || discovery === undefined || this.#tokens === undefined)
      throw new SignInError('the authorisation server returned no tokens')
    return {
      url: this.options.url,
      client: { redirect_uris: [this.redirectUrl], ...client },
      discovery: { ...discovery },
      ...(this.#resource !== undefined && { resource: this.#resource }),
      tokens: addExpiry(this.#tokens, now),
    }
  }
}

/**
 * Throws unless the issuer may receive the configured client secret: it is the configured issuer or, if none is configured, is on the host
 * of the server. Otherwise a server could name any issuer and so obtain the secret.
 */
function requireSecretIssuer(oauth: OAuthServerConfig, serverUrl: string, issuer: string): void {
  if (mayReceiveSecret(oauth, serverUrl, issuer)) return
  const advice =
    oauth.issuer === undefined
      ? `If the client is registered there, set oauth.issuer to ${toPrintable(cutText(issuer, MAX_ISSUER_CHARS))}`
      : 'The client secret is for the issuer in oauth.issuer'
  throw new SignInError(
    `the client secret was not sent: the server names the issuer ${toPrintable(cutText(issuer, MAX_ISSUER_CHARS))}. ${advice}`,
  )
}

const MAX_ISSUER_CHARS = 200

export function mayReceiveSecret(oauth: OAuthServerConfig, serverUrl: string, issuer: string): boolean {
  const withoutSlash = (url: string): string => url.replace(/\/$/, '')
  if (oauth.issuer !== undefined) return withoutSlash(oauth.issuer) === withoutSlash(issuer)
  return URL.canParse(issuer) && new URL(issuer).hostname === new URL(serverUrl).hostname
}

/** Converts the relative lifetime of the tokens to an expiry time. */
export function addExpiry({ expires_in, ...tokens }: StoredOAuthTokens, now: number) {
  return { ...tokens, ...(expires_in !== undefined && { expiresAt: now + expires_in * 1000 }) }
}

/** Thrown if sign-in fails. The message states the reason and contains no secret. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
}

/** The authorisation challenge of a rejected request. */
export interface Challenge {
  readonly scope?: string
  readonly resourceMetadataUrl?: URL
  /** Whether the user is signed in, but the request needs additional scopes. */
  readonly needsMoreScope: boolean
}

/** Reads the challenge of a response. Returns undefined if the response is not about authorisation. */
export async function readChallenge(response: Response): Promise<Challenge | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const { scope, resourceMetadataUrl, error } = extractWWWAuthenticateParams(response)
  const needsMoreScope = response.status === 403
  if (needsMoreScope && error !== 'insufficient_scope') return undefined
  return {
    needsMoreScope,
    ...(scope !== undefined && { scope }),
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  }
}

/** Whether the configuration sets the Authorization header, so that sign-in is not used. */
export function hasOwnAuthorization({ headers }: HttpServerConfig): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
