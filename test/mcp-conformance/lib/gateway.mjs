import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformanceFolder } from './suite.mjs'

/**
 * Starts the gateway over HTTP with the fixture server behind it, in its own home folder.
 * @param {string[]} fixtureArgs
 */
export async function startGateway(fixtureArgs) {
  const home = await mkdtemp(join(tmpdir(), 'mcp-gateway-'))
  const fixture = { command: process.execPath, args: [join(conformanceFolder, 'fixture-server.mjs'), ...fixtureArgs] }
  const args = [
    'mcp',
    'serve',
    '--gateway',
    '--no-prefix',
    '--http',
    '0',
    '--no-token',
    '--allowed-tools',
    'mcp__fixture',
  ]
  const config = ['--mcp-config', JSON.stringify({ mcpServers: { fixture } })]
  const child = spawn(process.execPath, [join(conformanceFolder, '..', '..', 'bin', 'haft'), ...args, ...config], {
    cwd: home,
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closeEvent = new Promise((resolve) => child.once('close', resolve))
  const url = await waitForAddress(child)
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await closeEvent
      await rm(home, { recursive: true, force: true })
    },
  }
}

/**
 * @param {import('node:child_process').ChildProcessByStdio<null, null, import('node:stream').Readable>} child
 * @returns {Promise<string>}
 */
function waitForAddress(child) {
  return new Promise((resolve, reject) => {
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
      const url = /Serving MCP at (\S+)/.exec(stderr)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('close', () => reject(new Error(`the gateway did not start: ${stderr}`)))
  })
}
