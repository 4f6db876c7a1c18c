import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { createSdkMcpServer, tool } from './mcp-server.js'
import type { Options } from './options.js'
import { query, type SDKMessage, type SDKUserMessage } from './query.js'
import { InMemorySessionStore } from './session-store.js'

let folder = ''
const at = (...parts: string[]) => join(folder, ...parts)
const getBase = (): Options => ({ cwd: at('project'), env: { PATH: process.env.PATH, HOME: at('home') } })

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-sdk-')))
  await mkdir(at('project', '.git'), { recursive: true })
  await mkdir(at('home'))
  await writeFile(at('project', 'a.txt'), 'alpha\n')
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))

async function writeModel(turns: readonly unknown[]): Promise<string> {
  const path = at(`script-${Math.random()}.json`)
  await writeFile(path, JSON.stringify({ turns }))
  return `scripted:${path}`
}

async function collect(messages: AsyncIterable<SDKMessage>): Promise<readonly SDKMessage[]> {
  const collected: SDKMessage[] = []
  for await (const message of messages) collected.push(message)
  return collected
}

const typesOf = (messages: readonly SDKMessage[]) => messages.map(({ type }) => type)

test('query yields the facts, the messages and the result of a prompt', async () => {
  const model = await writeModel([{ calls: [{ name: 'Read', input: { file_path: at('project', 'a.txt') } }] }, 'Done.'])

  const messages = await collect(query({ prompt: 'Read it', options: { ...getBase(), model } }))

  expect(typesOf(messages)).toEqual(['system', 'assistant', 'user', 'assistant', 'result'])
  expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.', num_turns: 2, stop_reason: 'end_turn' })
})

test('canUseTool decides, and its changed input is used', async () => {
  const file = at('project', 'b.txt')
  const model = await writeModel([{ calls: [{ name: 'Write', input: { file_path: file, content: 'x' } }] }, 'Done.'])
  const questions: string[] = []

  await collect(
    query({
      prompt: 'Write',
      options: {
        ...{ ...getBase(), model },
        async canUseTool(name, input) {
          questions.push(name)
          return { behavior: 'allow', updatedInput: { ...input, content: 'y' } }
        },
      },
    }),
  )

  expect(questions).toEqual(['Write'])
  expect(await readFile(file, 'utf8')).toBe('y')
})

test('a tool of a server in this program gets parsed input', async () => {
  const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }))
  const model = await writeModel([{ calls: [{ name: 'mcp__calc__add', input: { a: 2, b: 3 } }] }, 'Done.'])

  const messages = await collect(
    query({
      prompt: 'Add',
      options: {
        ...{ ...getBase(), model, allowedTools: ['mcp__calc__add'] },
        mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
      },
    }),
  )

  expect(messages.find(({ type }) => type === 'user')).toMatchObject({ message: { content: [{ content: '5' }] } })
})

test('a hook denies a call, and its reason reaches the model', async () => {
  const model = await writeModel([{ calls: [{ name: 'Read', input: { file_path: at('project', 'a.txt') } }] }, 'Done.'])
  const deny = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'not today' }

  const messages = await collect(
    query({
      prompt: 'Read',
      options: {
        ...{ ...getBase(), model },
        hooks: { PreToolUse: [{ matcher: 'Read', hooks: [async () => ({ hookSpecificOutput: deny })] }] },
      },
    }),
  )

  expect(JSON.stringify(messages.find(({ type }) => type === 'user'))).toContain('not today')
})

test('an error result is yielded, and then the iteration fails', async () => {
  const model = await writeModel([{ calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] }, 'Done.'])
  const messages: SDKMessage[] = []

  const iterate = async () => {
    for await (const message of query({ prompt: 'Read', options: { ...getBase(), model, maxTurns: 1 } }))
      messages.push(message)
  }

  await expect(iterate()).rejects.toThrow('Stopped at the limit of 1 turn.')
  expect(messages.at(-1)).toMatchObject({ subtype: 'error_max_turns', errors: ['Stopped at the limit of 1 turn.'] })
})

test('an option that Haft cannot honour is refused with its name', async () => {
  const model = await writeModel(['Hi.'])

  await expect(collect(query({ prompt: 'Hi', options: { ...getBase(), model, agent: 'x' } }))).rejects.toThrow(
    '--agent is not supported',
  )
  const options = { ...getBase(), model, toolAliases: { Bash: 'Shell' } }
  await expect(collect(query({ prompt: 'Hi', options }))).rejects.toThrow('toolAliases cannot be honoured')
})

test('prompts can be streamed, and the model and the mode changed between them', async () => {
  const [first, second] = [await writeModel(['One.']), await writeModel(['Two.'])]
  const prompt = (content: string): SDKUserMessage => ({ type: 'user', message: { role: 'user', content } })
  let answered = () => {}
  const isAnswered = new Promise<void>((resolve) => {
    answered = resolve
  })
  async function* prompts() {
    yield prompt('first')
    await isAnswered
    await session.setModel(second)
    await session.setPermissionMode('acceptEdits')
    yield prompt('second')
  }
  const session = query({ prompt: prompts(), options: { ...getBase(), model: first } })
  const results: string[] = []
  const modes: string[] = []
  for await (const message of session) {
    if (message.type === 'system' && message.subtype === 'init') modes.push(message.permissionMode)
    if (message.type !== 'result') continue
    results.push(message.result)
    answered()
  }

  expect(results).toEqual(['One.', 'Two.'])
  expect(modes).toEqual(['default', 'acceptEdits'])
})

test('a session in a store is resumed from it after its file is gone', async () => {
  const sessionStore = new InMemorySessionStore()
  const options = { ...getBase(), sessionStore, sessionId: 'one' }
  await collect(query({ prompt: 'Hi', options: { ...options, model: await writeModel(['Hello.']) } }))
  expect(sessionStore.size).toBe(1)
  await rm(at('home', '.haft', 'projects'), { recursive: true })

  const { sessionId: _, ...others } = options
  const model = await writeModel(['Again.'])
  const messages = await collect(query({ prompt: 'And?', options: { ...others, resume: 'one', model } }))

  expect(messages.at(-1)).toMatchObject({ result: 'Again.', session_id: 'one' })
})

test('closing a query ends its session', async () => {
  const model = await writeModel([{ calls: [{ name: 'Bash', input: { command: 'sleep 60' } }] }, 'Done.'])
  const session = query({ prompt: 'Wait', options: { ...getBase(), model, allowedTools: ['Bash'] } })

  for await (const message of session) if (message.type === 'assistant') session.close()

  expect(await session.next()).toEqual({ value: undefined, done: true })
})
