import type { FetchLike } from '@modelcontextprotocol/client'
import type { PrivateFiles } from '../../contract/host/private-files.js'
import { isRecord } from '../../shared/is-record.js'
import type { HttpServerConfig } from '../config/server-config.js'
import { AccessToken } from './access-token.js'
import { CredentialFile } from './credentials.js'
import { type SignInOptions, signIn } from './sign-in.js'
import { type Challenge, hasOwnAuthorization, readChallenge } from './sign-in-session.js'

export interface ServerAccessOptions {
  readonly name: string
  readonly config: HttpServerConfig
  /** The files in which credentials are stored. */
  readonly files: PrivateFiles
  readonly runHelper: RunHelper
  /** Used for discovery and token requests. */
  readonly fetch?: FetchLike
  readonly now?: () => number
}

/** Authorises requests to one HTTP server, with headers from a helper command and with OAuth tokens. */
export interface ServerAccess {
  /**
   * Wraps `fetch` so that requests to the server contain the credentials. A rejected request is repeated once if the
   * credentials can be renewed. A 401 response that is passed on means that the user must sign in.
   */
  wrapFetch(fetch: FetchLike): FetchLike
  signIn(options: Pick<SignInOptions, 'openBrowser' | 'signal'>): Promise<void>
  signOut(): Promise<void>
}

export function createServerAccess(options: ServerAccessOptions): ServerAccess {
  const { name, config, files, runHelper, fetch: plainFetch = fetch, now = Date.now } = options
  const file = new CredentialFile(files, config.url)
  const accessToken = hasOwnAuthorization(config)
    ? undefined
    : new AccessToken({ config, file, fetch: plainFetch, now })
  let challenge: Challenge | undefined
  let helperResult: Promise<Readonly<Record<string, string>>> | undefined

  function runHelperOnce(): Promise<Readonly<Record<string, string>>> {
    if (config.headersHelper === undefined) return Promise.resolve({})
    helperResult ??= readHelperHeaders(config.headersHelper, { name, url: config.url, run: runHelper })
    // After a failure, the next request runs the helper again.
    helperResult.catch(() => {
      helperResult = undefined
    })
    return helperResult
  }

  async function getCredentials() {
    const [headers, token] = await Promise.all([runHelperOnce(), accessToken?.get()])
    return { headers, token }
  }

  /** Renews the credentials. Returns whether the request should be repeated. */
  async function renew(usedCredentials: { readonly token: string | undefined }): Promise<boolean> {
    helperResult = undefined
    const token = usedCredentials.token === undefined ? undefined : await accessToken?.renew(usedCredentials.token)
    return token !== undefined || config.headersHelper !== undefined
  }

  return {
    wrapFetch: (baseFetch) => async (url, init) => {
      // Other origins must not receive the credentials.
      if (new URL(url).origin !== new URL(config.url).origin) return baseFetch(url, init)
      const usedCredentials = await getCredentials()
      const response = await baseFetch(url, addCredentials(init, usedCredentials))
      challenge = (await readChallenge(response)) ?? challenge
      if (response.status !== 401 || !(await renew(usedCredentials))) return response
      await response.body?.cancel()
      return baseFetch(url, addCredentials(init, await getCredentials()))
    },
    async signIn({ openBrowser, signal }) {
      await signIn({ config, file, challenge, openBrowser, signal, fetch: plainFetch, now })
      accessToken?.forget()
    },
    async signOut() {
      await file.change(() => undefined)
      accessToken?.forget()
    },
  }
}

function addCredentials(
  init: RequestInit | undefined,
  { headers, token }: { readonly headers: Readonly<Record<string, string>>; readonly token: string | undefined },
): RequestInit {
  const allHeaders = new Headers(init?.headers)
  for (const [name, value] of Object.entries(headers)) allHeaders.set(name, value)
  if (token !== undefined && !allHeaders.has('authorization')) allHeaders.set('authorization', `Bearer ${token}`)
  return { ...init, headers: allHeaders }
}

/** Runs a shell command from the configuration. Provided by the host, so that processes are started in one place. */
type RunHelper = (
  command: string,
  options: { readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number; readonly maxBytes: number },
) => Promise<{ readonly exitCode: number | undefined; readonly stdout: string }>

/** Thrown if the helper command fails. The message never contains the output of the command, which may be secret. */
class HeadersHelperError extends Error {
  override readonly name = 'HeadersHelperError'
}

const HELPER_TIMEOUT_MS = 10_000
const MAX_HELPER_BYTES = 64 * 1024
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Returns the headers that a server's helper prints as a JSON object of strings. */
async function readHelperHeaders(
  command: string,
  { name, url, run }: { readonly name: string; readonly url: string; readonly run: RunHelper },
): Promise<Readonly<Record<string, string>>> {
  const env = { HAFT_MCP_SERVER_NAME: name, HAFT_MCP_SERVER_URL: url }
  const { exitCode, stdout } = await run(command, { env, timeoutMs: HELPER_TIMEOUT_MS, maxBytes: MAX_HELPER_BYTES })
  if (exitCode === undefined)
    throw createHelperError(
      name,
      `could not be started, was killed, did not exit within ${HELPER_TIMEOUT_MS / 1000} s, or printed more than ${MAX_HELPER_BYTES / 1024} KiB`,
    )
  if (exitCode !== 0) throw createHelperError(name, `exited with code ${exitCode}`)
  return parseHeaders(stdout, name)
}

function parseHeaders(stdout: string, name: string): Readonly<Record<string, string>> {
  let value: unknown
  try {
    value = JSON.parse(stdout)
  } catch {
    // The parser's message is dropped, because it quotes the text.
    throw createHelperError(name, 'did not print JSON')
  }
  if (!isRecord(value)) throw createHelperError(name, 'did not print a JSON object')
  for (const [header, text] of Object.entries(value)) {
    if (typeof text !== 'string' || !HEADER_NAME.test(header) || !HEADER_VALUE.test(text))
      throw createHelperError(name, 'printed an invalid header name or value')
  }
  return value as Record<string, string>
}

function createHelperError(name: string, problem: string): HeadersHelperError {
  return new HeadersHelperError(`the headersHelper of the MCP server ${name} ${problem}`)
}
