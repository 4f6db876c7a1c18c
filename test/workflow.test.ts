import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ToolEvent } from '../src/contract/events.js'
import type { AgentsPort } from '../src/contract/ports/agents.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { builtInTools } from '../src/tools/index.js'
import { call, textOf } from './runtime-fixtures.js'

let cwd: string
const runtimes: HaftRuntime[] = []
const at = (name: string) => join(cwd, name)
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '')

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'haft-workflow-'))
  writeFileSync(at('a.txt'), 'first a\n')
  writeFileSync(at('b.txt'), 'first b\n')
})

afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.dispose()))
  rmSync(cwd, { recursive: true })
})

function open(options: Partial<ToolRuntimeOptions> = {}) {
  const events: ToolEvent[] = []
  const runtime = createToolRuntime({
    ...{ tools: builtInTools, cwd, machine: { homeDir: cwd } },
    storage: { workflowsDirectory: at('journals') },
    permissions: { mode: 'bypassPermissions' },
    ...options,
    onEvent: (event) => events.push(event),
  })
  runtimes.push(runtime)
  const workflow = async (input: object, signal?: AbortSignal) => {
    const block = call('Workflow', input, `workflow-${events.length}`)
    const [result] = await runtime.run([block], signal === undefined ? {} : { signal }).results
    return { text: textOf(result), isError: result?.is_error === true }
  }
  return { events, workflow }
}

const run = (options?: Partial<ToolRuntimeOptions>) => open(options).workflow
const runIdOf = (text: string) => /wf_[0-9a-f]{12}/.exec(text)?.[0] ?? ''
const append = (word: string, options = '') =>
  `tools.Bash({ command: 'echo ${word} >> log' }, { name: '${word}' ${options} })`

/** Agents that answer with their prompt, and cost half a dollar. */
const AGENTS: AgentsPort = {
  run: async ({ prompt }) => ({
    ...{ agentId: 'a', text: `answer to ${prompt}`, tokens: 1, toolUses: 0, durationMs: 1, costUsd: 0.5 },
  }),
  start: () => Promise.reject(new Error('not used')),
}

const WITH_AGENTS = {
  ports: { agents: AGENTS },
  conversation: { agentDefinitions: [{ name: 'general-purpose', description: 'Does anything' }] },
}

/** Cuts the journal after the first record that matches, as if the process had been killed then. */
function cutJournal(isLast: (record: { type: string; step?: number }) => boolean): void {
  const [name = ''] = readdirSync(at('journals'))
  const lines = read(`journals/${name}`).split('\n').slice(0, -1)
  const end = lines.findIndex((line) => isLast(JSON.parse(line))) + 1
  expect(end).toBeGreaterThan(0)
  writeFileSync(
    at(`journals/${name}`),
    lines
      .slice(0, end)
      .map((line) => `${line}\n`)
      .join(''),
  )
}

describe('a workflow', () => {
  test('calls tools and agents, in sequence, in parallel and in stages, and returns the last value', async () => {
    const { events, workflow } = open(WITH_AGENTS)

    const { text, isError } = await workflow({
      script: `
        export const meta = { name: 'demo' }
        phase('Read')
        const lines = await parallel(['a', 'b'].map((name) => async () => (await tools.Read({ file_path: name + '.txt' })).lines[0]))
        phase('Ask')
        const answers = await pipeline(lines, (line) => agent(line, { label: 'ask' }), (answer) => answer.toUpperCase())
        log('read', lines.length)
        return answers`,
    })

    expect([isError, text.split('\n')]).toEqual([
      false,
      [
        'read 2',
        '["ANSWER TO FIRST A","ANSWER TO FIRST B"]',
        expect.stringMatching(/^\[Workflow run wf_[0-9a-f]{12} completed: 4 steps\.\]$/),
      ],
    ])
    const nested = events.filter((event) => event.type === 'call-started' && 'parentToolUseId' in event)
    expect(nested).toHaveLength(4)
    const progress = events.filter((event) => event.type === 'call-progressed').map((event) => event.progress)
    expect(progress).toContainEqual({ phase: 'Ask', total: 4, replayed: 0, failed: 0, active: ['ask', 'ask'] })
  })

  test('gets the same time and the same random numbers when it is resumed, and has no timers', async () => {
    const script = `[Date.now() > 1e12, new Date() - Date.now(), typeof setTimeout, Math.random(), Date.now()]`
    const first = await run()({ script })
    const second = await run()({ resumeFromRunId: runIdOf(first.text) })

    expect(first.text).toMatch(/^\[true,0,"undefined",0\.\d+,\d+\]/)
    expect(second).toEqual(first)
    expect((await run()({ script })).text).not.toBe(first.text)
  })

  test('is checked call by call: rules and modes apply to each step', async () => {
    const permissions = { deny: ['Bash(rm:*)'] }
    const { text, isError } = await run({ permissions })({ script: `await tools.Bash({ command: 'rm a.txt' })` })

    expect([isError, text]).toEqual([true, expect.stringContaining('denies this call of Bash')])
    expect(read('a.txt')).toBe('first a\n')
  })

  test.each([
    [{}, 'Pass a script to start a run, or resumeFromRunId to resume one.'],
    [{ resumeFromRunId: 'wf_0' }, 'There is no workflow run "wf_0". This project has no runs.'],
    [{ resumeFromRunId: '../../etc/passwd' }, 'There is no workflow run'],
    [{ script: 'tools.list()' }, 'tools.list() does not exist in a workflow.'],
    [{ script: 'parallel([agent("a")])' }, 'parallel() takes a list of functions'],
    [{ script: 'tools.Workflow({ script: "1" })' }, 'A workflow can only be started by an agent, not by code.'],
    [{ script: 'while (true) await 1', budget: { minutes: 0 } }, 'budget'],
  ])('that cannot run, %j, gets an error that says what to do', async (input, expected) => {
    const { text, isError } = await run()(input)

    expect([isError, text]).toEqual([true, expect.stringContaining(expected)])
  })

  test('ends when its budget is used up, and can be resumed with a new one', async () => {
    const script = `for (const word of ['one', 'two', 'three']) await ${append("' + word + '")}`
    const { text } = await run()({ script, budget: { steps: 2 } })
    expect([text, read('log')]).toEqual([expect.stringContaining('The budget of 2 steps is used up.'), 'one\ntwo\n'])

    const resumed = await run()({ resumeFromRunId: 'last', budget: { steps: 1 } })

    expect([resumed.text, read('log')]).toEqual([
      expect.stringContaining('completed: 3 steps, 2 of them from the journal'),
      'one\ntwo\nthree\n',
    ])
  })

  test('ends when its agents have cost more than its budget', async () => {
    const { text } = await run(WITH_AGENTS)({
      script: `for (let i = 0; i < 9; i++) { await agent('go'); log(i) }`,
      budget: { usd: 0.9 },
    })

    expect(text).toContain('0\n1\nThe budget of $0.9 is used up: the agents cost $1.00.')
  })
})

describe('a resumed workflow', () => {
  const writeScript = (options = '') => `
    await ${append('one', options)}
    await parallel([
      async () => { await ${append('two', options)}; await ${append('three', options)} },
      () => ${append('four', options)},
    ])
    await ${append('five', options)}
    'done'`

  test.each([1, 2, 3, 4, 5])(
    'repeats no finished step if it was interrupted after the end of step %i',
    async (step) => {
      await run()({ script: writeScript() })
      const { length } = read('log').split('\n')
      cutJournal((record) => record.type === 'ended' && record.step === step)
      const done = [...read(`journals/${readdirSync(at('journals'))[0]}`).matchAll(/"type":"ended"/g)].length
      writeFileSync(at('log'), '')

      // Steps of another branch may have been running.
      const { text } = await run()({ resumeFromRunId: 'last', script: writeScript(", ifUnknown: 'repeat'") })

      expect(text).toContain('done\n[Workflow run')
      expect(read('log').split('\n').length - 1).toBe(length - 1 - done)
    },
  )

  test('reports a step that was running as unknown, unless it only reads or may be repeated', async () => {
    await run()({ script: `await tools.Read({ file_path: 'a.txt' }); await ${append('one')}; await ${append('two')}` })
    cutJournal((record) => record.type === 'started' && record.step === 1)
    expect((await run()({ resumeFromRunId: 'last' })).isError).toBe(false)
    expect(read('log')).toBe('one\ntwo\none\ntwo\n')

    cutJournal((record) => record.type === 'started' && record.step === 2)
    const { text } = await run()({ resumeFromRunId: 'last' })
    expect(text).toContain('Step 2, Bash({"command":"echo one >> log"}), was running when the workflow was interrupted')
    const caught = await run()({
      ...{ resumeFromRunId: 'last' },
      script: `await tools.Read({ file_path: 'a.txt' }); await ${append('one')}.catch(({ code }) => log(code)); await ${append('two')}`,
    })
    expect([caught.text, read('log')]).toEqual([
      expect.stringContaining('outcome_unknown\n'),
      'one\ntwo\none\ntwo\ntwo\n',
    ])
    expect((await run()({ resumeFromRunId: 'last' })).text).toContain('outcome_unknown\n')
    expect(read('log')).toBe('one\ntwo\none\ntwo\ntwo\n')
  })

  test('runs the step again whose failure ended the script, but not one that the script handled', async () => {
    const failing = `
      await tools.Bash({ command: 'echo handled >> log; false' }).catch(() => {})
      await tools.Bash({ command: 'echo last >> log; ls ready' })
      'done'`
    const first = await run()({ script: failing })
    expect(first.isError).toBe(true)
    appendFileSync(at('ready'), '')

    const second = await run()({ resumeFromRunId: runIdOf(first.text) })

    expect(second.text).toContain('done\n')
    expect(read('log')).toBe('handled\nlast\nlast\n')
  })

  test('whose script makes other calls than before is refused, and nothing runs', async () => {
    await run()({ script: `await ${append('one')}; await ${append('two')}` })
    const changes = [
      [
        `await ${append('other')}`,
        'Step 1, Bash({"command":"echo one >> log"}), of the run is now Bash({"command":"echo other',
      ],
      [
        `await ${append('one')}; await tools.Read({ file_path: 'a.txt' }); await ${append('two')}`,
        'of the run is now Read(',
      ],
      [
        `await ${append('one')}; 'end'`,
        'The script does not make step 2, Bash({"command":"echo two >> log"}), any more.',
      ],
    ]

    for (const [changed, expected] of changes) {
      const { text, isError } = await run()({ resumeFromRunId: 'last', script: changed })
      expect([isError, text]).toEqual([true, expect.stringContaining(expected ?? '')])
    }
    expect(read('log')).toBe('one\ntwo\n')
    const longer = await run()({
      resumeFromRunId: 'last',
      script: `await ${append('one')}; await ${append('two')}; await ${append('three')}`,
    })
    expect([longer.isError, read('log')]).toEqual([false, 'one\ntwo\nthree\n'])
  })

  test('that was cancelled has no outcome for the step that was running', async () => {
    const controller = new AbortController()
    const { workflow, events } = open()
    const cancelled = workflow(
      { script: `await ${append('one')}; await tools.Bash({ command: 'touch begun; sleep 600' })` },
      controller.signal,
    )
    await expect.poll(() => existsSync(at('begun'))).toBe(true)
    const { text: otherText } = await run()({ resumeFromRunId: 'last' })
    expect(otherText).toContain('is still in progress')
    controller.abort()
    await cancelled
    expect(events.length).toBeGreaterThan(0)

    expect((await run()({ resumeFromRunId: 'last' })).text).toContain('Step 2, Bash(')
    expect(read('log')).toBe('one\n')
  })

  test('survives a journal whose last line was not written to its end, but not one that is damaged', async () => {
    await run()({ script: `await ${append('one')}` })
    const journal = at(`journals/${readdirSync(at('journals'))[0]}`)
    appendFileSync(journal, '{"type":"ended","st')
    expect((await run()({ resumeFromRunId: 'last' })).isError).toBe(false)
    appendFileSync(journal, 'rubbish\n')

    expect((await run()({ resumeFromRunId: 'last' })).text).toContain('is damaged, so the run cannot be resumed')
    expect(read('log')).toBe('one\n')
  })
})
