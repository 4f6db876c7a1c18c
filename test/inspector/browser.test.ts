import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { findProgram } from '../../src/system/find-program.js'
import { testWithProgram } from '../../src/testing/test-with-program.js'
import { type BrowserFixture, openBrowserFixture } from './browser-fixture.js'

const testBrowser = testWithProgram('chromium')
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

let fixture: BrowserFixture
beforeAll(async () => {
  if (findProgram('chromium', process.env) !== undefined) fixture = await openBrowserFixture()
})
afterAll(() => fixture?.close())

const openView = async (page: Page, name: string) => {
  await page.click(`nav a[href="#/${name}"]`)
}

testBrowser('the timeline shows every call, and a call its result, decision, timing and changes', async () => {
  const page = await fixture.openPage()
  await page.getByText('5 calls, 5 requests, 1 agent').waitFor()
  expect(new URL(page.url()).hash).toBe('#/timeline')

  await page.getByRole('button', { name: /^Write/ }).click()
  const detail = page.getByRole('article')
  await detail.getByText('Why it was allowed').waitFor()

  expect(await detail.getByRole('row', { name: /^mode allow/ }).count()).toBe(1)
  expect(await detail.getByRole('rowheader', { name: 'checkpoint', exact: true }).count()).toBe(1)
  expect(await detail.getByText(/haft rewind [0-9a-f]+/).count()).toBe(1)
})

testBrowser('the parts of a request add up to its bytes and tokens on the page', async () => {
  const page = await fixture.openPage()
  await openView(page, 'context')
  await page.getByRole('button', { name: /^Request 3:/ }).click()
  await page.getByRole('heading', { name: /^Request 3: 1.500 tokens/ }).waitFor()

  const requestLines = readFileSync(fixture.transcript, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"type":"request-sent"'))
  const size = String(JSON.parse(requestLines[2] ?? '').bytes)
  const digits = async (selector: string) => ((await page.textContent(selector)) ?? '').replace(/\D/g, '')
  expect([await digits('#sum-tokens'), await digits('#sum-bytes')]).toEqual(['1500', size])
  expect(await page.getByText('Starts like the previous request').count()).toBe(1)
  expect(await page.getByRole('rowheader', { name: 'test-model' }).count()).toBe(1)
})

testBrowser('a tool is called from its form, after the page has allowed it, and not if it has denied it', async () => {
  const page = await fixture.openPage()
  await openView(page, 'workbench')
  await page.getByRole('button', { name: /^Write / }).click()
  const call = async (name: string, answer: string) => {
    await page.getByLabel(/^file_path/).fill(join(fixture.project, name))
    await page.getByLabel(/^content/).fill('from the page')
    await page.getByRole('button', { name: 'Call Write' }).click()
    await page.getByRole('button', { name: answer }).click()
    await page.getByRole('region', { name: 'Result' }).waitFor()
  }

  await call('denied.txt', 'Deny')
  expect(await page.getByRole('region', { name: 'Result' }).textContent()).toContain('permission_denied')
  await call('allowed.txt', 'Allow once')
  await page.getByRole('heading', { name: /^done/ }).waitFor()

  expect(existsSync(join(fixture.project, 'denied.txt'))).toBe(false)
  expect(readFileSync(join(fixture.project, 'allowed.txt'), 'utf8')).toBe('from the page')
})

testBrowser('tool search shows scores and reasons, and servers and hooks are listed', async () => {
  const page = await fixture.openPage()
  await openView(page, 'workbench')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByLabel(/Query/).fill('edit a notebook cell')
  await page.locator('form button').click()
  await page.getByRole('rowheader', { name: 'NotebookEdit' }).waitFor()
  expect(await page.getByRole('row', { name: /NotebookEdit \d+\.\d\d/ }).count()).toBe(1)

  await page.getByRole('button', { name: 'Servers' }).click()
  await page.getByRole('heading', { name: /^evil / }).waitFor()
  expect(await page.getByText(/1 calls in this session/).count()).toBe(1)
  await page.getByRole('button', { name: 'Hooks' }).click()
  await page.getByText('No hooks are configured here.').waitFor()
})

testBrowser('rules are tried on a command, and on the calls of past sessions', async () => {
  const page = await fixture.openPage()
  await openView(page, 'workbench')
  await page.getByRole('button', { name: 'Permissions' }).click()
  await page.getByLabel('deny rules').fill('Bash(printf *)')
  await page.getByLabel('command', { exact: true }).fill('printf hello')
  await page.getByRole('button', { name: 'Decide' }).click()
  await page.getByRole('heading', { name: /^deny rule/ }).waitFor()
  await page.getByRole('button', { name: 'Try on all past sessions' }).click()
  await page.getByRole('heading', { name: /1 of \d+ different calls would have been decided differently/ }).waitFor()

  await page.getByLabel('deny rules').fill('Bash(')
  await page.getByRole('button', { name: 'Decide' }).click()
  await page.getByRole('alert').waitFor()
})

testBrowser('sessions are found by text and tool, compared, and exported as one file that works offline', async () => {
  const page = await fixture.openPage()
  await openView(page, 'sessions')
  await page.getByText('2 sessions.').waitFor()
  await page.getByLabel('Text or tool').fill('Glob')
  await page.locator('search button').click()
  await page.getByText('Something else entirely').waitFor()
  await page.getByLabel('Text or tool').fill('')
  await page.locator('search button').click()
  await page.getByText('2 sessions.').waitFor()
  for (const box of await page.getByLabel('compare').all()) await box.check()
  await page.getByRole('rowheader', { name: 'calls of Grep' }).waitFor()

  const file = join(fixture.project, 'export.html')
  const { code } = await fixture.run(['inspect', 'first', '--export', file])
  expect(code).toBe(0)
  const offline = await fixture.openPage({ offline: true }, pathToFileURL(file).href)
  await offline.getByText('5 calls, 5 requests, 1 agent').waitFor()
  await offline.getByRole('button', { name: /^Bash/ }).click()
  await offline.getByRole('article').getByText('Why it was allowed').waitFor()
  expect(await offline.evaluate('window.hacked')).toBeUndefined()
  const trace = await fixture.run(['inspect', 'first', '--export', 'trace.json'])
  expect(trace.code).toBe(0)
  const { resourceSpans } = JSON.parse(readFileSync(join(fixture.project, 'trace.json'), 'utf8'))
  const names = resourceSpans[0].scopeSpans[0].spans.map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(['chat test-model', 'execute_tool Read', 'permission']))
  expect((await fixture.run(['inspect', 'first', '--export', 'trace.json'])).code).toBe(1)
})

testBrowser('markup in output, file names, descriptions of servers and texts of the model stays text', async () => {
  fixture.problems.length = 0
  const page = await fixture.openPage()
  for (const name of [/^Read/, /^Write/, /^Bash/, /^mcp__evil/]) {
    await page.getByRole('button', { name }).first().click()
    await page.getByRole('article').getByText('Why it was allowed').waitFor()
    for (const summary of await page.getByRole('article').locator('summary').all()) await summary.click()
  }
  await openView(page, 'context')
  await page.getByText(/^All \d+ parts/).click()
  await openView(page, 'workbench')
  await page.getByRole('button', { name: /^mcp__evil__evil/ }).click()
  await page.getByText('Definition as the model sees it').click()
  await openView(page, 'sessions')
  await page.getByText('2 sessions.').waitFor()

  expect(await page.evaluate('window.hacked')).toBeUndefined()
  expect(await page.locator('img, svg, iframe, a[href^="javascript:" i]').count()).toBe(0)
  expect(fixture.problems).toEqual([])
})

testBrowser('a page of another origin reaches neither data nor tools', async () => {
  const page = await fixture.openPage()
  const { origin } = new URL(fixture.url)
  const other = await page.context().newPage()
  await other.goto('data:text/html,<p>other</p>')
  const outcome = await other.evaluate(async (target) => {
    const attempt = (path: string, init?: RequestInit) =>
      fetch(target + path, init).then(
        (response) => response.text(),
        () => 'blocked',
      )
    const post = { method: 'POST', mode: 'no-cors', body: '{"tool":"Bash","input":{}}' } as const
    return [await attempt('/'), await attempt('/api/sessions'), await attempt('/api/call', post)]
  }, origin)
  expect(outcome).toEqual(['blocked', 'blocked', 'blocked'])
})

testBrowser('an event of a live session appears without a reload', async () => {
  const page = await fixture.openPage()
  await page.getByText('5 calls, 5 requests, 1 agent').waitFor()
  const at = Date.now()
  appendFileSync(
    fixture.transcript,
    `${JSON.stringify({ type: 'call-started', toolUseId: 'live', at, toolName: 'Sleep', queuedAt: at })}\n`,
  )
  await page.getByText('6 calls, 5 requests, 1 agent').waitFor()
})

testBrowser('the page is used by keyboard alone, through every view', async () => {
  const page = await fixture.openPage()
  const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''")
  const tabTo = async (text: string | RegExp) => {
    for (let presses = 0; presses < 200; presses++) {
      await page.keyboard.press('Tab')
      if ((await focused()).match(text) !== null) return
    }
    throw new Error(`No element with ${text} was reached.`)
  }
  await tabTo('Skip to content')
  await page.keyboard.press('Enter')
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate('document.activeElement?.tagName')) === 'CANVAS') break
  }
  const length = await page.textContent('#window-length')
  await page.keyboard.press('+')
  await expect.poll(() => page.textContent('#window-length')).not.toBe(length)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('0')
  await expect.poll(() => page.textContent('#window-length')).toBe(length)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.getByText('selected: Grep').waitFor()
  await page.reload()
  await page.waitForSelector('canvas')
  await tabTo(/^Context$/)
  await page.keyboard.press('Enter')
  await page.waitForSelector('#sum-bytes')
  await tabTo(/^Workbench$/).catch(() => page.focus('nav a[href="#/workbench"]'))
  await page.keyboard.press('Enter')
  await tabTo(/^Glob /)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Glob' }).waitFor()
})

const SCREENS = [
  { colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { colorScheme: 'dark', viewport: { width: 3840, height: 2160 } },
] as const

testBrowser('axe finds nothing serious in any view, light and dark, and nothing is wider than the screen', async () => {
  for (const { colorScheme, viewport } of SCREENS) {
    const page = await fixture.openPage({ colorScheme, viewport, bypassCSP: true })
    await page.addScriptTag({ path: axePath })
    for (const view of ['timeline', 'context', 'workbench', 'sessions']) {
      await openView(page, view)
      await page.waitForSelector(
        { timeline: '.message', context: '#sum-bytes', workbench: '.choices button', sessions: '.sessions li' }[view] ??
          'main',
      )
      if (view === 'timeline') await page.getByRole('button', { name: /^Read/ }).first().click()
      expect(await findSerious(page)).toEqual([])
      const [scroll, inner] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, innerWidth]',
      )
      expect(scroll).toBeLessThanOrEqual(inner)
    }
    await page.context().close()
  }
})

async function findSerious(page: Page): Promise<readonly string[]> {
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
