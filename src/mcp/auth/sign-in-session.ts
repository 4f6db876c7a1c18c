import { randomBytes } from 'node:crypto'
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { HttpServerConfig, OAuthServerConfig } from '../config/server-config.js'
import type { Credentials } from './credentials.js'

export interface SessionOptions {
  readonly url: string
  readonly redirectUrl: string
  readonly oauth: OAuthServerConfig
  /** Registered last time; used again where it was registered for the same redirect address. */
  readonly client?: Credentials['client'] | undefined
}

/** One signing in, from the first question to the tokens. Nothing is kept before it has succeeded. */
export class SignInSession implements OAuthClientProvider {
  /** Known to the browser that was sent away and to nobody else. */
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

  clientInformation(asked?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.options.oauth
    if (clientId === undefined) return this.#client
    return {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      // Whoever configured the client knows the server that it is registered with.
      ...(asked !== undefined && { issuer: asked.issuer }),
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
    if (this.#verifier === undefined) throw new SignInError('the signing in was not begun')
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

  /** What is to be kept of it. */
  credentials(now: number): Credentials {
    const client = this.clientInformation()
    const discovery = this.#discovery
    if (client === undefined || discovery === undefined || this.#tokens === undefined)
      throw new SignInError('the authorisation server gave no tokens')
    return {
      url: this.options.url,
      client: { redirect_uris: [this.redirectUrl], ...client },
      discovery: { ...discovery },
      ...(this.#resource !== undefined && { resource: this.#resource }),
      tokens: datedTokens(this.#tokens, now),
    }
  }
}

/** Tokens with the moment of their end, which the server gives as a span of time. */
export function datedTokens({ expires_in, ...tokens }: StoredOAuthTokens, now: number) {
  return { ...tokens, ...(expires_in !== undefined && { expiresAt: now + expires_in * 1000 }) }
}

/** The person is not signed in; the message says why, and holds no secret. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
}

/** What a server says when it turns a request away. */
export interface Challenge {
  readonly scope?: string
  readonly resourceMetadataUrl?: URL
  /** The person is signed in, and the request needs more than they granted. */
  readonly isForMore: boolean
}

/** Undefined where the answer has nothing to do with signing in. */
export async function challengeOf(response: Response): Promise<Challenge | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const { scope, resourceMetadataUrl, error } = extractWWWAuthenticateParams(response)
  const isForMore = response.status === 403
  if (isForMore && error !== 'insufficient_scope') return undefined
  return {
    isForMore,
    ...(scope !== undefined && { scope }),
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  }
}

/** A server that is given its authorisation by the configuration is not signed in to. */
export function hasOwnAuthorization({ headers }: HttpServerConfig): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
