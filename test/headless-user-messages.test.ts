import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ToolEvent } from '../src/contract/events.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { BriefTool } from '../src/tools/brief/tool.js'
import { SendUserFileTool } from '../src/tools/send-user-file/tool.js'
import { call as callModel, createHeadlessFixture } from './lib/headless-fixture.js'
import { call, textOf } from './runtime-fixtures.js'

const { run, at, file, writeModel } = createHeadlessFixture()

const brief = { message: 'The build is **red**.\nSee the report.', attachments: ['a.txt'] }

test('a Brief is printed in full to standard error, also without --verbose, and the answer stays alone on standard output', async () => {
  const { stdout, stderr, code } = await run(['-p', 'Go', ...(await writeModel([callModel('Brief', brief), 'Done.']))])

  expect([code, stdout]).toEqual([0, 'Done.\n'])
  expect(stderr).toContain(
    `\nMessage from the agent:\n  The build is **red**.\n  See the report.\n  → ${file('a.txt')}\n\n`,
  )
})

test('a Brief is a line of its own in stream-json, also one of a sub-agent', async () => {
  const agentCall = callModel('Agent', { description: 'look', prompt: 'Look at it' })
  const conversations = [{ opening: 'Look at it', turns: [callModel('Brief', { message: 'From below' }), 'Seen.'] }]
  const model = await writeModel([callModel('Brief', brief), agentCall, 'Done.'], { conversations })
  const { stdout } = await run(['-p', 'Go', '--output-format', 'stream-json', ...model])

  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ subtype }) => subtype === 'user_message')).toMatchObject([
    { type: 'system', text: brief.message, attachments: [{ path: file('a.txt'), bytes: 6 }], tool_name: 'Brief' },
    { type: 'system', text: 'From below', attachments: [], agent_id: expect.any(String) },
  ])
})

test('a Brief that attaches a file which the user has denied, or which is missing, is not sent', async () => {
  await mkdir(at('other'))
  await writeFile(at('other', 'secret.txt'), 'x')
  const attach = (path: string) => callModel('Brief', { message: 'Look', attachments: [path] })
  const turns = [attach(at('other', 'secret.txt')), attach('missing.txt'), attach('.'), 'Done.']
  const { stderr } = await run(['-p', 'Go', '--disallowed-tools', 'Read(b.txt)', ...(await writeModel(turns))])

  expect(stderr).not.toContain('Message from the agent')
  expect(stderr).toContain('Brief needs approval: it uses paths outside the working directories.')
})

test('SendUserFile sends the content of small files, and nothing if one of them may not be read', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'haft-send-'))
  writeFileSync(join(cwd, 'report.txt'), 'all good')
  writeFileSync(join(cwd, 'large.bin'), Buffer.alloc(2 * 1024 ** 2))
  const events: ToolEvent[] = []
  const runtime = createToolRuntime({
    ...{ tools: [BriefTool, SendUserFileTool], cwd, machine: { homeDir: cwd } },
    permissions: { deny: ['Read(secret.txt)'] },
    onEvent: (event) => events.push(event),
  })
  const send = async (input: object) =>
    textOf((await runtime.run([call('SendUserFile', input, `send-${events.length}`)]).results)[0])
  try {
    expect(await send({ files: ['report.txt', 'large.bin'], caption: 'The report' })).toBe('The user got 2 files.')
    expect(await send({ files: ['report.txt', 'secret.txt'] })).toContain('secret.txt')
    expect(await send({ files: ['missing.txt'] })).toContain('Nothing was sent, because')

    expect(events.filter(({ type }) => type === 'user-messaged')).toEqual([
      {
        ...{ type: 'user-messaged', toolUseId: 'send-0', at: expect.any(Number), text: 'The report' },
        files: [
          { path: join(cwd, 'report.txt'), bytes: 8, base64: Buffer.from('all good').toString('base64') },
          { path: join(cwd, 'large.bin'), bytes: 2 * 1024 ** 2 },
        ],
      },
    ])
  } finally {
    await runtime.dispose()
    rmSync(cwd, { recursive: true })
  }
})
