// A small client based on Haft's own. It connects to the server that the suite starts and uses everything it offers.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Elicitation } from '../../src/contract/ports/ask.js'
import { createServerAccess } from '../../src/mcp/auth/server-access.js'
import type { HttpServerConfig } from '../../src/mcp/config/server-config.js'
import type { ManagedServer } from '../../src/mcp/manager/managed-server.js'
import { runHelper } from '../../src/ports/run-helper.js'
import { connectMcpServers } from '../../src/runtime/mcp/connect-mcp-servers.js'
import { openPrivateFiles } from '../../src/settings/files/private-files.js'
import { isRecord } from '../../src/shared/is-record.js'

/** Limits the sign-ins of a server that requests more scopes each time. */
const MAX_SIGN_INS = 3
/** The suite's own URL of the client metadata document. */
const CLIENT_DOCUMENT = 'https://conformance-test.local/client-metadata.json'

/** A sample value for each type of JSON Schema. */
const SAMPLE_ARGUMENTS: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 5,
  integer: 3,
  boolean: true,
  array: [],
  object: {},
}

const [url = ''] = process.argv.slice(2)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const contextJson: unknown = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const context = isRecord(contextJson) ? contextJson : {}

const home = await mkdtemp(join(tmpdir(), 'mcp-client-'))
const config: HttpServerConfig = { type: 'http', url, headers: {}, ...createRegistration() }
const access = createServerAccess({
  name: 'suite',
  config,
  files: openPrivateFiles(home),
  runHelper: (command, options) => runHelper(command, { ...options, cwd: home }),
})
const servers = connectMcpServers(
  { servers: [{ name: 'suite', config, source: 'library', approved: true }], access: () => access },
  { requests: { elicit: async (elicitation) => ({ action: 'accept', content: fillForm(elicitation) }) } },
)
try {
  const server = servers.get('suite')
  if (server === undefined) throw new Error('The server suite is not registered.')
  await withSignIn(server, () => useAllFeatures(server))
} finally {
  await servers.close()
  await rm(home, { recursive: true, force: true })
}

/** The registration of the client: the identity from the context, its own URL, or none. */
function createRegistration(): Pick<HttpServerConfig, 'oauth'> {
  const { client_id: clientId, client_secret: clientSecret } = context
  if (scenario === 'auth/basic-cimd') return { oauth: { clientId: CLIENT_DOCUMENT } }
  if (typeof clientId !== 'string') return {}
  return { oauth: { clientId, ...(typeof clientSecret === 'string' && { clientSecret }) } }
}

/** Signs in whenever the server requires it, and retries. */
async function withSignIn(server: ManagedServer, action: () => Promise<void>): Promise<void> {
  for (let signIns = 0; ; signIns++) {
    try {
      return await action()
    } catch (error) {
      if (signIns === MAX_SIGN_INS || !requiresSignIn(error)) throw error
      await access.signIn({
        signal: AbortSignal.timeout(150_000),
        openBrowser: async (page) => void (await fetch(page)),
      })
      await server.reconnect().catch(() => {})
    }
  }
}

function requiresSignIn(error: unknown): boolean {
  for (let cause = error; isRecord(cause) || cause instanceof Error; cause = (cause as { cause?: unknown }).cause) {
    const { name, message, status, data } = cause as Record<string, unknown>
    const code = status ?? (isRecord(data) ? data.status : undefined)
    if (code === 401 || code === 403 || /Authorization|Unauthorized|Scope/.test(String(name))) return true
    if (/needs a login/.test(String(message))) return true
  }
  return false
}

async function useAllFeatures(server: ManagedServer): Promise<void> {
  const { capabilities } = (await server.connect()).info
  for (const { name, args } of listCallsFor(server)) await server.callTool(name, args)
  if (capabilities.prompts !== undefined) {
    for (const { name } of (await server.list('prompts/list')).filter(isRecord))
      await server.request('prompts/get', { name })
  }
  if (capabilities.resources !== undefined) {
    for (const { uri } of (await server.list('resources/list')).filter(isRecord))
      await server.request('resources/read', { uri })
  }
}

function listCallsFor(
  server: ManagedServer,
): readonly { readonly name: string; readonly args: Record<string, unknown> }[] {
  const { toolCalls: requestedCalls } = context
  if (Array.isArray(requestedCalls)) {
    return requestedCalls
      .filter(isRecord)
      .map((call) => ({ name: String(call.name), args: { ...(call.arguments as object) } }))
  }
  return (server.offer?.definitions ?? []).map(({ name, inputSchema }) => ({
    name,
    args: createArguments(inputSchema),
  }))
}

function createArguments({ properties }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = isRecord(properties) ? Object.entries(properties) : []
  return Object.fromEntries(
    fields.map(([name, schema]) => [name, isRecord(schema) ? SAMPLE_ARGUMENTS[String(schema.type)] : null]),
  )
}

/** Fills in each field of a form with its default or with a sample of its type. */
function fillForm({ schema }: Elicitation): Record<string, unknown> {
  const fields = isRecord(schema?.properties) ? Object.entries(schema.properties) : []
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      isRecord(field) ? (field.default ?? SAMPLE_ARGUMENTS[String(field.type)]) : null,
    ]),
  )
}
