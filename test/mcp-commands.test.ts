import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleCli } from '../scripts/build/bundle-cli.mjs'
import { readFeatures } from '../scripts/build/features.mjs'
import { runHaft } from './lib/haft-process.js'

const EVERYTHING_SERVER = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
)

let folder: string
let outdir: string
let home: string
let project: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-mcp-commands-')))
  outdir = join(folder, 'build')
  home = join(folder, 'home')
  project = join(folder, 'project')
  await mkdir(join(project, '.git'), { recursive: true })
  await mkdir(home)
  await bundleCli({ features: await readFeatures(), outdir })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: readonly string[]) => runHaft(join(outdir, 'main.js'), args, { cwd: project, home })

test('a real server can be added, tested and removed, and leaves no process', async () => {
  const marker = `--marker=${folder}`
  const add = [
    'mcp',
    'add',
    '--scope',
    'user',
    'everything',
    '--',
    process.execPath,
    EVERYTHING_SERVER,
    'stdio',
    marker,
  ]

  expect((await run(...add)).code).toBe(0)
  const testOutcome = await run('mcp', 'test', 'everything', '--json')
  const processes = await promisify(execFile)('ps', ['-eo', 'args'])
  const removeOutcome = await run('mcp', 'remove', 'everything')

  expect(JSON.parse(testOutcome.stdout)).toMatchObject({ ok: true, tools: expect.arrayContaining(['echo']) })
  expect(processes.stdout).not.toContain(marker)
  expect([testOutcome.code, removeOutcome.code]).toEqual([0, 0])
  expect(JSON.parse((await run('mcp', 'list', '--json')).stdout)).toEqual([])
})

test('commands that connect to no server do not load the MCP client', async () => {
  const parts = await readdir(join(outdir, 'parts'))
  const belongsToSdk = async (file: string) => /io\.modelcontextprotocol\/\w/.test(await readFile(file, 'utf8'))
  const sdkParts = await Promise.all(parts.map((name) => belongsToSdk(join(outdir, 'parts', name))))
  expect(sdkParts).toContain(true)

  const entryPoints = ['main.js', ...parts.filter((name) => name.startsWith('run-')).map((name) => `parts/${name}`)]
  for (const entryPoint of entryPoints) {
    const loadedModules = await collectStaticImports(join(outdir, entryPoint))
    expect(await Promise.all(loadedModules.map(belongsToSdk)), entryPoint).not.toContain(true)
  }
})

/** Lists a file and all files that it imports statically, directly or indirectly. */
async function collectStaticImports(start: string): Promise<readonly string[]> {
  const files = new Set<string>()
  const queue = [start]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue
    files.add(file)
    const imports = (await readFile(file, 'utf8')).matchAll(/(?:\bfrom|\bimport) ?"(\.[^"]+)"/g)
    for (const [, path = ''] of imports) queue.push(join(dirname(file), path))
  }
  return [...files]
}
