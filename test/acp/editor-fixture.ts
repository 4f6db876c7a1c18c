import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { onTestFinished } from 'vitest'
import { createHeadlessFixture } from '../lib/headless-fixture.js'

interface EditorOptions {
  readonly capabilities?: ClientCapabilities
  readonly variables?: Record<string, string>
  /** Answers permission questions. By default the first option of the kind `allow_once` is chosen. */
  readonly answer?: (
    request: RequestPermissionRequest,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>
  readonly fillForm?: (request: CreateElicitationRequest) => CreateElicitationResponse
  /** The texts in the editor by path; changed by writes. */
  readonly texts?: Map<string, string>
}

/** An editor: the official client of the protocol, connected to the built `haft acp`. */
export function createEditorFixture() {
  const fixture = createHeadlessFixture()

  async function openEditor(args: readonly string[], options: EditorOptions = {}) {
    const child: ChildProcess = spawn(process.execPath, [resolve('bin/haft'), 'acp', ...args], {
      cwd: fixture.at('project'),
      env: { PATH: process.env.PATH, HOME: fixture.at('home'), ...options.variables },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const updates: SessionUpdate[] = []
    const questions: RequestPermissionRequest[] = []
    let notify = () => {}
    let stderr = ''
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    const { stdin, stdout } = child
    if (stdin === null || stdout === null) throw new Error('The pipes of haft acp are missing.')
    const connection: ClientConnection = client({ name: 'test' })
      .onNotification('session/update', ({ params: { update } }) => {
        updates.push(update)
        notify()
      })
      .onRequest('session/request_permission', ({ params }) => {
        questions.push(params)
        return options.answer?.(params) ?? allowOnce(params)
      })
      .onRequest('fs/read_text_file', ({ params: { path } }) => {
        const content = options.texts?.get(path)
        if (content === undefined) throw new Error(`${path} is not open`)
        return { content }
      })
      .onRequest('fs/write_text_file', ({ params: { path, content } }) => {
        options.texts?.set(path, content)
      })
      .onRequest('elicitation/create', ({ params }) => options.fillForm?.(params) ?? { action: 'cancel' })
      .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>))
    const { agent } = connection
    const initialized = await agent.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? {},
    })
    return {
      agent,
      initialized,
      child,
      updates,
      questions,
      get stderr() {
        return stderr
      },
      newSession: () => agent.request('session/new', { cwd: fixture.at('project'), mcpServers: [] }),
      prompt: (sessionId: string, text: string) =>
        agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
      /** Resolves with the first update for which the test is true. */
      waitFor: async (test: (update: SessionUpdate) => boolean): Promise<SessionUpdate> => {
        for (;;) {
          const found = updates.find(test)
          if (found !== undefined) return found
          await new Promise<void>((done) => {
            notify = done
          })
        }
      },
      textOf: (kind: 'agent_message_chunk' | 'user_message_chunk' | 'agent_thought_chunk') =>
        updates
          .flatMap((update) =>
            update.sessionUpdate === kind && update.content.type === 'text' ? [update.content.text] : [],
          )
          .join(''),
      /** Closes the connection, and returns the exit code of the process. */
      async close(): Promise<number | null> {
        const exit = once(child, 'exit')
        stdin.end()
        const [code] = await exit
        return code
      },
    }
  }

  return { ...fixture, openEditor }
}

function allowOnce({ options }: RequestPermissionRequest): RequestPermissionResponse {
  const option = options.find(({ kind }) => kind === 'allow_once')
  return option === undefined
    ? { outcome: { outcome: 'cancelled' } }
    : { outcome: { outcome: 'selected', optionId: option.optionId } }
}

export type Editor = Awaited<ReturnType<ReturnType<typeof createEditorFixture>['openEditor']>>

/** Returns the last known state of each call, by its id. */
export function collectCalls({ updates }: Pick<Editor, 'updates'>): ReadonlyMap<string, Record<string, unknown>> {
  const calls = new Map<string, Record<string, unknown>>()
  for (const update of updates)
    if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...update })
  return calls
}
