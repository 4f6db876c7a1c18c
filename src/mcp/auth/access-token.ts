import type { FetchLike, OAuthClientInformationMixed, OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { isObject } from '../../shared/is-record.js'
import { printable } from '../../shared/printable.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { HttpServerConfig } from '../config/server-config.js'
import type { CredentialFile, Credentials, Tokens } from './credentials.js'
import { datedTokens, SignInError } from './sign-in-session.js'

/** A token this near to its end is renewed first: it could end on its way. */
const EARLY_MS = 30_000
/** Other processes wait for the lock meanwhile, for half a minute at most. */
const RENEWAL_MS = 15_000
/** What an authorisation server says of tokens that will never work again. */
const HOPELESS = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client'])

export interface TokenKeeperOptions {
  readonly config: HttpServerConfig
  readonly file: CredentialFile
  readonly fetch: FetchLike
  readonly now: () => number
}

/** Has a token at hand that works, renewed by one process at a time. */
export class TokenKeeper {
  #known: Tokens | undefined
  #renewal: Promise<string | undefined> | undefined

  constructor(private readonly options: TokenKeeperOptions) {}

  /** Undefined where nobody is signed in. */
  async token(): Promise<string | undefined> {
    this.#known ??= this.usable(await this.options.file.read())
    const { access_token: token, expiresAt = Number.POSITIVE_INFINITY, refresh_token } = this.#known ?? {}
    const left = expiresAt - this.options.now()
    if (token === undefined || left > EARLY_MS || (refresh_token === undefined && left > 0)) return token
    // A token that still works for a moment is better than none.
    return this.renew(token).catch((error) => (left > 0 ? token : Promise.reject(error)))
  }

  /** Another token than the one that was refused; undefined where only signing in helps. */
  renew(refused: string | undefined): Promise<string | undefined> {
    this.#renewal ??= this.renewNow(refused).finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  /** The file holds others now. */
  forget(): void {
    this.#known = undefined
  }

  private async renewNow(refused: string | undefined): Promise<string | undefined> {
    let attempt: { readonly from: string; readonly tokens: Tokens | undefined } | undefined
    let current: Tokens | undefined
    await this.options.file.change(async (stored) => {
      current = this.usable(stored)
      // Another process was faster, or the person has signed in since.
      if (stored === undefined || current === undefined || current.access_token !== refused) return stored
      const from = current.refresh_token
      // A lock that is lost on the way starts this anew; the refresh token must not be used a second time.
      if (from !== undefined && attempt?.from !== from) attempt = { from, tokens: await this.refresh(stored, from) }
      current = from === undefined ? undefined : attempt?.tokens
      return current === undefined ? withoutTokens(stored) : { ...stored, tokens: current }
    })
    this.#known = current
    return current?.access_token
  }

  /** Undefined where they will never work again. */
  private async refresh(
    { client, discovery, resource }: Credentials,
    refreshToken: string,
  ): Promise<Tokens | undefined> {
    const { refreshAuthorization } = await import('@modelcontextprotocol/client')
    const { authorizationServerUrl, authorizationServerMetadata } = discovery as unknown as OAuthDiscoveryState
    const limited: FetchLike = (url, init) =>
      this.options.fetch(url, { ...init, signal: AbortSignal.timeout(RENEWAL_MS) })
    try {
      const tokens = await refreshAuthorization(authorizationServerUrl, {
        ...(authorizationServerMetadata !== undefined && { metadata: authorizationServerMetadata }),
        clientInformation: client as OAuthClientInformationMixed,
        refreshToken,
        ...(resource !== undefined && { resource }),
        fetchFn: limited,
      })
      return datedTokens(tokens, this.options.now())
    } catch (error) {
      if (isObject(error) && HOPELESS.has(String(error.code))) return undefined
      throw new SignInError(`the token could not be renewed: ${printable(reasonOf(error)).slice(0, 500)}`, {
        cause: error,
      })
    }
  }

  /** Tokens of another client than the configured one are not used. */
  private usable(stored: Credentials | undefined): Tokens | undefined {
    const wanted = this.options.config.oauth?.clientId
    return wanted === undefined || stored?.client.client_id === wanted ? stored?.tokens : undefined
  }
}

/** Registration and discovery stay: signing in again is shorter with them. */
function withoutTokens({ tokens, ...rest }: Credentials): Credentials {
  return rest
}
