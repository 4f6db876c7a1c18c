import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { bundleCli } from '../scripts/build/bundle-cli.mjs'
import { readFeatures } from '../scripts/build/features.mjs'
import { HaftProcess, runHaft } from './lib/haft-process.js'

const { resolve } = createRequire(import.meta.url)
const EVERYTHING_SERVER = [process.execPath, resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio']
const FILESYSTEM_SERVER = [process.execPath, resolve('@modelcontextprotocol/server-filesystem/dist/index.js')]

/** Creates a marker file when it starts, and describes its only tool with the content of a file. */
const SERVER_SOURCE = `
import { createInterface } from 'node:readline'
import { readFileSync, writeFileSync } from 'node:fs'
const [, , mark, words] = process.argv
writeFileSync(mark, 'started')
const answers = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } },
  'tools/list': { tools: [{ name: 'send', description: readFileSync(words, 'utf8'), inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'sent ' + 'x'.repeat(Number(process.env.LENGTH ?? 0)) }] },
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  const error = { code: -32601, message: 'unknown' }
  const result = answers[method]
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
}
`

let mainPath: string
let build: string
beforeAll(async () => {
  build = await realpath(await mkdtemp(join(tmpdir(), 'haft-mcp-build-')))
  mainPath = join(build, 'main.js')
  await bundleCli({ features: await readFeatures(), outdir: build })
})
afterAll(() => rm(build, { recursive: true, force: true }))

let folder: string
let home: string
let project: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-mcp-line-')))
  home = join(folder, 'home')
  project = join(folder, 'project')
  await mkdir(join(project, '.git'), { recursive: true })
  await mkdir(home)
  await writeFile(join(folder, 'server.mjs'), SERVER_SOURCE)
  await writeFile(join(folder, 'words'), 'Sends.')
})
afterEach(async () => {
  const processes = await promisify(execFile)('ps', ['-eo', 'args'])
  await rm(folder, { recursive: true, force: true })
  expect(processes.stdout).not.toContain(folder)
})

const run = (...args: readonly string[]) => runHaft(mainPath, args, { cwd: project, home })
const createTinyServer = (env = {}) => ({
  command: process.execPath,
  args: [join(folder, 'server.mjs'), join(folder, 'mark'), join(folder, 'words')],
  env,
})
const isStarted = () => existsSync(join(folder, 'mark'))
const writeUserServers = (mcpServers: object) =>
  mkdir(join(home, '.haft'), { recursive: true }).then(() =>
    writeFile(join(home, '.haft/settings.json'), JSON.stringify({ mcpServers })),
  )
const listNames = (json: string) => JSON.parse(json).map(({ name }: { name: string }) => name)
const use = (id: string, name: string, input: object = {}) => ({ type: 'tool_use', id, name, input })

test('a server can be added, listed, tested, called, used in a run and removed', async () => {
  const serverCommand = [...EVERYTHING_SERVER, `--mark=${folder}`]
  await run('mcp', 'add', '--scope', 'user', 'everything', '--', ...serverCommand)

  expect(JSON.parse((await run('mcp', 'list', '--json')).stdout)).toMatchObject([
    { name: 'everything', state: 'ready' },
  ])
  const runBeforeConnecting = await run('tools', '--json')
  expect(listNames(runBeforeConnecting.stdout)).not.toContain('mcp__everything__echo')
  expect(runBeforeConnecting.stderr).toContain('everything are unknown because it is not connected')
  expect((await run('mcp', 'test', 'everything')).stdout).toContain('everything is connected.')

  const runAfterConnecting = await run('tools', '--json')
  expect(listNames(runAfterConnecting.stdout)).toContain('mcp__everything__echo')
  expect(runAfterConnecting.stderr).toBe('')
  expect((await run('tools', 'show', 'mcp__everything__echo')).stdout).toContain('Message to echo')
  expect((await run('tools', 'search', 'echo', 'message')).stdout).toMatch(/^mcp__everything__echo /)
  const explainRun = await run('permissions', 'explain', 'mcp__everything__echo', '{"message":"a"}')
  expect(explainRun.stdout).toMatch(/^ask: mcp__everything__echo, read-only, in mode default/)

  const call = ['call', 'mcp__everything__echo', '{"message":"hello"}']
  expect(await run(...call, '--allowed-tools', 'mcp__everything')).toEqual({
    code: 0,
    stdout: 'Echo: hello\n',
    stderr: '',
  })
  expect((await run(...call)).code).toBe(3)
  const deniedRun = await run(...call, '--disallowed-tools', 'mcp__everything')
  expect([deniedRun.code, deniedRun.stdout]).toEqual([3, expect.stringContaining('switched off or denied here')])

  const runProcess = new HaftProcess(mainPath, ['run', '--allowed-tools', 'mcp__everything'], { cwd: project, home })
  runProcess.send(use('1', 'mcp__everything__get-sum', { a: 1, b: 2 }))
  expect((await runProcess.finish()).lines).toEqual([
    { type: 'tool_result', tool_use_id: '1', content: 'The sum of 1 and 2 is 3.' },
  ])

  await run('mcp', 'remove', 'everything')
  expect(await run('tools', '--connect')).toMatchObject({ code: 0, stderr: '' })
  expect(await run(...call)).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown tool') })
})

test('a broken server does not affect a working one', async () => {
  await writeFile(join(project, 'note.txt'), 'a note')
  const [command, ...args] = [...FILESYSTEM_SERVER, project]
  const mcpServers = { files: { command, args }, broken: { command: 'haft-no-such-program' } }
  const serverArgs = ['--mcp-config', JSON.stringify({ mcpServers }), '--allowed-tools', 'mcp__files']

  const haftProcess = new HaftProcess(mainPath, ['run', ...serverArgs], { cwd: project, home })
  haftProcess.send(
    use('1', 'mcp__broken__any'),
    use('2', 'mcp__files__read_text_file', { path: join(project, 'note.txt') }),
  )
  const { lines, stderr } = await haftProcess.finish()

  expect(lines).toMatchObject([
    { tool_use_id: '1', is_error: true, content: expect.stringContaining('haft-no-such-program is not installed') },
    { tool_use_id: '2', content: expect.stringContaining('a note') },
  ])
  expect(stderr).toMatch(/^haft: The MCP server broken could not be reached: .+\n$/)
})

test('an untrusted project never starts a server', async () => {
  await writeFile(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { tiny: createTinyServer() } }))
  const commands = [
    ['tools', '--connect'],
    ['tools', 'search', 'send', '--connect'],
    ['call', 'mcp__tiny__send', '{}'],
    ['call', 'ToolSearch', '{"query":"send"}'],
    ['permissions', 'explain', 'mcp__tiny__send', '{}'],
  ]

  for (const command of commands) expect((await run(...command)).stderr, command.join(' ')).toContain('not trusted')
  const haftProcess = new HaftProcess(mainPath, ['run'], { cwd: project, home })
  haftProcess.send(use('1', 'mcp__tiny__send'))
  expect((await haftProcess.finish()).lines).toMatchObject([{ is_error: true }])
  expect(isStarted()).toBe(false)

  const trustedOutcome = await run('call', 'mcp__tiny__send', '{}', '--trust', '--allowed-tools', 'mcp__tiny')
  expect([trustedOutcome.stdout, isStarted()]).toEqual(['sent \n', true])
})

test('a tool whose server changes its description needs approval again', async () => {
  await writeUserServers({ tiny: createTinyServer() })
  const call = () => run('call', 'mcp__tiny__send', '{}', '--allowed-tools', 'mcp__tiny')
  expect((await call()).code).toBe(0)

  await writeFile(join(folder, 'words'), 'Sends, and reads your keys.')
  await rm(join(home, '.haft/cache'), { recursive: true })
  const changedRun = await call()

  expect(changedRun.code).toBe(3)
  expect(changedRun.stdout).toContain('description: "Sends." is now "Sends, and reads your keys."')
  const explainRun = await run('permissions', 'explain', 'mcp__tiny__send', '{}', '--allowed-tools', 'mcp__tiny')
  expect(explainRun.stdout).toMatch(/^ask: .*\ntool: the MCP server tiny changed this tool after you approved it\n/)

  await run('mcp', 'test', 'tiny', '--accept')
  expect(await call()).toMatchObject({ code: 0, stdout: 'sent \n' })
})

test('hooks receive calls of MCP tools, and results over the budget go to a file', async () => {
  const hook = { type: 'command', command: 'echo "not this one" >&2; exit 2' }
  const settings = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'mcp__tiny__send', hooks: [hook] }] } })
  await writeUserServers({ tiny: createTinyServer({ LENGTH: '300000' }) })
  const call = ['call', 'mcp__tiny__send', '{}', '--allowed-tools', 'mcp__tiny']

  const blockedRun = await run(...call, '--settings', settings)
  const longOutcome = await run(...call)

  expect([blockedRun.code, blockedRun.stdout]).toEqual([3, expect.stringContaining('not this one')])
  expect(longOutcome.code).toBe(0)
  expect(longOutcome.stdout.length).toBeLessThan(60_000)
})

test('a command that names no server starts none', async () => {
  await writeUserServers({ tiny: createTinyServer() })

  const { stdout } = await run('call', 'Bash', '{"command":"echo hi"}', '--allowed-tools', 'Bash')
  await run('tools')
  await run('permissions', 'explain', 'mcp__tiny__send', '{}')

  expect([stdout, isStarted()]).toEqual(['hi\n', false])
  expect(await readdir(join(home, '.haft'))).not.toContain('cache')
})
