import './lib/restart-clean.mjs'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { estimateTokens } from 'haft/tool-search'
import { startSite } from '../test/fixtures/web/browser-site.mjs'
import { findBrowser, startHaft, startPeer } from './lib/browser-drivers.mjs'
import { createBrowserTask } from './lib/browser-task.mjs'
import { createRow, createUnmeasuredRow, report } from './lib/report.mjs'

/**
 * Measures what a task of 12 steps in a browser costs: tool calls, and the tokens of their results. The same task is done with
 * Haft's WebBrowser and with `@playwright/mcp`. Before it acts on an element, and to check a step, the script may use only what
 * results have shown; if they have not shown enough, it reads the page with one more call.
 */
const HOST = '127.0.0.1'
const MAX_TOKENS = 30_000

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-bench-browser-')))
const site = await startSite()
const steps = createBrowserTask(`http://${HOST}:${site.port}`)
try {
  await compare()
} finally {
  site.close()
  rmSync(folder, { recursive: true, force: true })
}

async function compare() {
  const executable = findBrowser()
  if (executable === undefined) {
    report('A browser task of 12 steps: no Chromium or Chrome is installed', [createUnmeasuredRow('WebBrowser')])
    return
  }
  const options = { folder, host: HOST, executable }
  const haft = await measure(await startHaft(options))
  const peer = await measurePeer(options)
  report(`A browser task of ${steps.length} steps`, [
    createRow('WebBrowser, tokens of all results', haft.tokens, MAX_TOKENS, 'tokens'),
    // The strictest reading: the peer's calls that only read a page are not counted in the limit.
    createRow('WebBrowser, calls', haft.calls, peer && peer.calls - peer.reads, 'calls'),
    createRow('WebBrowser, of which only read the page', haft.reads, undefined, 'calls'),
    ...(peer === undefined
      ? [createUnmeasuredRow('@playwright/mcp')]
      : [
          createRow('@playwright/mcp, tokens of all results', peer.tokens, undefined, 'tokens'),
          createRow('@playwright/mcp, calls', peer.calls, undefined, 'calls'),
          createRow('@playwright/mcp, of which only read the page', peer.reads, undefined, 'calls'),
        ]),
  ])
}

/**
 * Returns undefined, and prints the reason, if the peer is not installed or cannot do the task.
 * @param {import('./lib/browser-drivers.mjs').DriverOptions} options
 */
async function measurePeer(options) {
  try {
    const driver = await startPeer(options)
    if (driver !== undefined) return await measure(driver)
    console.log('@playwright/mcp is not installed. To install the peers: npm ci --prefix bench/peers')
  } catch (error) {
    console.log('@playwright/mcp cannot do the task:', error)
  }
  return undefined
}

/** @param {import('./lib/browser-drivers.mjs').Driver} driver */
async function measure(driver) {
  const costs = { calls: 0, reads: 0, tokens: 0 }
  /** What results have shown of the current page. */
  let shown = ''
  /** @param {import('./lib/browser-drivers.mjs').Action} action */
  const act = async (action) => {
    const text = await driver.call(action)
    costs.calls++
    costs.tokens += estimateTokens(text)
    shown += `${text}\n`
  }
  /** @param {string} text */
  const findShown = (text) => shown.split('\n').findLast((line) => line.includes(text))
  /** @param {string} text */
  const see = async (text) => {
    if (findShown(text) !== undefined) return
    costs.reads++
    await act({ type: 'read' })
    if (findShown(text) === undefined) throw new Error(`The page does not show ${text}:\n${shown}`)
  }
  /** @param {string} text */
  const find = async (text) => {
    await see(text)
    const ref = /\[ref=(\w+)\]/.exec(findShown(text) ?? '')?.[1]
    if (ref === undefined) throw new Error(`${text} has no reference:\n${shown}`)
    return ref
  }
  /** @param {import('./lib/browser-drivers.mjs').Action} action */
  const go = async (action) => {
    shown = ''
    await act(action)
  }
  try {
    for (const { name, expected, run } of steps) {
      try {
        await run({ act, go, find })
        await see(expected)
      } catch (cause) {
        throw new Error(`The step "${name}" failed.`, { cause })
      }
    }
  } finally {
    await driver.close()
  }
  return costs
}
