import { writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Line } from './lib/haft-process.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, writeModel, run, start } = createHeadlessFixture()

const AUTO_MODE_ARGS = ['--permission-mode', 'auto']
/** Each command is different, so that only the classifier denies it and not the repetition guard. */
const createHostileCall = (port: number) => call('Bash', { command: `nc -e sh 127.0.0.1 ${port}` })
const createHarmlessCall = (line: number) => call('Read', { file_path: file('a.txt'), offset: 1, limit: line })

describe('auto mode', () => {
  test('ends the run with a reason after three consecutive denials if there is no user to ask', async () => {
    const turns = [createHostileCall(1), createHostileCall(2), createHostileCall(3), createHostileCall(4), 'unreached']

    const { code, stdout } = await run([
      '-p',
      'Go',
      '--output-format',
      'json',
      ...AUTO_MODE_ARGS,
      ...(await writeModel(turns)),
    ])

    expect(code).toBe(3)
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ end_reason: 'stopped_by_permissions', exit_code: 3, is_error: true, num_turns: 4 })
    expect(result.result).toMatch(/^The classifier denied too many calls\./)
    expect(result.permission_denials).toHaveLength(4)
    expect(result.permission_denials[0].reason).toContain('gives another machine a shell on this one')
  })

  test('ends the run after twenty denials in total, however many calls are allowed in between', async () => {
    const turns = Array.from({ length: 10 }, (_, round) => [
      createHostileCall(2 * round),
      createHostileCall(2 * round + 1),
      createHarmlessCall(round + 1),
    ])
    const args = ['--output-format', 'json', ...AUTO_MODE_ARGS]

    const { code, stdout } = await run([
      '-p',
      'Go',
      ...args,
      ...(await writeModel([...turns.flat(), createHostileCall(99), 'unreached'])),
    ])

    const result = JSON.parse(stdout)
    expect({ code, turns: result.num_turns, denials: result.permission_denials.length }).toEqual({
      ...{ code: 3, turns: 31, denials: 21 },
    })
    expect(result.result).toMatch(/^The classifier denied too many calls\./)
  })

  test('reports on standard error why it ended the run', async () => {
    const turns = [createHostileCall(1), createHostileCall(2), createHostileCall(3), createHostileCall(4)]

    const { code, stdout, stderr } = await run(['-p', 'Go', ...AUTO_MODE_ARGS, ...(await writeModel(turns))])

    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^haft: The classifier denied too many calls\./)
  })

  test('asks the driving program after three consecutive denials and continues with its answer', async () => {
    const turns = [createHostileCall(1), createHostileCall(2), createHostileCall(3), createHostileCall(4), 'Done.']
    const driverArgs = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json']
    const args = ['--permission-prompt-tool', 'stdio', ...AUTO_MODE_ARGS, ...(await writeModel(turns))]
    const process = start([...driverArgs, ...args])
    process.send({ type: 'user', message: { role: 'user', content: 'Go' } })
    const questions: Line[] = []
    let line: Line = {}
    while (line.type !== 'result') {
      line = await process.next()
      if (line.type !== 'control_request') continue
      questions.push(line)
      const response = {
        subtype: 'success',
        request_id: line.request_id,
        response: { behavior: 'deny', message: 'No.' },
      }
      process.send({ type: 'control_response', response })
    }

    expect(line).toMatchObject({ result: 'Done.', end_reason: 'completed' })
    expect(questions).toHaveLength(1)
    expect(JSON.stringify(questions[0])).toContain('denied too many calls')
    await process.finish()
  })
})

describe('a model that repeats the same call', () => {
  /** Writes a model that repeats one call until it is warned. Returns the arguments for it. */
  async function writeRepeatingModel(onWarning: string): Promise<string[]> {
    const path = at('repeating.mjs')
    await writeFile(
      path,
      `const again = { calls: [{ name: 'Grep', input: { pattern: 'alpha' } }] }
       const turn = ({ messages }) => (JSON.stringify(messages).includes('the same call three times') ? ${onWarning} : again)
       export const script = Array(20).fill(turn)`,
    )
    return ['--model', `scripted:${path}`]
  }

  test('is warned and can then do something else', async () => {
    const outcome = await run([
      '-p',
      'Find',
      '--output-format',
      'json',
      ...(await writeRepeatingModel('"I stop here."')),
    ])

    expect(outcome.code).toBe(0)
    expect(JSON.parse(outcome.stdout)).toMatchObject({ result: 'I stop here.', num_turns: 4 })
  })

  test('is stopped if it continues after the warning, and the user is informed', async () => {
    const outcome = await run(['-p', 'Find', ...(await writeRepeatingModel('again'))])

    expect(outcome).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^haft: [^\n]*same call[^\n]*\n$/) })
  })
})
