import type { FetchLike, OAuthClientInformationMixed, OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { isObject } from '../../shared/is-record.js'
import { toPrintable } from '../../shared/printable.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { HttpServerConfig } from '../config/server-config.js'
import type { CredentialFile, Credentials, Tokens } from './credentials.js'
import { addExpiry, mayReceiveSecret, SignInError } from './sign-in-session.js'

/** Tokens that expire sooner than this are renewed before use. */
const RENEW_BEFORE_MS = 30_000
/** Shorter than the 30 s for which other processes wait for the file lock during a renewal. */
const RENEWAL_TIMEOUT_MS = 15_000
/** OAuth errors after which the stored tokens can never work again. */
const PERMANENT_ERRORS = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client'])

export interface AccessTokenOptions {
  readonly config: HttpServerConfig
  readonly file: CredentialFile
  readonly fetch: FetchLike
  readonly now: () => number
}

/** Provides a valid access token. Only one process renews it at a time. */
export class AccessToken {
  #cachedTokens: Tokens | undefined
  #renewal: Promise<string | undefined> | undefined

  constructor(private readonly options: AccessTokenOptions) {}

  /** Returns a valid token, or undefined if the user is not signed in. */
  async get(): Promise<string | undefined> {
    this.#cachedTokens ??= this.selectUsableTokens(await this.options.file.read())
    const { access_token: token, expiresAt = Number.POSITIVE_INFINITY, refresh_token } = this.#cachedTokens ?? {}
    const remainingMs = expiresAt - this.options.now()
    if (token === undefined || remainingMs > RENEW_BEFORE_MS || (refresh_token === undefined && remainingMs > 0))
      return token
    // If the renewal fails, the old token is used as long as it is valid.
    return this.renew(token).catch((error) => (remainingMs > 0 ? token : Promise.reject(error)))
  }

  /** Returns a token other than the rejected one, or undefined if the user must sign in. */
  renew(rejectedToken: string | undefined): Promise<string | undefined> {
    this.#renewal ??= this.renewNow(rejectedToken).finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  /** Drops the cached tokens, because the file has changed. */
  forget(): void {
    this.#cachedTokens = undefined
  }

  private async renewNow(rejectedToken: string | undefined): Promise<string | undefined> {
    let attempt: { readonly refreshToken: string; readonly tokens: Tokens | undefined } | undefined
    let currentTokens: Tokens | undefined
    await this.options.file.change(async (storedCredentials) => {
      currentTokens = this.selectUsableTokens(storedCredentials)
      // Either there is nothing to renew, or another process or a new sign-in has already replaced the token.
      if (
        storedCredentials === undefined ||
        currentTokens === undefined ||
        currentTokens.access_token !== rejectedToken
      )
        return storedCredentials
      const refreshToken = currentTokens.refresh_token
      // This callback runs again if the lock is lost, and a refresh token must not be used twice.
      if (refreshToken !== undefined && attempt?.refreshToken !== refreshToken)
        attempt = { refreshToken, tokens: await this.refresh(storedCredentials, refreshToken) }
      currentTokens = refreshToken === undefined ? undefined : attempt?.tokens
      return currentTokens === undefined
        ? removeTokens(storedCredentials)
        : { ...storedCredentials, tokens: currentTokens }
    })
    this.#cachedTokens = currentTokens
    return currentTokens?.access_token
  }

  /** Requests new tokens. Returns undefined if the refresh token can never work again. */
  private async refresh(
    { client, discovery, resource }: Credentials,
    refreshToken: string,
  ): Promise<Tokens | undefined> {
    const { refreshAuthorization } = await import('@modelcontextprotocol/client')
    const { authorizationServerUrl, authorizationServerMetadata } = discovery as unknown as OAuthDiscoveryState
    const { oauth = {}, url } = this.options.config
    const issuer = authorizationServerMetadata?.issuer ?? authorizationServerUrl
    // The user must sign in again, which tells why.
    if (oauth.clientSecret !== undefined && !mayReceiveSecret(oauth, url, issuer)) return undefined
    const fetchWithTimeout: FetchLike = (url, init) =>
      this.options.fetch(url, { ...init, signal: AbortSignal.timeout(RENEWAL_TIMEOUT_MS) })
    try {
      const tokens = await refreshAuthorization(authorizationServerUrl, {
        ...(authorizationServerMetadata !== undefined && { metadata: authorizationServerMetadata }),
        clientInformation: client as OAuthClientInformationMixed,
        refreshToken,
        ...(resource !== undefined && { resource }),
        fetchFn: fetchWithTimeout,
      })
      return addExpiry(tokens, this.options.now())
    } catch (error) {
      if (isObject(error) && PERMANENT_ERRORS.has(String(error.code))) return undefined
      throw new SignInError(`could not renew the access token: ${toPrintable(reasonOf(error)).slice(0, 500)}`, {
        cause: error,
      })
    }
  }

  /** Returns the stored tokens, unless they belong to a client other than the configured one. */
  private selectUsableTokens(storedCredentials: Credentials | undefined): Tokens | undefined {
    const clientId = this.options.config.oauth?.clientId
    return clientId === undefined || storedCredentials?.client.client_id === clientId
      ? storedCredentials?.tokens
      : undefined
  }
}

/** Removes the tokens but keeps registration and discovery, so that signing in again is faster. */
function removeTokens({ tokens, ...otherCredentials }: Credentials): Credentials {
  return otherCredentials
}
