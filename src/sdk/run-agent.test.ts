import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from '../contract/tool/build-tool.js'
import { NoModelError } from '../providers/choose-model.js'
import { resultsOf } from '../providers/scripted/script.js'
import { createScriptedModel } from '../providers/scripted/scripted-model.js'
import type { HookSettings } from '../runtime/hooks/hook-settings.js'
import { NoAnswerError } from '../session/conversation/no-answer-error.js'
import { runAgent } from './run-agent.js'
import type { RunAgentOptions } from './run-agent-options.js'

let folder = ''
let problems: string[] = []
const at = (...parts: string[]) => join(folder, ...parts)
const getBase = () => ({
  cwd: at('project'),
  env: { PATH: process.env.PATH, HOME: at('home') },
  onProblem: (problem: string) => problems.push(problem),
})

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-agent-')))
  problems = []
  await mkdir(at('project', '.git'), { recursive: true })
  await mkdir(at('home'))
  await writeFile(at('project', 'a.txt'), 'alpha\n')
  await writeFile(at('project', 'AGENTS.md'), 'Answer in one word.')
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))

const readCall = () => ({ calls: [{ name: 'Read', input: { file_path: at('project', 'a.txt') } }] })

test('an agent has the tools and the instructions of haft -p, and yields its events', async () => {
  const model = createScriptedModel([
    readCall(),
    (request) => `${JSON.stringify(request.messages).includes('Answer in one word.')} ${resultsOf(request)[0]?.text}`,
  ])
  const run = runAgent('Read it', { ...getBase(), model })
  const types = new Set<string>()
  for await (const event of run) types.add(event.type)

  expect(await run.answer).toMatch(/^true .*alpha/s)
  expect([...types]).toEqual(expect.arrayContaining(['request-started', 'tool-event', 'message-added']))
  expect(await run.result).toMatchObject({ reason: 'completed', turns: 2, denials: [] })
  expect(problems).toEqual([])
})

test('a model is opened by its name', async () => {
  await writeFile(at('script.json'), JSON.stringify({ turns: ['Hello.'] }))
  expect(await runAgent('Hi', { ...getBase(), model: `scripted:${at('script.json')}` }).answer).toBe('Hello.')
})

test('without a key, the agent fails at once and says what to set', async () => {
  const run = runAgent('Hi', getBase())
  await expect(run.answer).rejects.toThrow(NoModelError)
  await expect(run.result).rejects.toThrow(/Set ANTHROPIC_API_KEY or OPENAI_API_KEY/)
  await expect(run[Symbol.asyncIterator]().next()).rejects.toThrow(NoModelError)
})

test('own tools, rules, hooks and a user to ask are used', async () => {
  const Greet = buildTool({
    name: 'Greet',
    description: 'Greets',
    inputSchema: z.object({ name: z.string() }),
    call: async ({ name }) => ({ data: `Hello ${name}` }),
  })
  const questions: string[] = []
  const hookedTools: unknown[] = []
  const write = { name: 'Write', input: { file_path: at('project', 'b.txt'), content: 'b' } }
  const model = createScriptedModel([
    { calls: [{ name: 'Greet', input: { name: 'Ada' } }, { name: 'Bash', input: { command: 'ls' } }, write] },
    (request) =>
      resultsOf(request)
        .map(({ text }) => text)
        .join('|'),
  ])
  const answer = await runAgent('Go', {
    ...{ ...getBase(), model },
    tools: ['default', Greet],
    permissions: { deny: ['Bash(ls:*)'], ask: ['Greet'] },
    ask: async ({ tool }) => {
      questions.push(tool.name)
      return { behavior: 'allow' }
    },
    hooks: {
      PreToolUse: [{ hooks: [{ type: 'function', run: ({ tool_name }) => void hookedTools.push(tool_name) }] }],
    },
  }).answer

  expect(answer).toMatch(/^Hello Ada\|.*Bash\(ls:\*\).*denies this call.*\|/s)
  expect(questions).toEqual(['Greet', 'Write'])
  expect(hookedTools).toEqual(expect.arrayContaining(['Greet', 'Write']))
  expect(await readFile(at('project', 'b.txt'), 'utf8')).toBe('b')
})

test('a session is resumed by its id, and the latest one is continued', async () => {
  const first = await runAgent('Remember 42', { ...getBase(), model: createScriptedModel(['Noted.']) }).result
  const countPrompts = createScriptedModel([
    ({ messages }) => String(JSON.stringify(messages).split('Remember 42').length - 1),
  ])
  const resumed = runAgent('What?', { ...getBase(), model: countPrompts, session: { resume: first.sessionId } })
  expect(await resumed.answer).toBe('1')
  const again = createScriptedModel([({ messages }) => String(JSON.stringify(messages).includes('What?'))])
  const continued = await runAgent('And?', { ...getBase(), model: again, session: { continue: true } }).result
  expect(continued).toMatchObject({ text: 'true', sessionId: first.sessionId })
})

test('an agent that ends without an answer has a result, and its answer rejects with the reason', async () => {
  const run = runAgent('Read', { ...getBase(), model: createScriptedModel([readCall(), 'Done.']), maxTurns: 1 })
  expect(await run.result).toMatchObject({ reason: 'max_turns' })
  await expect(run.answer).rejects.toThrow(NoAnswerError)
  await expect(run.answer).rejects.toThrow('Stopped at the limit of 1 turn.')
})

test('leaving the loop interrupts the agent', async () => {
  const run = runAgent('Read', { ...getBase(), model: createScriptedModel([readCall(), readCall(), 'Done.']) })
  for await (const event of run) if (event.type === 'tool-event') break
  expect(await run.result).toMatchObject({ reason: 'interrupted' })
})

test('problems are reported, and an unknown option value is an error', async () => {
  const hooks = { PreToolUes: [] } as HookSettings
  const model = createScriptedModel(['Hi.'])
  await runAgent('Hi', { ...getBase(), model, hooks, permissions: { deny: ['Raed'] } }).answer
  expect(problems).toEqual([
    'the deny rule "Raed" (cliArg) never matches: Unknown tool Raed. Did you mean Read?',
    expect.stringContaining('hooks.PreToolUes'),
  ])
  await expect(runAgent('Hi', { ...getBase(), model, tools: ['Raed'] }).answer).rejects.toThrow(/Did you mean Read\?/)
  await expect(runAgent('Hi', { ...getBase(), model, tools: [{} as never] }).answer).rejects.toThrow(/name/)
})

test('a misspelt hook event does not compile', () => {
  expectTypeOf<{ PreToolUse: [] }>().toExtend<RunAgentOptions['hooks']>()
  // @ts-expect-error the event is PreToolUse
  const options: RunAgentOptions = { hooks: { PreToolUes: [] } }
  expect(options.hooks).toBeDefined()
})
