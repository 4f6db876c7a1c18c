import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createInteractive } from './interactive-fixture.mjs'

async function open(options: Parameters<typeof createInteractive>[0]) {
  const interactive = await createInteractive(options)
  onTestFinished(() => interactive.close())
  return interactive
}

const WAIT = { turns: [{ text: 'I wait.', calls: [{ name: 'Bash', input: { command: 'sleep 60' } }] }] }
const ALLOWED = ['--allowed-tools', 'Bash(sleep:*)', '--']

test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  'the terminal is restored after %s during a call',
  async (signal) => {
    const { start } = await open(WAIT)
    const terminal = start([...ALLOWED, 'Wait'])
    await terminal.waitFor('○ Bash')

    process.kill(terminal.pid, signal)
    await terminal.waitForExit()
    await terminal.waitFor(() => terminal.readModes().length === 0)
    expect(terminal.terminal.buffer.active.type).toBe('normal')
    expect(terminal.readLines()).toContain('I wait.')
  },
)

test('the terminal is restored after an unhandled exception, and the error is readable', async () => {
  const program = `
    const fail = () => { setImmediate(() => { throw new Error('a bug in the program') }); return 'Almost.' }
    export const script = { turns: [fail] }
  `
  const { start } = await open({ program })
  const terminal = start(['Fail'])
  await terminal.waitForExit()

  expect(terminal.exitCode).toBe(1)
  expect(terminal.readModes()).toEqual([])
  expect(terminal.readLines().join('\n')).toContain('a bug in the program')
})

test('in tmux, a waiting question sends a notification through tmux and rings the bell', async () => {
  const edit = { name: 'Write', input: { file_path: 'a.txt', content: 'one' } }
  const { start } = await open({ turns: [{ calls: [edit] }, 'Done.'] })
  const terminal = start([], { variables: { TERM: 'tmux-256color', TMUX: '/tmp/tmux,1,0' } })
  await terminal.waitFor('asks before changes')
  // The terminal loses the focus.
  terminal.type('Write it\r\u001b[O')
  await terminal.waitFor('Allow this call?')

  const notification = '\u0007\u001bPtmux;\u001b\u001b]9;haft: Write needs your permission\u001b\u001b\\'
  await terminal.waitFor(() => terminal.readLog().includes(notification))
})

test('the prompt takes text while no server answers, and the model is not contacted before the first prompt', async () => {
  let modelConnections = 0
  const listen = async (onConnection: () => void) => {
    const server = createServer(onConnection).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const modelUrl = await listen(() => modelConnections++)
  let mcpConnected = () => {}
  const mcpConnection = new Promise<void>((resolve) => {
    mcpConnected = resolve
  })
  const mcpServers = { silent: { type: 'http', url: `${await listen(() => mcpConnected())}/mcp` } }
  const { start } = await open({ files: { '~/.haft/settings.json': JSON.stringify({ mcpServers }) } })
  const variables = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: modelUrl }
  const terminal = start([], { model: 'claude-sonnet-4-5', variables })
  await mcpConnection

  terminal.type('typed early')
  await terminal.waitFor('> typed early')
  expect(modelConnections).toBe(0)
})
