import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../scripts/build/root.mjs'
import { createSdkGlobalsPlugin } from '../scripts/build/sdk-globals-plugin.mjs'
import { type ModelServer, startModelServer } from '../src/testing/models/server/start-model-server.js'

const PROGRAM_SOURCES = {
  anthropic: `
    import { createAnthropicModel } from ${JSON.stringify(join(root, 'src/providers/anthropic/create-anthropic-model.ts'))}
    const model = createAnthropicModel({ id: 'm', apiKey: 'k', baseUrl: process.argv[2] })
    const request = { system: [], tools: [], builtInTools: 0, messages: [{ type: 'user', content: 'Hi' }] }
    let text = ''
    for await (const event of model.stream(request, { signal: new AbortController().signal })) text += event.text ?? ''
  `,
  openai: `
    import OpenAI from 'openai'
    import { httpFetch } from ${JSON.stringify(join(root, 'src/providers/http/http-fetch.ts'))}
    const client = new OpenAI({ apiKey: 'k', baseURL: process.argv[2] + '/v1', fetch: httpFetch })
    const messages = [{ role: 'user', content: 'Hi' }]
    let text = ''
    for await (const { choices } of await client.chat.completions.create({ model: 'm', stream: true, messages })) {
      text += choices[0]?.delta.content ?? ''
    }
  `,
}
const REPORT_SCRIPT = `
  const isFetchLoaded = process.moduleLoadList.some((name) => name.includes('undici'))
  console.log(JSON.stringify({ text, isFetchLoaded }))
`

let folder: string
let server: ModelServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-sdk-'))
  server = await startModelServer([{ parts: [{ text: 'Hello' }], pieceSize: 2 }], { shouldRepeat: true })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

test.each(['anthropic', 'openai'] as const)('the bundled %s SDK works without Node’s own fetch', async (name) => {
  const entry = join(folder, `${name}.ts`)
  await writeFile(entry, PROGRAM_SOURCES[name] + REPORT_SCRIPT)
  const { metafile } = await build({
    entryPoints: { [name]: entry },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    nodePaths: [join(root, 'node_modules')],
    plugins: [createSdkGlobalsPlugin()],
    metafile: true,
    logLevel: 'error',
  })

  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, `${name}.mjs`), server.url])

  expect(JSON.parse(stdout)).toEqual({ text: 'Hello', isFetchLoaded: false })
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  expect(parts.filter((part) => /agent-toolset|resources\/beta\/sessions|MessageStream/.test(part))).toEqual([])
})
