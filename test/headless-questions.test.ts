import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HaftProcess, Line } from './lib/haft-process.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'
import { createInteractive } from './terminal/interactive-fixture.mjs'

const { file, writeModel, writeProgram, run, start } = createHeadlessFixture()

const DRIVER_ARGS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json']
const STDIO = [...DRIVER_ARGS, '--permission-prompt-tool', 'stdio']
const createPrompt = (content: string) => ({ type: 'user', message: { role: 'user', content } })
const answer = (question: Line | undefined, response: object) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: question?.request_id, response },
})

async function readUntil(process: HaftProcess, type: string): Promise<Line> {
  for (;;) {
    const line = await process.next()
    if (line.type === type) return line
  }
}

const QUESTION = {
  ...{ question: 'Which colour?', header: 'Colour', multiSelect: false },
  options: [
    { label: 'Red', description: 'like fire' },
    { label: 'Blue', description: 'like water' },
  ],
}

test('a driving program answers the questions of the model', async () => {
  const program = await writeProgram(
    `[use('AskUserQuestion', { questions: [${JSON.stringify(QUESTION)}] }), (request) => 'Answer: ' + results(request).at(-1)]`,
  )
  const process = start([...STDIO, ...program])
  process.send(createPrompt('Ask me'))

  const question = await readUntil(process, 'control_request')
  expect(question.request).toMatchObject({ subtype: 'ask_user_question', questions: [QUESTION] })
  process.send(answer(question, { answers: [{ question: 'Which colour?', chosen: ['Blue'] }] }))
  expect(await readUntil(process, 'result')).toMatchObject({ result: expect.stringContaining('Blue') })
  expect((await process.finish()).code).toBe(0)
})

test('a driving program approves a plan', async () => {
  const model = await writeModel([call('ExitPlanMode', { plan: '1. Do it' }), 'Approved.'])
  const process = start([...STDIO, '--permission-mode', 'plan', ...model])
  process.send(createPrompt('Plan it'))

  const question = await readUntil(process, 'control_request')
  expect(question.request).toMatchObject({ subtype: 'can_use_tool', tool_name: 'ExitPlanMode' })
  process.send(answer(question, { behavior: 'allow' }))
  expect(await readUntil(process, 'result')).toMatchObject({ result: 'Approved.' })
  expect((await process.finish()).code).toBe(0)
})

describe('the form of an MCP server', () => {
  const everything = {
    command: process.execPath,
    args: [resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
  }
  const tool = 'mcp__everything__trigger-elicitation-request'

  async function ask(args: readonly string[] = []) {
    await writeFile(file('.mcp.json'), JSON.stringify({ mcpServers: { everything } }))
    const program = await writeProgram(
      `[use('${tool}', {}), (request) => 'The server said: ' + results(request).at(-1)]`,
    )
    const driven = start(['--trust', ...args, '--allowed-tools', tool, ...program])
    driven.send(createPrompt('Ask for my details'))
    return driven
  }

  test.each([
    ['accepts', { action: 'accept', content: { name: 'Ada', check: true } }, 'Name: Ada'],
    ['declines', { action: 'decline' }, 'declined'],
    ['cancels', { action: 'cancel' }, 'cancelled'],
  ])('reaches a driving program, which %s it', async (_, response, expected) => {
    const driven = await ask(STDIO)
    const question = await readUntil(driven, 'control_request')
    expect(question.request).toMatchObject({
      subtype: 'elicitation',
      mcp_server_name: 'everything',
      message: expect.any(String),
      requested_schema: { type: 'object', properties: { name: { type: 'string' } } },
    })
    driven.send(answer(question, response))
    expect((await readUntil(driven, 'result')).result).toContain(expected)
    expect((await driven.finish()).code).toBe(0)
  })

  test('is declined if the driving program closes its input instead of answering', async () => {
    const driven = await ask(STDIO)
    await readUntil(driven, 'control_request')
    const { lines } = await driven.finish()
    expect(lines.at(-1)?.result).toContain('declined')
  })
})

test('AskUserQuestion is offered only if there is a user to ask', async () => {
  const program = `[(request) => request.tools.map(({ name }) => name).join(' ')]`
  const { stdout } = await run(['-p', 'Hello', ...(await writeProgram(program))])
  const process = start([...STDIO, ...(await writeProgram(program))])
  process.send(createPrompt('Hello'))

  expect(stdout).not.toContain('AskUserQuestion')
  expect((await readUntil(process, 'result')).result).toContain('AskUserQuestion')
  await process.finish()
})

async function writeCommand(path: string, text: string): Promise<void> {
  await mkdir(dirname(file(path)), { recursive: true })
  await writeFile(file(path), text)
}

const ECHO = `[(request) => 'Got: ' + messagesText(request)]`

test('skills and commands with arguments work with -p and with stream-json input', async () => {
  await writeCommand('.haft/commands/fix.md', '---\ndescription: Fixes\nargument-hint: NUMBER\n---\nFix issue $1.')
  await writeCommand('.haft/skills/tidy/SKILL.md', '---\nname: tidy\ndescription: Tidies\n---\nTidy $ARGUMENTS.')
  const { stdout } = await run(['--trust', '-p', '/tidy src', ...(await writeProgram(ECHO))])
  expect(stdout).toContain('Tidy src.')

  const process = start(['--trust', ...DRIVER_ARGS, ...(await writeProgram(ECHO))])
  process.send({ type: 'control_request', request_id: '1', request: { subtype: 'initialize' } })
  const { response } = (await readUntil(process, 'control_response')) as { response: { response: object } }
  expect(response.response).toMatchObject({
    commands: expect.arrayContaining([{ name: 'fix', description: 'Fixes', argumentHint: 'NUMBER' }]),
  })
  process.send(createPrompt('/fix 12'))
  expect((await readUntil(process, 'result')).result).toContain('Fix issue 12.')
  await process.finish()
})

test('prompts of MCP servers work as commands with -p', async () => {
  const server = { command: process.execPath, args: [resolve('test/fixtures/mcp/prompt-server.mjs')] }
  await writeFile(file('.mcp.json'), JSON.stringify({ mcpServers: { words: server } }))
  const args = ['--trust', '-p', '/mcp__words__greet Ada formally']
  const { stdout, code } = await run([...args, ...(await writeProgram(ECHO))])
  expect(stdout).toContain('Greet Ada formally, please.')
  expect(code).toBe(0)

  const missing = await run(['--trust', '-p', '/mcp__words__greet', ...(await writeProgram(ECHO))])
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('missing arguments: name') })
})

test('haft -p --ask asks in the terminal instead of denying', async () => {
  const turns = [{ calls: [{ name: 'Bash', input: { command: 'touch made.txt' } }] }, 'Done.']
  const { start: startInTerminal, close } = await createInteractive({ turns })
  try {
    const terminal = startInTerminal(['-p', '--ask', 'Make a file'])
    await terminal.waitFor('Answer 1 to 4:')
    terminal.type('1\r')
    await terminal.waitFor('Done.')
    await terminal.waitForExit()
    expect(terminal.exitCode).toBe(0)
  } finally {
    await close()
  }
})
