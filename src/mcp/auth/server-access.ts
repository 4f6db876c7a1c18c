import type { FetchLike } from '@modelcontextprotocol/client'
import type { PrivateFiles } from '../../contract/host/private-files.js'
import { isRecord } from '../../shared/is-record.js'
import type { HttpServerConfig } from '../config/server-config.js'
import { TokenKeeper } from './access-token.js'
import { CredentialFile } from './credentials.js'
import { type SignInOptions, signIn } from './sign-in.js'
import { type Challenge, challengeOf, hasOwnAuthorization } from './sign-in-session.js'

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

/** Runs a shell command of the configuration; the host gives it, so that processes are started in one place. */
type RunHelper = (
  command: string,
  options: { readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number; readonly maxBytes: number },
) => Promise<{ readonly exitCode: number | undefined; readonly stdout: string }>

/** The helper gave no headers. The message never holds what it printed: that is where the secrets are. */
class HeadersHelperError extends Error {
  override readonly name = 'HeadersHelperError'
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 64 * 1024
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** The headers that a server's helper prints: a JSON object of strings. */
async function helperHeaders(
  command: string,
  { name, url, run }: { readonly name: string; readonly url: string; readonly run: RunHelper },
): Promise<Readonly<Record<string, string>>> {
  const env = { HAFT_MCP_SERVER_NAME: name, HAFT_MCP_SERVER_URL: url }
  const { exitCode, stdout } = await run(command, { env, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  if (exitCode === undefined)
    throw failed(name, `did not end within ${TIMEOUT_MS / 1000} s, or printed more than ${MAX_BYTES / 1024} KiB`)
  if (exitCode !== 0) throw failed(name, `ended with exit code ${exitCode}`)
  return parse(stdout, name)
}

function parse(stdout: string, name: string): Readonly<Record<string, string>> {
  let value: unknown
  try {
    value = JSON.parse(stdout)
  } catch {
    // The parser's own message quotes the text.
    throw failed(name, 'did not print JSON')
  }
  if (!isRecord(value)) throw failed(name, 'did not print a JSON object')
  for (const [header, text] of Object.entries(value)) {
    if (typeof text !== 'string' || !HEADER_NAME.test(header) || !HEADER_VALUE.test(text))
      throw failed(name, 'printed something else than names and values of headers')
  }
  return value as Record<string, string>
}

function failed(name: string, what: string): HeadersHelperError {
  return new HeadersHelperError(`the headersHelper of the MCP server ${name} ${what}`)
}
