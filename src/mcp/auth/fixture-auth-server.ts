import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Deliberate protocol violations for tests. */
interface Misbehaviour {
  state?: string
  iss?: string
  metadataIssuer?: string
  error?: string
  authorizationEndpoint?: string
  tokenStatus?: number | undefined
}

type Reply = (status: number, value: unknown, headers?: object) => unknown

interface Grant {
  readonly family: string
  readonly scope: string
}

/** An authorisation server with PKCE, registration and rotating refresh tokens, and the resource that it protects. */
export class FixtureAuthServer {
  readonly misbehaviour: Misbehaviour = {}
  readonly registeredClients: Record<string, unknown>[] = []
  readonly authorizations: URLSearchParams[] = []
  readonly tokenRequests: URLSearchParams[] = []
  /** The announced lifetime of access tokens, in seconds. */
  expiresIn = 3600
  /** The scope that the resource requires. */
  scope = 'read'
  readonly #codes = new Map<string, Grant & { readonly challenge: string; readonly redirect: string }>()
  readonly #refreshTokens = new Map<string, Grant & { isUsed: boolean }>()
  readonly #accessTokens = new Map<string, Grant>()

  private constructor(readonly origin: string) {}

  static async start(): Promise<FixtureAuthServer> {
    const http = createServer((request, response) => void fixture.#handle(request, response))
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const fixture = new FixtureAuthServer(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
    onTestFinished(() => {
      http.closeAllConnections()
      http.close()
    })
    return fixture
  }

  get url(): string {
    return `${this.origin}/mcp`
  }

  /** Rejects all current access tokens, as if they had expired. */
  expireAccessTokens(): void {
    this.#accessTokens.clear()
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', this.origin)
    const body = await readBody(request)
    const json: Reply = (status, value, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
    if (url.pathname === '/mcp') return this.#handleResource(request, json)
    if (url.pathname === '/.well-known/oauth-protected-resource/mcp')
      return json(200, { resource: this.url, authorization_servers: [this.origin] })
    if (url.pathname === '/.well-known/oauth-authorization-server') return json(200, this.#createMetadata())
    if (url.pathname === '/register') {
      const client = { ...JSON.parse(body), client_id: randomUUID() }
      this.registeredClients.push(client)
      return json(201, client)
    }
    if (url.pathname === '/authorize') return this.#authorize(url.searchParams, response)
    if (url.pathname === '/token') return this.#handleToken(new URLSearchParams(body), json)
    return json(404, {})
  }

  #handleResource(request: IncomingMessage, json: Reply): unknown {
    const challenge = `Bearer resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp", scope="${this.scope}"`
    const grant = this.#accessTokens.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (grant === undefined) return json(401, {}, { 'www-authenticate': challenge })
    const hasScope = this.scope.split(' ').every((part) => grant.scope.split(' ').includes(part))
    if (!hasScope) return json(403, {}, { 'www-authenticate': `${challenge}, error="insufficient_scope"` })
    return json(200, { ok: true })
  }

  #createMetadata() {
    return {
      issuer: this.misbehaviour.metadataIssuer ?? this.origin,
      authorization_endpoint: this.misbehaviour.authorizationEndpoint ?? `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    this.authorizations.push(query)
    const code = randomUUID()
    const redirect = query.get('redirect_uri') ?? ''
    const grant = { family: randomUUID(), scope: query.get('scope') ?? '', redirect }
    this.#codes.set(code, { ...grant, challenge: query.get('code_challenge') ?? '' })
    const target = new URL(redirect)
    const { state = query.get('state') ?? '', iss = this.origin, error } = this.misbehaviour
    target.searchParams.set('state', state)
    target.searchParams.set('iss', iss)
    if (error === undefined) target.searchParams.set('code', code)
    else target.searchParams.set('error', error)
    response.writeHead(302, { location: target.href })
    response.end()
  }

  #handleToken(body: URLSearchParams, json: Reply): unknown {
    this.tokenRequests.push(body)
    const { tokenStatus } = this.misbehaviour
    if (tokenStatus !== undefined) return json(tokenStatus, { error: 'server_error' })
    const grant = body.get('grant_type') === 'refresh_token' ? this.#rotate(body) : this.#redeem(body)
    if (grant === undefined) return json(400, { error: 'invalid_grant' })
    const access = randomUUID()
    const refresh = randomUUID()
    this.#accessTokens.set(access, grant)
    this.#refreshTokens.set(refresh, { ...grant, isUsed: false })
    const tokens = { access_token: access, token_type: 'Bearer', refresh_token: refresh, scope: grant.scope }
    return json(200, { ...tokens, expires_in: this.expiresIn })
  }

  #redeem(body: URLSearchParams): Grant | undefined {
    const code = body.get('code') ?? ''
    const grant = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    return grant?.challenge === challenge && grant.redirect === body.get('redirect_uri') ? grant : undefined
  }

  /** A refresh token that is used twice counts as stolen, so all tokens of its family are revoked. */
  #rotate(body: URLSearchParams): Grant | undefined {
    const grant = this.#refreshTokens.get(body.get('refresh_token') ?? '')
    if (grant === undefined) return undefined
    if (grant.isUsed) {
      for (const grants of [this.#accessTokens, this.#refreshTokens])
        for (const [token, { family }] of grants) if (family === grant.family) grants.delete(token)
      return undefined
    }
    grant.isUsed = true
    return grant
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
