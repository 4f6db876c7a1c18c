import { readdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { HaftProcess, Line } from './lib/haft-process.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, writeModel, run, start } = createHeadlessFixture()

const ajv = new Ajv2020()
const readSchema = async (name: string) => JSON.parse(await readFile(`schemas/stream-json-${name}.schema.json`, 'utf8'))
const isOutput = ajv.compile(await readSchema('output'))
const isInput = ajv.compile(await readSchema('input'))

function checkLine(line: Line): Line {
  expect(isOutput(line), `${JSON.stringify(line)}\n${JSON.stringify(isOutput.errors)}`).toBe(true)
  return line
}

/** Reads the lines up to the first that matches. */
async function readUntil(process: HaftProcess, matches: (line: Line) => boolean): Promise<readonly Line[]> {
  const lines: Line[] = []
  do lines.push(checkLine(await process.next()))
  while (!matches(lines.at(-1) ?? {}))
  return lines
}

function send(process: HaftProcess, line: object): void {
  expect(isInput(line), `${JSON.stringify(line)}\n${JSON.stringify(isInput.errors)}`).toBe(true)
  process.send(line)
}

const createPrompt = (content: string) => ({ type: 'user', message: { role: 'user', content } })
const isResult = ({ type }: Line) => type === 'result'
const isQuestion = ({ type }: Line) => type === 'control_request'
const answer = (question: Line | undefined, response: object) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: question?.request_id, response },
})
/** The ids of the calls in an assistant line. */
const listCallIds = ({ type, message }: Line) =>
  type === 'assistant' ? (message as { content: { id?: string }[] }).content.flatMap(({ id }) => id ?? []) : []
const STREAM_ARGS = ['--output-format', 'stream-json']
const DRIVER_ARGS = ['-p', '--input-format', 'stream-json', ...STREAM_ARGS]

describe('--output-format stream-json', () => {
  test('reports a run from the first line to the last, as its schema specifies', async () => {
    const turns = [
      { text: 'I look.', thinking: 'Hm.', calls: [{ name: 'Read', input: { file_path: file('a.txt') } }] },
      call('Write', { file_path: file('new.txt'), content: 'x' }),
      'Done.',
    ]

    const { stdout } = await run(['-p', 'Look', ...STREAM_ARGS, '--include-events', ...(await writeModel(turns))])

    const lines: Line[] = stdout
      .trim()
      .split('\n')
      .map((line) => checkLine(JSON.parse(line)))
    const isMessage = ({ subtype }: Line) => subtype !== 'tool_event'
    expect(lines.filter(isMessage).map(({ type, subtype }) => subtype ?? type)).toEqual([
      'init',
      // One line for each block: thinking, text and call.
      ...['assistant', 'assistant', 'assistant'],
      'user',
      'assistant',
      'permission_denied',
      'user',
      'assistant',
      'success',
    ])
    expect(lines[0]).toMatchObject({
      ...{ cwd: at('project'), model: 'scripted', permissionMode: 'default', mcp_servers: [] },
      tools: expect.arrayContaining(['Read', 'Write']),
    })
    expect(new Set(lines.map(({ session_id }) => session_id)).size).toBe(1)
  })

  test('includes partial messages on request', async () => {
    const { stdout } = await run([
      '-p',
      'Hi',
      ...STREAM_ARGS,
      '--include-partial-messages',
      ...(await writeModel(['A longer answer.'], { pieceLength: 4 })),
    ])

    const lines: Line[] = stdout
      .trim()
      .split('\n')
      .map((line) => checkLine(JSON.parse(line)))
    const texts = lines.flatMap(({ event }) => (event as { delta?: { text?: string } } | undefined)?.delta?.text ?? [])
    expect(texts.join('')).toBe('A longer answer.')
    expect(texts.length).toBeGreaterThan(2)
  })
})

test('messages of a sub-agent have the id of the call that started it', async () => {
  const turns = [{ calls: [{ id: 'c', name: 'Agent', input: { description: 'look', prompt: 'Find it.' } }] }, 'Done.']
  const agentTurns = [call('Read', { file_path: file('a.txt') }), 'Found.']
  const script = {
    conversations: [{ opening: 'Find it.', turns: agentTurns }],
    facts: { prices: { input: 1, output: 1 } },
  }

  const { code, stdout } = await run(['-p', 'Look', ...STREAM_ARGS, ...(await writeModel(turns, script))])

  const lines: Line[] = stdout
    .trim()
    .split('\n')
    .map((line) => checkLine(JSON.parse(line)))
  const messages = lines.filter(({ type }) => type === 'assistant' || type === 'user')
  expect(messages.map(({ type, parent_tool_use_id }) => [type, parent_tool_use_id])).toEqual([
    ['assistant', null],
    ['assistant', 'c'],
    ['user', 'c'],
    ['assistant', 'c'],
    ['user', null],
    ['assistant', null],
  ])
  type Usage = { readonly input_tokens: number; readonly output_tokens: number }
  const usages = messages.map(({ message }) => (message as { usage?: Usage }).usage)
  const tokens = usages.reduce(
    (sum, usage) => sum + (usage === undefined ? 0 : usage.input_tokens + usage.output_tokens),
    0,
  )
  expect(lines.at(-1)?.total_cost_usd).toBeCloseTo(tokens / 1_000_000, 9)
  expect(code).toBe(0)
})

test('events of a sub-agent’s conversation have the id of the sub-agent', async () => {
  const turns = [{ calls: [{ name: 'Agent', input: { description: 'look', prompt: 'Find it.' } }] }, 'Done.']
  const agentTurns = [{ error: { kind: 'overloaded' as const, retryAfterMs: 1 } }, 'Found.']

  const { stdout } = await run([
    ...['-p', 'Look', ...STREAM_ARGS],
    ...(await writeModel(turns, { conversations: [{ opening: 'Find it.', turns: agentTurns }] })),
  ])

  const lines: Line[] = stdout
    .trim()
    .split('\n')
    .map((line) => checkLine(JSON.parse(line)))
  const retries = lines.filter(({ subtype }) => subtype === 'api_retry')
  expect(retries).toEqual([expect.objectContaining({ agent_id: expect.any(String) })])
})

describe('a driving program', () => {
  test('holds a conversation of two turns and ends it by closing the input', async () => {
    const process = start([...DRIVER_ARGS, ...(await writeModel(['One.', 'Two.']))])

    send(process, createPrompt('first'))
    expect(checkLine(await process.next())).toMatchObject({ type: 'system', subtype: 'init' })
    expect((await readUntil(process, isResult)).at(-1)).toMatchObject({ result: 'One.' })
    send(process, createPrompt('second'))
    expect((await readUntil(process, isResult)).at(-1)).toMatchObject({ result: 'Two.' })

    expect(await process.finish()).toEqual({ code: 0, lines: [], stderr: '' })
  })

  test('gets answers to all queued prompts after it closes the input', async () => {
    const process = start([...DRIVER_ARGS, ...(await writeModel(['One.', 'Two.']))])
    send(process, createPrompt('first'))
    send(process, createPrompt('second'))

    const { code, lines } = await process.finish()

    expect(
      lines
        .map(checkLine)
        .filter(isResult)
        .map(({ result }) => result),
    ).toEqual(['One.', 'Two.'])
    expect(code).toBe(0)
  })

  test('answers permission requests: allow, allow with another input, deny', async () => {
    const write = (name: string) => call('Write', { file_path: file(name), content: name })
    const turns = [write('yes'), write('moved'), write('bad'), write('no'), 'Done.']
    const process = start([...DRIVER_ARGS, '--permission-prompt-tool', 'stdio', ...(await writeModel(turns))])
    send(process, createPrompt('Write'))
    const readNextQuestion = async () => (await readUntil(process, isQuestion)).at(-1)

    const first = await readNextQuestion()
    expect(first?.request).toMatchObject({ subtype: 'can_use_tool', tool_name: 'Write', input: { content: 'yes' } })
    send(process, answer(first, { behavior: 'allow' }))
    send(
      process,
      answer(await readNextQuestion(), {
        behavior: 'allow',
        updatedInput: { file_path: file('elsewhere'), content: '!' },
      }),
    )
    // An invalid input is rejected, as it would be from a model.
    send(process, answer(await readNextQuestion(), { behavior: 'allow', updatedInput: { file_path: 7 } }))
    send(process, answer(await readNextQuestion(), { behavior: 'deny', message: 'Not that one.' }))

    const remainingLines = await readUntil(process, isResult)
    expect(JSON.stringify(remainingLines)).toContain('Not that one.')
    expect(remainingLines.at(-1)).toMatchObject({ result: 'Done.', exit_code: 3 })
    expect((await process.finish()).code).toBe(3)
    expect(await readFile(file('yes'), 'utf8')).toBe('yes')
    expect(await readFile(file('elsewhere'), 'utf8')).toBe('!')
    for (const name of ['moved', 'bad', 'no']) await expect(readFile(file(name))).rejects.toThrow('ENOENT')
  })

  test('receives a call before the permission request for it, however slowly the model streams', async () => {
    const write = (path: string) => ({ name: 'Write', input: { file_path: path, content: 'x' } })
    const turns = [
      { calls: [write(file('one')), write(file('two'))] },
      call('Agent', { description: 'write', prompt: 'Write it.' }),
      'Done.',
    ]
    const conversations = [{ opening: 'Write it.', turns: [{ calls: [write(file('three'))] }, 'Written.'] }]
    const script = await writeModel(turns, { conversations, pieceLength: 3, pauseMs: 5 })
    const process = start([...DRIVER_ARGS, '--include-events', '--permission-prompt-tool', 'stdio', ...script])
    send(process, createPrompt('Write'))

    const knownCallIds: string[] = []
    for (let count = 0; count < 3; count++) {
      const lines = await readUntil(process, isQuestion)
      knownCallIds.push(...lines.flatMap(listCallIds))
      const id = (lines.at(-1)?.request as { tool_use_id: string } | undefined)?.tool_use_id
      expect(knownCallIds).toContain(id)
      expect(lines.at(-2)).toMatchObject({ subtype: 'permission_asked', tool_use_id: id, tool_name: 'Write' })
      expect(lines.filter(({ subtype }) => subtype === 'permission_asked')).toHaveLength(1)
      send(process, answer(lines.at(-1), { behavior: 'allow' }))
    }
    expect((await readUntil(process, isResult)).at(-1)).toMatchObject({ result: 'Done.' })
    expect((await process.finish()).code).toBe(0)
  })

  test('cannot allow what a rule denies', async () => {
    const turns = [call('Write', { file_path: file('new'), content: '' }), 'Done.']
    const args = ['--permission-prompt-tool', 'stdio', '--disallowed-tools', 'Edit(*)']
    const process = start([...DRIVER_ARGS, ...args, ...(await writeModel(turns))])
    send(process, createPrompt('Write'))

    const lines = await readUntil(process, isResult)

    expect(lines.filter(isQuestion)).toEqual([])
    expect(lines.at(-1)).toMatchObject({ exit_code: 3 })
    await process.finish()
  })

  test('can interrupt a call and continue', async () => {
    const turns = [call('Bash', { command: 'sleep 60' }), 'Again.']
    const process = start([...DRIVER_ARGS, '--include-events', '--allowed-tools', 'Bash', ...(await writeModel(turns))])
    send(process, createPrompt('Wait'))
    await readUntil(process, ({ event }) => (event as { type?: string } | undefined)?.type === 'call-started')

    send(process, { type: 'control_request', request_id: 'i', request: { subtype: 'interrupt' } })

    const lines = await readUntil(process, isResult)
    expect(lines).toContainEqual(expect.objectContaining({ type: 'control_response' }))
    expect(lines).toContainEqual(expect.objectContaining({ type: 'user' }))
    expect(lines.at(-1)).toMatchObject({ end_reason: 'interrupted' })
    send(process, createPrompt('Go on'))
    expect((await readUntil(process, isResult)).at(-1)).toMatchObject({ result: 'Again.' })
    expect((await process.finish()).code).toBe(0)
  })

  test('can change mode and model during the conversation', async () => {
    const [, otherModel = ''] = await writeModel(['From the other.'], { id: 'other' })
    const turns = [call('Write', { file_path: file('new'), content: '' }), 'Written.']
    const process = start([...DRIVER_ARGS, ...(await writeModel(turns))])
    const sendControl = (request: object) => send(process, { type: 'control_request', request_id: 'r', request })

    sendControl({ subtype: 'set_permission_mode', mode: 'acceptEdits' })
    send(process, createPrompt('Write'))
    const lines = await readUntil(process, isResult)
    expect(lines).toContainEqual(expect.objectContaining({ subtype: 'status', permissionMode: 'acceptEdits' }))
    expect(lines.at(-1)).toMatchObject({ result: 'Written.', exit_code: 0 })
    sendControl({ subtype: 'set_model', model: otherModel })
    send(process, createPrompt('Say'))
    expect((await readUntil(process, isResult)).at(-1)).toMatchObject({ result: 'From the other.' })
    sendControl({ subtype: 'set_model', model: 'scripted:/nowhere.json' })
    expect(checkLine(await process.next())).toMatchObject({ response: { subtype: 'error' } })
    await process.finish()
  })

  test('gets an error for an invalid line and can continue', async () => {
    const process = start([...DRIVER_ARGS, ...(await writeModel(['One.']))])
    process.send('nonsense')
    send(process, createPrompt('first'))

    const lines = await readUntil(process, isResult)

    expect(lines).toContainEqual(expect.objectContaining({ type: 'error', line: 1 }))
    expect(lines.at(-1)).toMatchObject({ result: 'One.' })
    expect((await process.finish()).code).toBe(1)
  })
})

describe('--permission-prompt-tool', () => {
  const TOOL_ARGS = ['--permission-prompt-tool', 'mcp__gate__approve']
  const server = { command: process.execPath, args: [resolve('test/fixtures/mcp/permission-server.mjs')] }
  const gateArgs = ['--mcp-config', JSON.stringify({ mcpServers: { gate: server } }), '--trust']

  test('asks a tool of an MCP server instead of a user', async () => {
    const write = (name: string) => call('Write', { file_path: file(name), content: name })
    const turns = [write('good'), write('moved'), write('unclear'), write('bad-input'), write('no'), 'Done.']

    const { code, stdout } = await run([
      '-p',
      'Write',
      ...TOOL_ARGS,
      ...gateArgs,
      ...STREAM_ARGS,
      ...(await writeModel(turns)),
    ])

    const texts = stdout.split('\n').filter((line) => line.startsWith('{"type":"user"'))
    expect(texts.map((text) => /"is_error":true/.test(text))).toEqual([false, false, true, true, true])
    expect(texts[2]).toContain('returned an invalid answer')
    expect(texts[4]).toContain('Write is not for this file.')
    expect(code).toBe(3)
    expect(await readFile(file('good'), 'utf8')).toBe('good')
    expect(await readFile(file('elsewhere'), 'utf8')).toBe('moved')
    for (const name of ['moved', 'unclear', 'bad-input', 'no'])
      await expect(readFile(file(name))).rejects.toThrow('ENOENT')
  })

  test('ends the prompt if the tool requests an interruption', async () => {
    const turns = [call('Write', { file_path: file('no-more'), content: '' }), 'Unreachable.']

    const { code, stdout } = await run([
      '-p',
      'Write',
      ...TOOL_ARGS,
      ...gateArgs,
      ...STREAM_ARGS,
      ...(await writeModel(turns)),
    ])

    expect(code).toBe(130)
    expect(stdout).not.toContain('Unreachable.')
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ end_reason: 'interrupted' })
  })

  test.each([
    ['mcp__gate__approve', []],
    ['Read', gateArgs],
    ['mcp__gate__other', gateArgs],
  ])('%s that is not a tool of an MCP server ends the run before the first request', async (name, args) => {
    const script = at('script.mjs')
    await writeFile(script, 'export const script = [() => { throw new Error("was asked") }]')

    const { code, stderr } = await run([
      '-p',
      'Hi',
      '--permission-prompt-tool',
      name,
      ...args,
      '--model',
      `scripted:${script}`,
    ])

    expect(code).toBe(2)
    expect(stderr).toMatch(/^haft: unknown permission prompt tool .+\n$/)
  })
})

test('the cost of sub-agents counts towards the budget', async () => {
  const agent = { calls: [{ name: 'Agent', input: { description: 'look', prompt: 'Find it.' } }] }
  const facts = { prices: { input: 0, output: 1_000_000 } }
  const usage = { output: 1 }
  const turns = [{ ...agent, usage }, 'Unreachable.']
  const script = {
    facts,
    conversations: [
      { opening: 'Find it.', turns: [{ ...call('Read', { file_path: file('a.txt') }), usage: { output: 5 } }, 'x'] },
    ],
  }

  const args = ['--max-budget-usd', '4', '--output-format', 'json', ...(await writeModel(turns, script))]
  const { code, stdout } = await run(['-p', 'Look', ...args])

  expect(JSON.parse(stdout)).toMatchObject({ subtype: 'error_max_budget_usd', total_cost_usd: 6 })
  expect(code).toBe(4)
})

test('SIGINT ends the wait for an MCP server that hangs', async () => {
  const hangingServer = {
    command: process.execPath,
    args: ['-e', 'process.stderr.write("up"); setInterval(() => {}, 1000)'],
  }
  const config = JSON.stringify({ mcpServers: { slow: hangingServer } })
  const haftProcess = start(['-p', 'Hi', '--mcp-config', config, '--trust', ...(await writeModel(['x']))])
  haftProcess.child.stdin.end()
  // The log of the server exists once it is running.
  const logFolder = at('home', '.haft', 'logs', 'mcp')
  await expect.poll(() => readdir(logFolder).catch(() => [])).not.toEqual([])

  haftProcess.child.kill('SIGINT')

  expect((await haftProcess.finish()).code).toBe(130)
})
