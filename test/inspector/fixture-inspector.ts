import { request } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startInspector } from '../../src/inspector/server/inspector-server.js'
import type { Workbench } from '../../src/inspector/workbench.js'
import { createSessionHome, type SessionHome } from '../../src/testing/session-fixture.js'

const TOKEN = 'a-token-that-nobody-guesses'

const DECISION = {
  behavior: 'ask',
  reason: { type: 'default', text: 'asks' },
  message: '',
  trace: [],
  isReadOnly: false,
  suggestedRules: [],
} as const

/** A workbench that records the calls it is asked to make. */
function createFakeWorkbench(): Workbench & { readonly calls: string[] } {
  const calls: string[] = []
  return {
    calls,
    findTool: () => undefined,
    listPool: async () => [],
    search: async () => [],
    simulate: async () => DECISION,
    listServers: async () => [],
    listHooks: () => [],
    readCheckpoint: async () => undefined,
    async call(tool) {
      calls.push(tool)
      const result = { type: 'tool_result', tool_use_id: 'x', content: 'done' } as const
      return { result, view: 'done', errorCode: undefined, events: [] }
    },
  }
}

export interface TestInspector {
  readonly port: number
  readonly home: SessionHome
  readonly workbench: ReturnType<typeof createFakeWorkbench>
  /** Sends a request with exactly these headers. */
  send(options: SendOptions): Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }>
}

interface SendOptions {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Starts the real server with a page that is not used. */
export async function startTestInspector(): Promise<TestInspector> {
  const home = await createSessionHome()
  const workbench = createFakeWorkbench()
  const { port, close } = await startInspector({
    ...{ home: home.home, projectRoot: home.projectRoot, files: new Map(), token: TOKEN, workbench },
    assets: { html: '<!doctype html>', script: 'void 0', style: '' },
  })
  onTestFinished(close)
  const send: TestInspector['send'] = ({ path, method = 'GET', headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const outgoing = request({ port, host: '127.0.0.1', path, method, headers, setHost: false }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
          // The events of a call do not end by themselves.
          if (text.includes('"type":"ended"')) response.destroy()
        })
        response.on('close', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }))
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  return { port, home, workbench, send }
}

/** The headers of a request of the page itself. */
export function createOwnHeaders(port: number): Record<string, string> {
  const host = `127.0.0.1:${port}`
  return {
    Host: host,
    Origin: `http://${host}`,
    Authorization: `Bearer ${TOKEN}`,
    'Content-Type': 'application/json',
  }
}

/** Where a file outside the sessions is, for attempts to read it. */
export function secretPathOf(home: SessionHome): string {
  return join(home.home, 'secret.jsonl')
}
