import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readEnvironment } from '../src/assembly/read-environment.js'
import type { TaskEvent } from '../src/contract/ports/tasks.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { createTemporaryFolder } from '../src/testing/query-fixture.js'
import { builtInTools } from '../src/tools/index.js'
import { call, textOf } from './runtime-fixtures.js'

const ANSWER = { state: 'OPEN', isDraft: false, mergeable: 'MERGEABLE', reviewDecision: '', reviews: [], comments: [] }
const CHECK = { __typename: 'CheckRun', name: 'build', status: 'IN_PROGRESS', conclusion: '', workflowName: 'CI' }
/** What gh prints for three looks at a pull request. */
const ANSWERS = [
  { ...ANSWER, statusCheckRollup: [CHECK] },
  {
    ...ANSWER,
    comments: [{ id: 'IC_1', author: { login: 'ann' }, body: 'Please\nrebase' }],
    statusCheckRollup: [{ ...CHECK, status: 'COMPLETED', conclusion: 'FAILURE' }],
  },
  { ...ANSWER, state: 'MERGED', comments: [{ id: 'IC_1', author: { login: 'ann' }, body: 'Please\nrebase' }] },
]

const INTERNAL_BUILD = readEnvironment({ HAFT_INTERNAL: '1', HAFT_REPL_MODE: '0' }, 'linux').environment

/** A runtime in a folder with programs that stand for gh, git and sleep, and record how they were called. */
async function open(hasGh = true) {
  const cwd = await createTemporaryFolder()
  const bin = join(cwd, 'bin')
  mkdirSync(bin)
  for (const [index, answer] of ANSWERS.entries())
    writeFileSync(join(cwd, `answer-${index}.json`), `${JSON.stringify(answer)}\n`)
  const record = `printf '%s\\n' "$0 $*" >> ${cwd}/calls`
  const programs = {
    ...(hasGh && {
      gh: `${record}; n=$(grep -c 'pr view' ${cwd}/calls); cat ${cwd}/answer-$((n - 1)).json || echo created`,
    }),
    git: record,
    sleep: 'exit 0',
  }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const events: TaskEvent[] = []
  const questions: string[] = []
  const ended: string[] = []
  const runtime = createToolRuntime({
    ...{ tools: builtInTools, cwd, permissions: { allow: ['SubscribePR', 'SuggestBackgroundPR', 'Bash'] } },
    machine: { homeDir: cwd, flags: INTERNAL_BUILD, env: { PATH: `${bin}:/usr/bin:/bin` } },
    ask: async ({ message }) => {
      questions.push(message)
      return { behavior: 'deny', message: 'Not now.' }
    },
    conversation: {
      onTaskReported: (_task, event) => events.push(event),
      onTaskEnded: ({ status }) => ended.push(status),
    },
  })
  onTestFinished(() => runtime.dispose())
  runtime.load(builtInTools.map(({ name }) => name))
  const run = async (name: string, input: object) => {
    await runtime.definitions()
    return textOf((await runtime.run([call(name, input, name)]).results)[0])
  }
  const readCalls = () => (existsSync(join(cwd, 'calls')) ? readFileSync(join(cwd, 'calls'), 'utf8') : '')
  return { runtime, run, events, questions, ended, readCalls }
}

test('SubscribePR reports each change of a pull request once, and ends when it is merged', async () => {
  const { run, events, ended } = await open()

  expect(await run('SubscribePR', { pr: '#12' })).toContain('Following pull request #12 in the background')

  await expect.poll(() => ended).toHaveLength(1)
  expect(events.flatMap(({ lines }) => lines)).toEqual([
    ...['state: OPEN', 'check build: IN_PROGRESS'],
    ...['check build: FAILURE', 'comment by ann: Please rebase'],
    'state: MERGED',
  ])
})

test.each(['12; rm -rf /', '-R x', '$(id)', 'https://example.com/x'])(
  'SubscribePR refuses %j as a pull request',
  async (pr) => {
    const { run, readCalls } = await open()

    expect(await run('SubscribePR', { pr })).toContain('InputValidationError')
    expect(readCalls()).toBe('')
  },
)

test('SuggestBackgroundPR always asks the user, and does nothing without agreement', async () => {
  const { run, questions, readCalls } = await open()

  const text = await run('SuggestBackgroundPR', { title: "Fix 'it'", body: 'Because $(id)', base: 'main' })

  expect(questions).toHaveLength(1)
  expect([text, readCalls()]).toEqual([expect.stringContaining('Not now.'), ''])
})

test('the tools are offered only if gh is installed', async () => {
  const names = async (hasGh: boolean) => (await (await open(hasGh)).runtime.definitions()).map(({ name }) => name)

  expect(await names(true)).toContain('SubscribePR')
  expect(await names(false)).not.toContain('SubscribePR')
})
