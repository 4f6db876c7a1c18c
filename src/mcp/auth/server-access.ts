import type { FetchLike } from '@modelcontextprotocol/client'
import type { PrivateFiles } from '../../contract/private-files.js'
import type { HttpServerConfig } from '../config/server-config.js'
import { type Challenge, challengeOf, hasOwnAuthorization } from './challenge.js'
import { CredentialFile } from './credentials.js'
import { helperHeaders, type RunHelper } from './headers-helper.js'
import { type SignInOptions, signIn } from './sign-in.js'
import { TokenKeeper } from './token-keeper.js'

export interface ServerAccessOptions {
  readonly name: string
  readonly config: HttpServerConfig
  /** Where credentials are kept. */
  readonly files: PrivateFiles
  readonly runHelper: RunHelper
  /** For discovery and tokens. */
  readonly fetch?: FetchLike
  readonly now?: () => number
}

/** How one server on the network lets us in: headers of its helper, and the tokens of the person who signed in. */
export interface ServerAccess {
  /**
   * A fetch whose requests to the server carry what it wants to see. Refused ones are sent once more if that can be
   * renewed without a person; an answer 401 that comes through says that one has to sign in.
   */
  through(fetch: FetchLike): FetchLike
  signIn(options: Pick<SignInOptions, 'openBrowser' | 'signal'>): Promise<void>
  signOut(): Promise<void>
}

export function createServerAccess(options: ServerAccessOptions): ServerAccess {
  const { name, config, files, runHelper, fetch: plainFetch = fetch, now = Date.now } = options
  const file = new CredentialFile(files, config.url)
  const keeper = hasOwnAuthorization(config) ? undefined : new TokenKeeper({ config, file, fetch: plainFetch, now })
  let challenge: Challenge | undefined
  let helped: Promise<Readonly<Record<string, string>>> | undefined

  function helperOnce(): Promise<Readonly<Record<string, string>>> {
    if (config.headersHelper === undefined) return Promise.resolve({})
    helped ??= helperHeaders(config.headersHelper, { name, url: config.url, run: runHelper })
    // One that failed is asked again by the next request.
    helped.catch(() => {
      helped = undefined
    })
    return helped
  }

  async function credentials() {
    const [headers, token] = await Promise.all([helperOnce(), keeper?.token()])
    return { headers, token }
  }

  /** Whether it is worth another try. */
  async function renew(used: { readonly token: string | undefined }): Promise<boolean> {
    helped = undefined
    const token = used.token === undefined ? undefined : await keeper?.renew(used.token)
    return token !== undefined || config.headersHelper !== undefined
  }

  return {
    through: (base) => async (url, init) => {
      // Whoever the server leads to must not see what is meant for it.
      if (new URL(url).origin !== new URL(config.url).origin) return base(url, init)
      const used = await credentials()
      const response = await base(url, withCredentials(init, used))
      challenge = (await challengeOf(response)) ?? challenge
      if (response.status !== 401 || !(await renew(used))) return response
      await response.body?.cancel()
      return base(url, withCredentials(init, await credentials()))
    },
    async signIn({ openBrowser, signal }) {
      await signIn({ config, file, challenge, openBrowser, signal, fetch: plainFetch, now })
      keeper?.forget()
    },
    async signOut() {
      await file.change(() => undefined)
      keeper?.forget()
    },
  }
}

function withCredentials(
  init: RequestInit | undefined,
  { headers, token }: { readonly headers: Readonly<Record<string, string>>; readonly token: string | undefined },
): RequestInit {
  const all = new Headers(init?.headers)
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  if (token !== undefined && !all.has('authorization')) all.set('authorization', `Bearer ${token}`)
  return { ...init, headers: all }
}
