import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { builtInTools } from '../src/tools/index.js'
import { call, textOf } from './runtime-fixtures.js'

const TOOL_COUNT = 300

/** Starts a runtime with a real server that offers 300 tools: those of a catalogue, and variants of them. */
async function openWithCatalogue() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-code-mode-')))
  const catalogue: { readonly tools: readonly (readonly string[])[] } = JSON.parse(
    readFileSync('src/tool-search/rank/fixtures/catalogue.json', 'utf8'),
  )
  // Names with other characters are replaced.
  const rows = catalogue.tools.filter(([, name = '']) => /^\w+$/.test(name))
  const tools = Array.from({ length: TOOL_COUNT }, (_, index) => {
    const [, name, description] = rows[index % rows.length] ?? []
    const number = Math.floor(index / rows.length)
    return {
      name: number === 0 ? name : `${name}_${number}`,
      description,
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'What to look for' }, limit: { type: 'integer' } },
        required: ['query'],
      },
    }
  })
  const file = join(folder, 'catalogue.json')
  writeFileSync(file, JSON.stringify({ tools }))
  const args = [resolve('bench/lib/catalogue-server.mjs'), file]
  const runtime = createToolRuntime({
    ...{ tools: builtInTools, cwd: folder, machine: { homeDir: folder } },
    mcpServers: { office: { type: 'stdio', command: process.execPath, args } },
    permissions: { allow: ['mcp__office'] },
  })
  onTestFinished(async () => {
    await runtime.dispose()
    rmSync(folder, { recursive: true, force: true })
  })
  await (await runtime.mcp())?.settled()
  let count = 0
  const repl = async (code: string) => {
    await runtime.definitions()
    return textOf((await runtime.run([call('REPL', { code }, `repl-${count++}`)]).results)[0])
  }
  return { runtime, repl, names: tools.map(({ name }) => name) }
}

test('code lists, searches, describes and calls 300 tools of a real server, none of which is loaded', async () => {
  const { runtime, repl, names } = await openWithCatalogue()

  const listed = JSON.parse(
    await repl(`(await tools.list()).map(({ name }) => name).filter((name) => name.startsWith('mcp__office__'))`),
  )
  const found = JSON.parse(
    await repl(`(await tools.search('weather forecast for the coming days')).map(({ name }) => name)`),
  )
  const declaration = await repl(`await tools.describe(${JSON.stringify(found[0])})`)
  const answers = await repl(`
    const all = (await tools.list()).map(({ name }) => name).filter((name) => name.startsWith('mcp__office__'))
    const texts = await Promise.all(all.map(async (name, limit) => JSON.stringify(await tools[name]({ query: name, limit }))))
    ;[texts.length, texts.filter((text, limit) => text.includes(all[limit]) && text.includes(String(limit))).length]`)

  expect(listed.toSorted()).toEqual(names.map((name) => `mcp__office__${name}`).toSorted())
  expect(found[0]).toMatch(/^mcp__office__get_forecast/)
  expect(declaration).toContain(`tools.${found[0]}(input: {\n  query: string // What to look for\n`)
  expect(answers).toBe(`[${TOOL_COUNT},${TOOL_COUNT}]`)
  expect((await runtime.definitions()).filter(({ name }) => name.startsWith('mcp__'))).toEqual([])
})

test('a wrong input or name for a tool of a server is an error that code can act on', async () => {
  const { repl, names } = await openWithCatalogue()
  const name = `mcp__office__${names[0]}`

  const failures = await repl(`
    const attempt = (call) => call.then(() => 'ran', (error) => error.code + ': ' + error.message)
    ;[await attempt(tools[${JSON.stringify(name)}]({ limit: 'many' })), await attempt(tools.${name}x({ query: '' }))].join('\\n')`)

  expect(failures).toMatch(/^input_invalid: /)
  expect(failures).toContain(`Its declaration: await tools.describe("${name}")`)
  expect(failures).toContain(`unknown_tool: There is no tool "${name}x". Did you mean ${name}`)
})
