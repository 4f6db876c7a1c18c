import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

/**
 * Programs that run on the Agent SDK and on haft/sdk. Each gets the module and what it needs to start a session, and returns
 * a result that both must agree on.
 */

/** @param {AsyncIterable<any>} messages */
async function collect(messages) {
  const collected = []
  try {
    for await (const message of messages) collected.push(message)
  } catch (error) {
    collected.push({ type: 'thrown', hasMessage: error instanceof Error && error.message !== '' })
  }
  return collected
}

/** @param {any[]} messages */
const findResult = (messages) => messages.findLast(({ type }) => type === 'result')
/** @param {any[]} messages */
const listResults = (messages) =>
  messages.flatMap(({ type, message }) =>
    type === 'user' ? message.content.map((/** @type {any} */ block) => block.content) : [],
  )
/** @param {string} content */
const prompt = (content) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  session_id: '',
})

/** @type {Record<string, (sdk: any, context: any) => Promise<any>>} */
export const programs = {
  async 'answers a prompt'({ query }, { base, model }) {
    const messages = await collect(query({ prompt: 'Hi', options: { ...base, model: await model(['Hello.']) } }))
    const { result, subtype, num_turns, stop_reason, is_error } = findResult(messages)
    return { types: messages.map(({ type }) => type), result, subtype, num_turns, stop_reason, is_error }
  },
  async 'has the fields of init'({ query }, { base, model }) {
    const [init] = await collect(query({ prompt: 'Hi', options: { ...base, model: await model(['Hello.']) } }))
    return { fields: Object.keys(init).toSorted(), mode: init.permissionMode, style: init.output_style }
  },
  async 'writes one line for each block and result'({ query }, { base, model, file }) {
    const read = { name: 'Read', input: { file_path: file } }
    const turns = [{ text: 'I look.', calls: [read, read] }, 'Done.']
    const messages = await collect(query({ prompt: 'Read', options: { ...base, model: await model(turns) } }))
    return messages.map(({ type, message }) => [type, message?.content.length])
  },
  async 'returns the data of a tool'({ query }, { base, model, file }) {
    const turns = [{ calls: [{ name: 'Read', input: { file_path: file } }] }, 'Done.']
    const messages = await collect(query({ prompt: 'Read', options: { ...base, model: await model(turns) } }))
    const { tool_use_result, timestamp } = messages.find(({ type }) => type === 'user')
    return { lines: tool_use_result.lines, hasTime: typeof timestamp === 'string' }
  },
  async 'asks canUseTool and uses the changed input'({ query }, { base, model, cwd }) {
    const path = join(cwd, 'new.txt')
    const turns = [{ calls: [{ name: 'Write', input: { file_path: path, content: 'x' } }] }, 'Done.']
    /** @type {any[]} */
    const asked = []
    /** @param {string} name @param {any} input @param {any} options */
    const canUseTool = async (name, input, { suggestions }) => {
      asked.push([name, suggestions[0].rules])
      return { behavior: 'allow', updatedInput: { ...input, content: 'y' } }
    }
    await collect(query({ prompt: 'Write', options: { ...base, model: await model(turns), canUseTool } }))
    return { asked, content: await readFile(path, 'utf8') }
  },
  async 'denies by canUseTool'({ query }, { base, model, cwd }) {
    const turns = [{ calls: [{ name: 'Write', input: { file_path: join(cwd, 'no.txt'), content: 'x' } }] }, 'Done.']
    const canUseTool = async () => ({ behavior: 'deny', message: 'Never.' })
    const messages = await collect(
      query({ prompt: 'Write', options: { ...base, model: await model(turns), canUseTool } }),
    )
    return {
      hasReason: JSON.stringify(listResults(messages)).includes('Never.'),
      denials: findResult(messages).permission_denials.length,
    }
  },
  async 'denies by a PreToolUse hook'({ query }, { base, model, file }) {
    const turns = [{ calls: [{ name: 'Read', input: { file_path: file } }] }, 'Done.']
    const output = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'Not today.' }
    const hooks = { PreToolUse: [{ matcher: 'Read', hooks: [async () => ({ hookSpecificOutput: output })] }] }
    const messages = await collect(query({ prompt: 'Read', options: { ...base, model: await model(turns), hooks } }))
    return {
      hasReason: JSON.stringify(listResults(messages)).includes('Not today.'),
      result: findResult(messages).result,
    }
  },
  async 'adds context by a PostToolUse hook'({ query }, { base, program, file }) {
    const turns = `[use('Read', { file_path: ${JSON.stringify(file)} }), (request) => messagesText(request).includes('remember this') ? 'yes' : 'no']`
    const output = { hookEventName: 'PostToolUse', additionalContext: 'remember this' }
    const hooks = { PostToolUse: [{ hooks: [async () => ({ hookSpecificOutput: output })] }] }
    const messages = await collect(query({ prompt: 'Read', options: { ...base, model: await program(turns), hooks } }))
    return findResult(messages).result
  },
  async 'starts an agent of the program'({ query }, { base, model }) {
    const turns = [
      { calls: [{ name: 'Agent', input: { description: 'look', prompt: 'Find it.', subagent_type: 'finder' } }] },
      'Done.',
    ]
    const conversations = { conversations: [{ opening: 'Find it.', turns: ['Found.'] }] }
    const agents = { finder: { description: 'Finds things.', prompt: 'You find things.' } }
    const messages = await collect(
      query({ prompt: 'Go', options: { ...base, model: await model(turns, conversations), agents } }),
    )
    return { hasAnswer: JSON.stringify(listResults(messages)).includes('Found.'), result: findResult(messages).result }
  },
  async 'calls a tool of its own server'({ query, tool, createSdkMcpServer }, { base, model }) {
    /** @param {any} input */
    const run = async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] })
    const server = createSdkMcpServer({
      name: 'calc',
      tools: [tool('add', 'Adds', { a: z.number(), b: z.number() }, run)],
    })
    const turns = [{ calls: [{ name: 'mcp__calc__add', input: { a: 2, b: 3 } }] }, 'Done.']
    const options = {
      ...base,
      model: await model(turns),
      mcpServers: { calc: server },
      allowedTools: ['mcp__calc__add'],
    }
    const messages = await collect(query({ prompt: 'Add', options }))
    return { results: listResults(messages), servers: messages[0].mcp_servers }
  },
  async 'resumes a session'({ query }, { base, model, program }) {
    const first = await collect(
      query({ prompt: 'My name is Ada', options: { ...base, model: await model(['Hello.']) } }),
    )
    const turns = `[(request) => messagesText(request).includes('Ada') ? 'Ada' : 'nobody']`
    const options = { ...base, model: await program(turns), resume: first[0].session_id }
    const second = await collect(query({ prompt: 'Who am I?', options }))
    return { result: findResult(second).result, isSame: first[0].session_id === second[0].session_id }
  },
  async 'forks a session'({ query }, { base, model }) {
    const first = await collect(query({ prompt: 'Hi', options: { ...base, model: await model(['Hello.']) } }))
    const options = { ...base, model: await model(['Again.']), resume: first[0].session_id, forkSession: true }
    const second = await collect(query({ prompt: 'And?', options }))
    return { result: findResult(second).result, isSame: first[0].session_id === second[0].session_id }
  },
  async 'interrupts a call'({ query }, { base, model }) {
    const turns = [{ calls: [{ name: 'Bash', input: { command: 'sleep 60' } }] }, 'Done.']
    /** @type {(value?: unknown) => void} */
    let end = () => {}
    const ended = new Promise((resolve) => {
      end = resolve
    })
    async function* prompts() {
      yield prompt('Wait')
      await ended
    }
    const session = query({
      prompt: prompts(),
      options: { ...base, model: await model(turns), allowedTools: ['Bash'] },
    })
    for await (const message of session) {
      if (message.type === 'assistant') await session.interrupt()
      if (message.type !== 'result') continue
      end()
      return { subtype: message.subtype, reason: message.end_reason }
    }
    return undefined
  },
  async 'changes model and mode between prompts'({ query }, { base, model }) {
    const other = await model(['Two.'])
    /** @type {(value?: unknown) => void} */
    let answer = () => {}
    const answered = new Promise((resolve) => {
      answer = resolve
    })
    async function* prompts() {
      yield prompt('first')
      await answered
      await session.setModel(other)
      await session.setPermissionMode('acceptEdits')
      yield prompt('second')
    }
    const session = query({ prompt: prompts(), options: { ...base, model: await model(['One.']) } })
    const results = []
    const modes = []
    for await (const message of session) {
      if (message.subtype === 'init') modes.push(message.permissionMode)
      if (message.type !== 'result') continue
      results.push(message.result)
      answer()
    }
    return { results, modes }
  },
  async 'returns structured output'({ query }, { base, model }) {
    const schema = {
      type: 'object',
      properties: { answer: { type: 'number' } },
      required: ['answer'],
      additionalProperties: false,
    }
    const turns = [{ calls: [{ name: 'StructuredOutput', input: { answer: 42 } }] }, 'Done.']
    const options = { ...base, model: await model(turns), outputFormat: { type: 'json_schema', schema } }
    return findResult(await collect(query({ prompt: 'Answer', options }))).structured_output
  },
  async 'stops at the limit of turns'({ query }, { base, model, file }) {
    const turns = [{ calls: [{ name: 'Read', input: { file_path: file } }] }, 'Done.']
    const messages = await collect(
      query({ prompt: 'Read', options: { ...base, model: await model(turns), maxTurns: 1 } }),
    )
    const { subtype, errors, is_error } = findResult(messages)
    return { subtype, errors, is_error, last: messages.at(-1) }
  },
  async 'reports an error of the model'({ query }, { base, model }) {
    const messages = await collect(
      query({ prompt: 'Hi', options: { ...base, model: await model([], { afterwards: 'error' }) } }),
    )
    const { subtype, is_error, errors } = findResult(messages)
    return { subtype, is_error, count: errors.length, last: messages.at(-1) }
  },
  async 'streams partial messages'({ query }, { base, model }) {
    const options = {
      ...base,
      model: await model(['A longer answer.'], { pieceLength: 4 }),
      includePartialMessages: true,
    }
    const messages = await collect(query({ prompt: 'Hi', options }))
    return messages.flatMap(({ event }) => event?.delta?.text ?? []).join('')
  },
  async 'sends an image'({ query }, { base, program }) {
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    async function* prompts() {
      yield { ...prompt(''), message: { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] } }
    }
    const turns = `[(request) => blocks(request).some(({ type }) => type === 'image') ? 'an image' : 'nothing']`
    return findResult(await collect(query({ prompt: prompts(), options: { ...base, model: await program(turns) } })))
      .result
  },
  async 'counts tokens by model'({ query }, { base, model }) {
    const { modelUsage, total_cost_usd } = findResult(
      await collect(
        query({
          prompt: 'Hi',
          options: { ...base, model: await model(['Hello.'], { facts: { prices: { input: 1, output: 1 } } }) },
        }),
      ),
    )
    return {
      models: Object.keys(modelUsage),
      fields: Object.keys(modelUsage.scripted).toSorted(),
      hasCost: total_cost_usd > 0,
    }
  },
}
