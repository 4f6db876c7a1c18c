import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'
import { TerminalSession } from './lib/terminal-session.js'

const { run, at, file, writeModel } = createHeadlessFixture()

/** Writes the clipboard, sets the title, clears the screen (also with C1), rings, overwrites the line, reverses text. */
const HOSTILE_TEXT =
  '\u001b]52;c;cm0gLXJm\u0007\u001b]0;title\u001b\\\u001b[2J\u009b2J\u009d0;x\u009c\u0007\b\rsafe\u202eevil'
const INPUT_WITH_HOSTILE_TEXT = { command: `echo '${HOSTILE_TEXT}'` }

/** Everything but text, newlines and tabs that a terminal could interpret. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

function expectHarmless({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) {
  expect(CONTROL_CHARACTER.exec(stdout)).toBeNull()
  expect(CONTROL_CHARACTER.exec(stderr)).toBeNull()
}

describe('no control sequence reaches the terminal through', () => {
  test('the answer of haft -p', async () => {
    const result = await run(['-p', 'Hi', ...(await writeModel([`Done.\n\tIndented ${HOSTILE_TEXT}`]))])

    expectHarmless(result)
    expect(result.stdout).toContain('Done.\n\tIndented \\u001b]52;c;')
  })

  test('a failed request of haft -p', async () => {
    const turns = [{ error: { kind: 'invalid_request' as const, message: `No: ${HOSTILE_TEXT}` } }]
    const result = await run(['-p', 'Hi', ...(await writeModel(turns))])

    expectHarmless(result)
    expect(result.stderr).toContain('\\u001b]0;title')
  })

  test('JSON output, whose value is exact', async () => {
    const result = await run(['-p', 'Hi', '--output-format', 'json', ...(await writeModel([HOSTILE_TEXT]))])

    expectHarmless(result)
    expect(JSON.parse(result.stdout).result).toBe(HOSTILE_TEXT)
  })

  test('stream-json output', async () => {
    const turns = [call('Bash', INPUT_WITH_HOSTILE_TEXT), HOSTILE_TEXT]
    const result = await run([
      '-p',
      'Hi',
      '--output-format',
      'stream-json',
      '--include-events',
      ...(await writeModel(turns)),
    ])

    expectHarmless(result)
    expect(result.stdout).toContain('52;c;')
  })

  test('the verbose notices of haft -p', async () => {
    const turns = [call(`Unknown${HOSTILE_TEXT}`, {}), call('Bash', INPUT_WITH_HOSTILE_TEXT), 'Done.']

    expectHarmless(await run(['-p', 'Hi', '--verbose', ...(await writeModel(turns))]))
  })

  test('the result of haft call', async () => {
    await writeFile(file('a.txt'), `first\n${HOSTILE_TEXT}\n`)
    const result = await run(['call', 'Read', JSON.stringify({ file_path: file('a.txt') })])

    expectHarmless(result)
    expect(result.stdout).toContain('\\u001b]52;c;')
    expectHarmless(await run(['call', 'Read', JSON.stringify({ file_path: file('a.txt') }), '--json']))
  })

  test('haft permissions explain', async () => {
    const input = JSON.stringify({ file_path: `/etc/${HOSTILE_TEXT}`, content: '' })
    const result = await run(['permissions', 'explain', 'Write', input])

    expectHarmless(result)
    expect(result.stdout).toContain('\\u001b]52;c;')
    expectHarmless(await run(['permissions', 'explain', 'Write', input, '--json']))
  })

  test('the list of sessions and a shown session', async () => {
    await run(['-p', `Title ${HOSTILE_TEXT}`, ...(await writeModel([HOSTILE_TEXT]))])
    await run(['-p', `Second ${HOSTILE_TEXT}`, ...(await writeModel([HOSTILE_TEXT]))])
    const list = await run(['--resume'])

    expectHarmless(list)
    expect(list.stdout).toContain('Second')
    expectHarmless(await run(['--continue']))
  })

  test('errors about arguments, settings and servers', async () => {
    await mkdir(at('home', '.haft'))
    const settings = {
      permissions: { allow: [`Bash(${HOSTILE_TEXT}`] },
      mcpServers: { [`s${HOSTILE_TEXT}`]: { command: `no-such-program${HOSTILE_TEXT}` } },
    }
    await writeFile(at('home', '.haft', 'settings.json'), JSON.stringify(settings))

    for (const args of [
      [`unknown${HOSTILE_TEXT}`],
      ['call', `Tool${HOSTILE_TEXT}`, '{}'],
      ['tools', 'show', `Tool${HOSTILE_TEXT}`],
      ['mcp', 'list'],
      ['mcp', 'get', `s${HOSTILE_TEXT}`],
      ['mcp', 'test', `s${HOSTILE_TEXT}`],
      ['tools', '--search', HOSTILE_TEXT],
      ['tools'],
      ['doctor'],
    ])
      expectHarmless(await run(args))
  })
})

testWithProgram('script', 'bsdutils')('a permission question shows control sequences as text', async () => {
  const folders = { cwd: at('project'), home: at('home') }
  const input = JSON.stringify(JSON.stringify({ file_path: `new${HOSTILE_TEXT}.txt`, content: HOSTILE_TEXT })).slice(
    1,
    -1,
  )
  await writeFile(at('input.json'), input.replaceAll('\\"', '"'))
  const session = new TerminalSession(
    `${process.execPath} ${resolve('bin/haft')} call Write "$(cat ${at('input.json')})"`,
    folders,
  )

  await session.waitForText('Answer 1 to')
  session.type('1\n')
  const { text } = await session.ended

  expect(CONTROL_CHARACTER.exec(text.replaceAll('\r\n', '\n'))).toBeNull()
  expect(text).toContain('\\u001b]52;c;')
})

test('an unexpected error of the process itself is printed without control characters', () => {
  const program = `
    process.argv = [process.execPath, 'haft', '--version']
    setTimeout(() => { throw new Error('broken \\u001b]52;c;x\\u0007') }, 0)
    require(${JSON.stringify(resolve('bin/haft'))})
    setTimeout(() => {}, 60_000)
  `
  const result = (() => {
    try {
      return { code: 0, text: execFileSync(process.execPath, ['-e', program], { stdio: 'pipe', encoding: 'utf8' }) }
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: string }
      return { code: status, text: stderr }
    }
  })()

  expect(result.code).toBe(1)
  expect(CONTROL_CHARACTER.exec(result.text)).toBeNull()
  expect(result.text).toContain('broken \\u001b]52;c;x')
})
