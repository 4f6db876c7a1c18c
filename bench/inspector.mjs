import './lib/restart-clean.mjs'
import { spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { root } from '../scripts/build/root.mjs'
import { writeInspectedSession } from './lib/inspected-session.mjs'
import { isOverLimit, report } from './lib/report.mjs'

/**
 * Measures the inspector of the built command in Chromium: the first paint and panning with 10,000 calls, the time and memory
 * to open a session of 100 MB, and the time until a new event is on the page.
 */
const LIMITS = { firstPaintMs: 400, panMs: 16, openMs: 1_500, memoryMb: 150, eventMs: 100 }
const EVENT_COUNT = 20
const PAN_COUNT = 120

const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const many = join(folder, 'many.jsonl')
  const long = join(folder, 'long.jsonl')
  writeInspectedSession(many, { calls: 10_000, resultBytes: 200 })
  writeInspectedSession(long, { calls: 10_000, resultBytes: 10_000 })
  const page = await measurePage(many)
  const opened = await measureOpening(long)
  report('Inspector', [
    createRow('10,000 calls, first paint', page.firstPaintMs, LIMITS.firstPaintMs, 'ms'),
    createRow('10,000 calls, panning, p95 of drawing', page.panMs, LIMITS.panMs, 'ms'),
    createRow('event on the page, p95', page.eventMs, LIMITS.eventMs, 'ms'),
    createRow('100 MB, opened', opened.ms, LIMITS.openMs, 'ms'),
    createRow('100 MB, memory of the process', opened.memoryMb, LIMITS.memoryMb, 'MB'),
  ])
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}

/** @param {string} name @param {number} value @param {number} limit @param {string} unit */
function createRow(name, value, limit, unit) {
  return { name, value: `${value.toFixed(1)} ${unit}`, limit: `${limit} ${unit}`, isOver: isOverLimit(value, limit) }
}

/**
 * Starts the inspector and returns its address.
 * @param {string} transcript
 */
async function startInspector(transcript) {
  const env = { ...process.env, HOME: folder }
  const child = spawn(process.execPath, [join(root, 'bin/haft'), 'inspect', transcript, '--no-open'], {
    cwd: folder,
    env,
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.includes('Ctrl-C')) break
  }
  return { child, url: /http:\S+/.exec(output)?.[0] ?? '' }
}

/** @param {string} transcript */
async function measurePage(transcript) {
  const { child, url } = await startInspector(transcript)
  const page = await (await browser.newContext({ viewport: { width: 1600, height: 900 } })).newPage()
  // The browser itself, the files of the page and the code cache are warm, as for anybody who uses it.
  await page.goto(url)
  await waitForCalls(page, 10_000)
  await page.reload()
  await page.waitForFunction(() => performance.getEntriesByName('haft-draw').length > 0)
  const firstPaintMs = await page.evaluate(() => performance.getEntriesByName('haft-draw')[0]?.startTime ?? Number.NaN)
  await waitForCalls(page, 10_000)
  await page.evaluate(() => performance.clearMeasures())
  await page.mouse.move(1200, 220)
  await page.mouse.down()
  for (let index = 0; index < PAN_COUNT; index++) await page.mouse.move(1200 - index * 6, 220)
  await page.mouse.up()
  const draws = await page.evaluate(() => performance.getEntriesByName('haft-draw').map(({ duration }) => duration))
  const eventTimes = []
  for (let index = 1; index <= EVENT_COUNT; index++) {
    const at = Date.now()
    const line = { type: 'call-started', toolUseId: `live_${index}`, at, toolName: 'Bash', queuedAt: at }
    const start = performance.now()
    appendFileSync(transcript, `${JSON.stringify(line)}\n`)
    await waitForCalls(page, 10_000 + index)
    eventTimes.push(performance.now() - start)
  }
  child.kill('SIGINT')
  return { firstPaintMs, panMs: percentile(draws, 0.95), eventMs: percentile(eventTimes, 0.95) }
}

/** @param {import('playwright-core').Page} page @param {number} count */
async function waitForCalls(page, count) {
  await page.getByText(`${count} calls,`).waitFor()
}

/** @param {string} transcript */
async function measureOpening(transcript) {
  const { child, url } = await startInspector(transcript)
  const page = await (await browser.newContext()).newPage()
  const start = performance.now()
  await page.goto(url)
  await waitForCalls(page, 10_000)
  const ms = performance.now() - start
  const { readFileSync } = await import('node:fs')
  const [, kilobytes = 'NaN'] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  child.kill('SIGINT')
  return { ms, memoryMb: Number(kilobytes) / 1024 }
}

/** @param {readonly number[]} values @param {number} share */
function percentile(values, share) {
  return [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
}
