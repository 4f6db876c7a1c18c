import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { conformanceFolder } from './suite.mjs'

/** Longer than the fixture server needs to start on any machine. */
const START_TIMEOUT_MS = 300_000
const POLL_INTERVAL_MS = 100

/**
 * Starts the gateway over HTTP with the fixture server behind it, in its own home folder.
 * @param {string[]} fixtureArgs
 */
export async function startGateway(fixtureArgs) {
  const home = await mkdtemp(join(tmpdir(), 'mcp-gateway-'))
  const fixture = {
    command: process.execPath,
    args: [join(conformanceFolder, 'fixture-server.mjs'), ...fixtureArgs],
    startTimeoutMs: START_TIMEOUT_MS,
  }
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
  const stop = async () => {
    child.kill('SIGTERM')
    await closeEvent
    await rm(home, { recursive: true, force: true })
  }
  try {
    const url = await waitForAddress(child)
    await waitForFixture(url)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Waits until the gateway has the tools of the fixture server. Until then its lists are incomplete, and scenarios would
 * fail on a slow machine.
 * @param {string} url
 */
async function waitForFixture(url) {
  const client = new Client({ name: 'readiness', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  try {
    while (JSON.stringify(await client.listTools()).includes('Still connecting')) await sleep(POLL_INTERVAL_MS)
  } finally {
    await client.close()
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
