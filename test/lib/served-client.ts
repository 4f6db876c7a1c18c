import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client, type ClientCapabilities, type ElicitResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

export const HAFT_PATH = resolve('bin/haft')
const SERVER_PATH = resolve('test/fixtures/mcp-serve/server.mjs')

export interface ServedClient {
  readonly client: Client
  readonly home: string
  /** The questions that the client was asked, in order. */
  readonly questions: string[]
  call(name: string, args?: Record<string, unknown>): Promise<{ text: string; isError: boolean }>
  close(): Promise<void>
}

export interface ServedOptions {
  readonly args?: readonly string[]
  readonly mode?: 'auto' | 'legacy'
  /** If omitted, the client cannot ask its user. */
  readonly answer?: ElicitResult
  /** The number of additional tools of the server behind the gateway. */
  readonly extraTools?: number
  /** The prefix of all tool descriptions of the server behind the gateway. */
  readonly descriptionPrefix?: string
  /** The home folder of an earlier client, to continue with its state. */
  readonly home?: string
}

/** A client of the built `haft mcp serve`, in its own home folder, with the fixture server configured. */
export async function connectToServed(options: ServedOptions = {}): Promise<ServedClient> {
  const { args = [], mode = 'auto', answer, extraTools = 0, descriptionPrefix } = options
  const home = options.home ?? realpathSync(mkdtempSync(join(tmpdir(), 'haft-served-')))
  const capabilities: ClientCapabilities = answer === undefined ? {} : { elicitation: {} }
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } })
  const questions: string[] = []
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message)
      return answer
    })
  }
  const config = createServerConfig(extraTools, join(home, 'cancelled'), descriptionPrefix)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [HAFT_PATH, 'mcp', 'serve', '--mcp-config', config, ...args],
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home, HAFT_SANDBOX: '1' },
      stderr: 'ignore',
    }),
  )
  return {
    client,
    home,
    questions,
    async call(name, toolArgs = {}) {
      const { content, isError } = await client.callTool({ name, arguments: toolArgs })
      const text = content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('\n')
      return { text, isError: isError === true }
    },
    async close() {
      await client.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export function createServerConfig(extraTools: number, cancelledFile: string, descriptionPrefix = 'The tool'): string {
  const fixture = {
    command: process.execPath,
    args: [SERVER_PATH, String(extraTools), cancelledFile],
    env: { FIXTURE_SAYS: descriptionPrefix },
    // No test may fail because the server starts slowly.
    startTimeoutMs: 170_000,
  }
  return JSON.stringify({ mcpServers: { fixture } })
}
