import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { createServerConfig, HAFT_PATH } from './lib/served-client.js'

const PACKAGES_FOLDER = resolve('test/mcp-conformance/node_modules')
const NODE_PATH = join(PACKAGES_FOLDER, `node-${process.platform}-${process.arch}`, 'bin', 'node')
const INSPECTOR_PATH = join(
  PACKAGES_FOLDER,
  '@modelcontextprotocol',
  'inspector',
  'clients',
  'launcher',
  'build',
  'index.js',
)
const INSTALL_COMMAND = 'npm ci --prefix test/mcp-conformance --ignore-scripts'

/** If the inspector is not installed, its tests are skipped with a name that says how to install it, and fail in CI. */
const isInstalled = existsSync(NODE_PATH) && existsSync(INSPECTOR_PATH)
const inspectorTest = isInstalled || process.env.HAFT_REQUIRE_PROGRAMS ? test : test.skip
const advice = isInstalled ? '' : ` [needs the inspector: ${INSTALL_COMMAND}]`

const home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-inspected-')))
const SERVE_COMMAND = [HAFT_PATH, 'mcp', 'serve', '--gateway', '--no-prefix', '--allowed-tools', 'mcp__fixture']
const CONFIG = ['--mcp-config', createServerConfig(0, join(home, 'cancelled'))]
const env = { PATH: process.env.PATH ?? '', HOME: home, HAFT_SANDBOX: '1' }

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs the inspector's command line and returns its output. */
async function inspect(target: readonly string[], ...methodArgs: readonly string[]): Promise<Record<string, unknown>> {
  const args = [INSPECTOR_PATH, '--cli', ...target, '--method', ...methodArgs]
  const { stdout } = await promisify(execFile)(NODE_PATH, args, { env })
  return JSON.parse(stdout)
}

async function expectListAndCall(target: readonly string[]): Promise<void> {
  const { tools } = await inspect(target, 'tools/list')
  expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(['ToolSearch', 'CallTool'])
  const callResult = await inspect(target, 'tools/call', '--tool-name', 'CallTool', '--tool-arg', 'name=say_hello')
  expect(callResult).toMatchObject({ content: [{ type: 'text', text: 'say_hello was called.' }] })
}

inspectorTest(`the inspector lists and calls tools over stdio${advice}`, async () => {
  await expectListAndCall([process.execPath, ...SERVE_COMMAND, ...CONFIG])
})

inspectorTest(`the inspector lists and calls tools over HTTP${advice}`, async () => {
  const child = spawn(process.execPath, [...SERVE_COMMAND, ...CONFIG, '--http', '0', '--no-token'], {
    cwd: tmpdir(),
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    const [stderrChunk] = await once(child.stderr, 'data')
    const url = /Serving MCP at (\S+)/.exec(String(stderrChunk))?.[1] ?? ''
    await expectListAndCall([url, '--transport', 'http'])
  } finally {
    child.kill()
    await once(child, 'exit')
  }
})
