import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { builtInTools, createToolRuntime } from 'haft'

/**
 * Two ways to drive a browser: Haft's WebBrowser and the tools of `@playwright/mcp`. Both accept the same actions.
 *
 * @typedef {{ ref: string, name: string, type: 'textbox' | 'combobox' | 'checkbox', value: string | boolean }} Field
 * @typedef {{ type: 'open', url: string } | { type: 'back' } | { type: 'read' } | { type: 'click', ref: string }
 *   | { type: 'search', ref: string, text: string } | { type: 'fill', fields: readonly Field[] }
 *   | { type: 'wait', text: string } | { type: 'accept' } | { type: 'requests', filter: string }} Action
 * @typedef {{ call: (action: Action) => Promise<string>, close: () => Promise<void> }} Driver
 * @typedef {{ folder: string, host: string, executable: string }} DriverOptions
 */

const PEER_PATH = resolve('bench/peers/node_modules/@playwright/mcp/cli.js')
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const isRoot = process.getuid?.() === 0

/** Returns the path of an installed browser. */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}

/**
 * @param {DriverOptions} options
 * @returns {Promise<Driver>}
 */
export async function startHaft({ folder, host, executable }) {
  const runtime = createToolRuntime({
    tools: builtInTools,
    permissions: { allow: [`WebBrowser(domain:${host})`] },
    cwd: folder,
    machine: { homeDir: folder, allowedPrivateHosts: [host], browser: { executable } },
    storage: { resultsDirectory: join(folder, 'results') },
  })
  let count = 0
  return {
    async call(action) {
      const input = toHaftInput(action)
      const [result] = await runtime.run([{ type: 'tool_use', id: `toolu_${++count}`, name: 'WebBrowser', input }])
        .results
      if (result === undefined || result.is_error === true || typeof result.content !== 'string')
        throw new Error(`WebBrowser ${JSON.stringify(input)}: ${JSON.stringify(result?.content)}`)
      return result.content
    },
    close: () => runtime.dispose(),
  }
}

/** @param {Action} action */
function toHaftInput(action) {
  switch (action.type) {
    case 'open':
      return { action: 'navigate', url: action.url }
    case 'read':
      return { action: 'snapshot', whole: true }
    case 'click':
      return { action: 'click', ref: action.ref }
    case 'search':
      return { action: 'type', ref: action.ref, text: action.text, submit: true }
    case 'fill':
      return { action: 'fill', fields: action.fields.map(({ ref, value }) => ({ ref, value })) }
    case 'wait':
      return { action: 'wait', text: action.text }
    case 'accept':
      return { action: 'dialog', accept: true }
    case 'requests':
      return { action: 'network', filter: action.filter }
    default:
      return { action: action.type }
  }
}

/**
 * Starts `@playwright/mcp`. Returns undefined if it is not installed.
 * @param {DriverOptions} options
 * @returns {Promise<Driver | undefined>}
 */
export async function startPeer({ folder, executable }) {
  if (!existsSync(PEER_PATH)) return undefined
  const options = ['--headless', '--isolated', '--executable-path', executable, ...(isRoot ? ['--no-sandbox'] : [])]
  const client = new Client({ name: 'bench', version: '1' })
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  const args = [PEER_PATH, ...options]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, env, stderr: 'ignore' }),
  )
  return {
    async call(action) {
      const request = toPeerCall(action)
      const { content, isError } = await client.callTool(request)
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
      if (isError === true) throw new Error(`${request.name}: ${text}`)
      return text
    },
    close: () => client.close(),
  }
}

/** @param {Action} action */
function toPeerCall(action) {
  switch (action.type) {
    case 'open':
      return { name: 'browser_navigate', arguments: { url: action.url } }
    case 'back':
      return { name: 'browser_navigate_back', arguments: {} }
    case 'read':
      return { name: 'browser_snapshot', arguments: {} }
    case 'click':
      return { name: 'browser_click', arguments: { target: action.ref } }
    case 'search':
      return { name: 'browser_type', arguments: { target: action.ref, text: action.text, submit: true } }
    case 'fill': {
      const fields = action.fields.map(({ ref, name, type, value }) => ({ target: ref, name, type, value: `${value}` }))
      return { name: 'browser_fill_form', arguments: { fields } }
    }
    case 'wait':
      return { name: 'browser_wait_for', arguments: { text: action.text } }
    case 'accept':
      return { name: 'browser_handle_dialog', arguments: { accept: true } }
    case 'requests':
      return { name: 'browser_network_requests', arguments: { static: false, filter: action.filter } }
  }
}
