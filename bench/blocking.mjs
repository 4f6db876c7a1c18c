import './lib/restart-clean.mjs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInTools, createToolRuntime } from 'haft'
import { renderView } from 'haft/views'
import { BLOCKING_CASES, DRAWING_CASES, loadTools } from './lib/blocking-cases.mjs'
import { measureLongestBlock } from './lib/loop-blocks.mjs'
import { isOverLimit, report } from './lib/report.mjs'

/**
 * Measures the longest time for which one call occupies the event loop, in CPU milliseconds, with inputs that are hard for the
 * tool. `node bench/blocking.mjs [words of the case]` measures the cases whose names have all these words.
 */
const MAX_BLOCK_MS = 50

let calls = 0
const TOOL_NAMES = [...new Set(BLOCKING_CASES.map(({ tool }) => tool)), 'Read']
const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
const runtime = createToolRuntime({
  tools: builtInTools,
  permissions: { allow: TOOL_NAMES },
  cwd: folder,
  machine: { homeDir: join(folder, 'home') },
  storage: { checkpointsDirectory: join(folder, 'home', 'checkpoints') },
})
try {
  await loadTools(call, folder)
  const words = process.argv.slice(2)
  const rows = []
  for (const { name, tool, prepare, expected } of BLOCKING_CASES) {
    if (!words.every((word) => name.includes(word))) continue
    const { input, reads = [] } = prepare(folder)
    for (const file_path of reads) await call('Read', { file_path, limit: 1 })
    const memoryBefore = process.resourceUsage().maxRSS
    let answer = ''
    const block = await measureLongestBlock(async () => {
      answer = await call(tool, input)
    })
    if (!expected.test(answer)) throw new Error(`${name}: unexpected answer: ${answer.slice(0, 500)}`)
    const memoryGrowth = (process.resourceUsage().maxRSS - memoryBefore) / 1024
    rows.push(createRow(`${name} (+${memoryGrowth.toFixed(0)} MB)`, block))
  }
  for (const { name: viewName, view } of DRAWING_CASES) {
    const name = `Drawing of ${viewName}`
    if (!words.every((word) => name.includes(word))) continue
    // The first time loads the parts that draw.
    renderView(view, { width: 80, verbose: true })
    const block = await measureLongestBlock(async () => {
      renderView(view, { width: 80, verbose: true })
    })
    rows.push(createRow(name, block))
  }
  report('Longest block of the event loop by one call or drawing, CPU time', rows)
} finally {
  await runtime.dispose()
  rmSync(folder, { recursive: true, force: true })
}

/**
 * @param {string} name
 * @param {number} block
 */
function createRow(name, block) {
  return {
    name,
    value: `${block.toFixed(0)} ms`,
    limit: `${MAX_BLOCK_MS} ms`,
    isOver: isOverLimit(block, MAX_BLOCK_MS),
  }
}

/**
 * @param {string} name
 * @param {unknown} input
 */
async function call(name, input) {
  const [result] = await runtime.run([{ type: 'tool_use', id: `toolu_${++calls}`, name, input }]).results
  return typeof result?.content === 'string' ? result.content : JSON.stringify(result?.content)
}
