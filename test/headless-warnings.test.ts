import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { getProjectFolder } from '../src/session/transcript/storage/session-paths.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'
import { readTranscriptLines } from './lib/transcript-lines.js'

const { at, file, writeModel, writeProgram, run, start } = createHeadlessFixture()

function writeFileAt(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
}

describe('ignored settings of an untrusted project', () => {
  test('are reported in one line, and only if there are any', async () => {
    expect((await run(['-p', 'Hi', ...(await writeModel(['Hi.']))])).stderr).toBe('')
    writeFileAt(file('.claude/skills/tidy/SKILL.md'), '---\nname: tidy\ndescription: Tidies.\n---\n')
    writeFileAt(file('.haft/agents/clerk.md'), '---\nname: clerk\ndescription: Writes.\n---\n')

    const outcome = await run(['-p', 'Hi', ...(await writeModel(['Hi.']))])
    const trustedOutcome = await run(['-p', 'Hi', '--trust', ...(await writeModel(['Hi.']))])

    expect(outcome.stderr).toBe(
      `haft: ${at('project')}: .claude/skills, .haft/agents ignored: the project is not trusted (run haft trust, or use --trust for this run).\n`,
    )
    expect(trustedOutcome.stderr).toBe('')
  })
})

test('a rule that denies a call is reported with its settings file', async () => {
  writeFileAt(file('.claude/settings.json'), JSON.stringify({ permissions: { deny: ['Bash'] } }))
  writeFileAt(file('.haft/settings.json'), JSON.stringify({ permissions: { deny: ['Write(b.txt)'] } }))
  writeFileAt(at('home', '.claude/settings.json'), JSON.stringify({ permissions: { deny: ['Read(a.txt)'] } }))

  const readOutcome = await run(['call', 'Read', '{"file_path":"a.txt"}'])
  const writeOutcome = await run(['call', 'Write', '{"file_path":"b.txt","content":"b"}'])
  const explanation = await run(['permissions', 'explain', 'Bash', '{"command":"ls"}'])

  expect(readOutcome.stdout + readOutcome.stderr).toContain('Read(a.txt) in ~/.claude/settings.json denies')
  expect(writeOutcome.stdout + writeOutcome.stderr).toContain('Write(b.txt) in .haft/settings.json denies')
  expect(explanation.stdout).toContain('.claude/settings.json')
})

describe('an unavailable model', () => {
  test.each([
    [['--model', 'nosuch'], 'nosuch'],
    [['--model', 'foo/bar'], 'foo/bar'],
    [['--model', 'claude-9'], 'claude-9'],
  ])('%j is named together with the accepted forms', async (args, name) => {
    const { code, stderr } = await run(['-p', 'Hi', ...args])

    expect(code).toBe(5)
    expect(stderr).toMatch(/^haft: [^\n]+ANTHROPIC_API_KEY[^\n]*\n$/)
    expect(stderr).toContain(JSON.stringify(name))
  })

  test('is also named if it is the fallback model', async () => {
    const { code, stderr } = await run(['-p', 'Hi', ...(await writeModel(['Hi.'])), '--fallback-model', 'nosuch'])

    expect([code, stderr]).toEqual([5, expect.stringContaining('"nosuch"')])
  })
})

describe('wrong usage', () => {
  test.each([[['-p']], [['-p', '']]])('%j is reported before a missing model', async (args) => {
    expect(await run(args)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('no prompt') })
  })

  test('is reported for an --add-dir folder that does not exist', async () => {
    const { code, stderr } = await run(['-p', 'Hi', '--add-dir', '/none', ...(await writeModel(['Hi.']))])

    expect([code, stderr]).toEqual([2, 'haft: --add-dir: /none is not a folder.\n'])
  })

  test('is reported for invalid settings, and no setting is described as in force', async () => {
    const { code, stderr } = await run(['-p', 'Hi', '--settings', '{bad', ...(await writeModel(['Hi.']))])

    expect(code).toBe(2)
    expect(stderr).toMatch(/^haft: --settings[^\n]+\n$/)
    expect(stderr).not.toContain('in force')
  })
})

describe('plan mode without a user to approve', () => {
  const plan = '# The plan\n\nChange a.txt.'

  test('prints the plan as the answer', async () => {
    const turns = [call('ToolSearch', { query: 'select:ExitPlanMode' }), call('ExitPlanMode', { plan }), 'That is it.']

    const outcome = await run(['-p', 'Plan it', '--permission-mode', 'plan', ...(await writeModel(turns))])

    expect(outcome).toEqual({ code: 0, stdout: `${plan}\n\nThat is it.\n`, stderr: '' })
  })
})

test('a read-only agent gets no instructions about a plan', async () => {
  const turns = [call('Agent', { description: 'look', prompt: 'Look.', subagent_type: 'Explore' }), 'Done.']
  const conversations = [{ opening: 'Look.', turns: [call('Bash', { command: 'touch b.txt' }), 'I looked.'] }]

  const args = ['--session-id', 'look', ...(await writeModel(turns, { conversations }))]
  expect((await run(['-p', 'Work', ...args])).code).toBe(0)

  const folder = join(getProjectFolder(at('home'), at('project')), 'look', 'agents')
  const files = await readdir(folder)
  const transcripts = (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('')
  expect(transcripts).toContain('this agent may only read')
  expect(transcripts).not.toContain('have it approved')
})

test('a copy of a running session says that the original is still running', async () => {
  const turns = [call('Bash', { command: 'until test -e go; do sleep 0.05; done' }), 'First.']
  const args = ['--output-format', 'stream-json', '--include-events', '--allowed-tools', 'Bash']
  const first = start(['-p', 'Wait', '--session-id', 'one', ...args, ...(await writeModel(turns))])
  first.child.stdin.end()
  for (let line = await first.next(); !JSON.stringify(line).includes('call-started'); ) line = await first.next()

  const modelArgs = await writeProgram(`[(request) => results(request).at(-1)]`)
  const forkedRun = await run(['-p', 'And?', '--resume', 'one', '--fork-session', ...modelArgs])
  writeFileSync(file('go'), '')
  await first.finish()

  expect(forkedRun.stderr).toBe('haft: The original session is still running: the results of Bash appear only there.\n')
  expect(forkedRun.stdout).toMatch(/still running.*continues in the other session/)
})

describe('a transcript', () => {
  const startSession = async () => {
    await run(['-p', 'Hi', '--session-id', 'one', ...(await writeModel(['Hello.']))])
    return join(getProjectFolder(at('home'), at('project')), 'one.jsonl')
  }

  test.each([
    ['of garbage', 'what\nis\nthis\n'],
    ['without a line', ''],
  ])('%s is not resumed, copied or shown', async (_, text) => {
    const path = await startSession()
    writeFileSync(path, text)
    const filesBefore = await readdir(join(path, '..'))

    for (const args of [
      ['-p', 'Go on', '--resume', 'one'],
      ['-p', 'Go on', '--resume', 'one', '--fork-session'],
      ['--resume', 'one'],
    ]) {
      const outcome = await run([...args, ...(args.includes('-p') ? await writeModel(['Yes.']) : [])])
      expect(outcome, args.join(' ')).toMatchObject({ code: 2, stdout: '' })
      expect(outcome.stderr).toContain('is not a session')
    }
    expect(await readdir(join(path, '..'))).toEqual(filesBefore)
  })

  test('with invalid lines reports how many there are', async () => {
    const path = await startSession()
    const lines = (await readTranscriptLines(at('home'), at('project'), 'one')).map((line) => JSON.stringify(line))
    writeFileSync(path, `${[...lines, 'what', '{is'].join('\n')}\n{"torn":`)

    const outcome = await run(['-p', 'Go on', '--resume', 'one', ...(await writeModel(['Yes.']))])

    expect(outcome).toEqual({ code: 0, stdout: 'Yes.\n', stderr: 'haft: 2 lines of the session could not be read.\n' })
  })

  test('with an incomplete last line is resumed without a warning, even the second time', async () => {
    const path = await startSession()
    const lines = (await readTranscriptLines(at('home'), at('project'), 'one')).map((line) => JSON.stringify(line))
    writeFileSync(path, `${lines.join('\n')}\n{"torn":`)

    for (const _ of [1, 2])
      expect((await run(['-p', 'Go on', '--resume', 'one', ...(await writeModel(['Yes.']))])).stderr).toBe('')
  })
})

test('a run that ends without an answer is reported', async () => {
  const outcome = await run(['-p', 'Hi', ...(await writeModel(['', '']))])

  expect(outcome).toEqual({ code: 0, stdout: '', stderr: 'haft: The model returned no answer.\n' })
})
