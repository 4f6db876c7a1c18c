import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GIT_TEST_ENVIRONMENT } from '../src/testing/files/git-fixture.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { file, writeModel, writeProgram, run } = createHeadlessFixture()
const testWithGit = testWithProgram('git')

function writeFileAt(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

describe('Agent', () => {
  const reviewer = '---\nname: reviewer\ndescription: Reviews\ntools: Read, Grep\n---\nYou review and say REVIEWED.'
  const reviewScript = `{
    turns: [use('Agent', { description: 'review', prompt: 'Review it.', subagent_type: 'reviewer' }),
      (request) => results(request).at(-1)],
    conversations: [{ opening: 'Review it.', turns: [
      { calls: [
        { name: 'Read', input: { file_path: 'a.txt' } },
        { name: 'Write', input: { file_path: 'b.txt', content: 'x' } },
        { name: 'Bash', input: { command: 'touch c.txt' } },
      ] },
      (request) => JSON.stringify({
        tools: request.tools.map(({ name }) => name),
        system: request.system.join(' ').includes('You review and say REVIEWED.'),
        results: results(request),
      }),
    ] }],
  }`

  test('of a type in .claude/agents has exactly the tools that the type lists, whatever the rules allow', async () => {
    writeFileAt(file('.claude/agents/reviewer.md'), reviewer)
    const args = ['--trust', '--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash,Write']

    const { code, stdout } = await run(['-p', 'Go', ...args, ...(await writeProgram(reviewScript))])

    expect(code).toBe(0)
    const { tools, system, results } = JSON.parse(stdout.split('\n')[0] ?? '')
    expect({ tools, system }).toEqual({ tools: ['Grep', 'Read'], system: true })
    expect(results).toEqual([
      '1\talpha',
      expect.stringMatching(/Write exists, but it is switched off/),
      expect.stringMatching(/Bash exists, but it is switched off/),
    ])
    expect([existsSync(file('b.txt')), existsSync(file('c.txt'))]).toEqual([false, false])
  })

  test('of a type that an untrusted project defines is refused', async () => {
    writeFileAt(file('.claude/agents/reviewer.md'), reviewer)

    const { stdout } = await run(['-p', 'Go', ...(await writeProgram(reviewScript))])

    expect(stdout).toMatch(/reviewer/)
    expect(stdout).not.toContain('alpha')
  })

  testWithGit('in a worktree does not change the project and reports where its work is', async () => {
    await rm(file('.git'), { recursive: true })
    const runGit = (cwd: string, ...args: readonly string[]) =>
      execFileSync('git', args, { cwd, env: GIT_TEST_ENVIRONMENT, encoding: 'utf8', stdio: 'pipe' })
    runGit(file('.'), 'init', '-q', '-b', 'main', '.')
    runGit(file('.'), 'add', '-A')
    runGit(file('.'), 'commit', '-qm', 'first')
    const isolatedCall = call('Agent', { description: 'isolated', prompt: 'Write b.', isolation: 'worktree' })
    const writeCall = call('Write', { file_path: 'b.txt', content: 'beta\n' })
    const conversations = [{ opening: 'Write b.', turns: [writeCall, 'Written.'] }]
    const args = ['--permission-mode', 'acceptEdits', '--output-format', 'stream-json']

    const { code, stdout } = await run([
      '-p',
      'Go',
      ...args,
      ...(await writeModel([isolatedCall, 'Done.'], { conversations })),
    ])

    expect(code).toBe(0)
    const [, path = '', branch = ''] = /It left changes in (\S+), on the branch (\S+)\./.exec(stdout) ?? []
    expect(readFileSync(join(path, 'b.txt'), 'utf8')).toBe('beta\n')
    expect(runGit(path, 'branch', '--show-current').trim()).toBe(branch)
    expect(existsSync(file('b.txt'))).toBe(false)
    expect(runGit(file('.'), 'status', '--porcelain')).toBe('')
  })

  test('in the background returns immediately, and TaskOutput returns its answer', async () => {
    const script = `{
      turns: [use('Agent', { description: 'slow', prompt: 'Wait for it.', run_in_background: true }),
        (request) => use('TaskOutput', { task_id: / as task (\\S+)\\. /.exec(results(request).at(-1))[1] }),
        (request) => results(request).join('|')],
      conversations: [{ opening: 'Wait for it.', turns: [
        use('Bash', { command: 'until test -e go; do sleep 0.02; done' }), 'It came.',
      ] }],
    }`
    // The agent cannot end before the conversation has continued without it.
    const settings = {
      hooks: { PreToolUse: [{ matcher: 'TaskOutput', hooks: [{ type: 'command', command: 'touch go' }] }] },
    }
    const args = ['--allowed-tools', 'Bash', '--settings', JSON.stringify(settings)]

    const outcome = await run(['-p', 'Go', ...args, ...(await writeProgram(script))])

    expect(outcome.code).toBe(0)
    expect(outcome.stdout).toMatch(/is working in the background as task \S+\. .*\|[^|]*It came\./s)
  })

  test('is not available to agents at nesting depth three', async () => {
    const createAgentCallAt = (depth: number) => `use('Agent', { description: 'down', prompt: 'Level ${depth}.' })`
    const reportAgentTool = `(request) => request.tools.some(({ name }) => name === 'Agent') + ' ' + results(request).join('')`
    const createConversation = (depth: number) =>
      `{ opening: 'Level ${depth}.', turns: [${createAgentCallAt(depth + 1)}, ${reportAgentTool}] }`
    const script = `{ turns: [${createAgentCallAt(1)}, ${reportAgentTool}], conversations: [${[1, 2, 3, 4].map(createConversation)}] }`

    const { code, stdout } = await run(['-p', 'Go', ...(await writeProgram(script))])

    expect(code).toBe(0)
    expect(stdout).toMatch(/^true true true false The tool Agent exists, but it is switched off/)
  })

  test('can search for and call an MCP tool that its parent never loaded', async () => {
    const server = { command: process.execPath, args: [resolve('test/fixtures/mcp/server.mjs'), '{"prefix":"echo "}'] }
    const script = `{
      turns: [use('Agent', { description: 'say', prompt: 'Say it.' }), (request) =>
        request.tools.some(({ name }) => name === 'mcp__far__say') + ' ' + results(request).at(-1)],
      conversations: [{ opening: 'Say it.', turns: [
        use('ToolSearch', { query: 'select:mcp__far__say' }),
        use('mcp__far__say', { text: 'hello' }),
        (request) => results(request).at(-1),
      ] }],
    }`
    const args = [
      '--mcp-config',
      JSON.stringify({ mcpServers: { far: server } }),
      '--allowed-tools',
      'mcp__far',
      '--trust',
    ]

    const { code, stdout } = await run(['-p', 'Go', ...args, ...(await writeProgram(script))])

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^false echo hello\n/) })
  })
})

test('Skill loads the skills in .claude/skills, which are announced to the model by name', async () => {
  writeFileAt(file('.claude/skills/greet/SKILL.md'), '---\ndescription: Greets people\n---\nSay hello in Latin.')
  const script = `[(request) => messagesText(request).includes('Greets people') ? use('Skill', { skill: 'greet' }) : 'Not announced.',
    (request) => messagesText(request).includes('Say hello in Latin.') ? 'Salve.' : 'Not loaded.']`

  const trustedOutcome = await run(['-p', 'Greet', '--trust', ...(await writeProgram(script))])

  expect(trustedOutcome).toEqual({ code: 0, stdout: 'Salve.\n', stderr: '' })
})

describe('ExitPlanMode', () => {
  const write = (name: string) => call('Write', { file_path: file(name), content: 'x' })

  test('changes nothing without approval, not even after a resume', async () => {
    const turns = [call('ExitPlanMode', { plan: 'I write b.txt.' }), write('b.txt'), 'I may not.']
    const args = ['--output-format', 'stream-json', '--include-events', '--allowed-tools', 'ExitPlanMode,Edit(*)']

    const first = await run([
      '-p',
      'Plan',
      '--permission-mode',
      'plan',
      '--session-id',
      'plan',
      ...args,
      ...(await writeModel(turns)),
    ])
    const second = await run(['-p', 'Now', '--resume', 'plan', ...args, ...(await writeModel([write('c.txt'), 'No.']))])

    expect([first.code, second.code]).toEqual([3, 3])
    expect(first.stdout).not.toContain('mode-entered')
    expect([existsSync(file('b.txt')), existsSync(file('c.txt'))]).toEqual([false, false])
  })
})
