import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createConfiguredServer } from '../../testing/mcp-fixture.js'
import { DefinitionCache } from './definition-cache.js'

let folder: string | undefined
const createFolder = () => {
  folder = join(mkdtempSync(join(tmpdir(), 'haft-mcp-cache-')), 'cache')
  return folder
}
afterEach(() => {
  if (folder !== undefined) rmSync(join(folder, '..'), { recursive: true, force: true })
})

const DAY_MS = 24 * 60 * 60 * 1000
const { config } = createConfiguredServer('s', { command: 'server' })
const SERVER_OFFER = { tools: [{ name: 'a' }], prompts: [], hasResources: false, era: 'legacy' } as const

test('cached tool definitions are used for one day', async () => {
  let now = DAY_MS
  const cache = new DefinitionCache(createFolder(), () => now)
  await cache.write('s', config, SERVER_OFFER)

  expect(await cache.read('s', config)).toMatchObject({ ...SERVER_OFFER, isFresh: true })
  now += DAY_MS
  expect(await cache.read('s', config)).toMatchObject({ ...SERVER_OFFER, isFresh: false })
  now = 0
  expect(await cache.read('s', config)).toMatchObject({ isFresh: false })
})

test('a server with a different command or environment has its own cache entry', async () => {
  const cache = new DefinitionCache(createFolder(), Date.now)
  await cache.write('s', config, SERVER_OFFER)

  expect(await cache.read('other', config)).toBeUndefined()
  expect(
    await cache.read('s', createConfiguredServer('s', { command: 'server', env: { TOKEN: 'x' } }).config),
  ).toBeUndefined()
})

test('only the owner can read cached tool definitions', async () => {
  const cache = new DefinitionCache(createFolder(), Date.now)
  await cache.write('s', config, SERVER_OFFER)

  const [file = ''] = readdirSync(folder ?? '')
  expect(statSync(join(folder ?? '', file)).mode & 0o777).toBe(0o600)
  expect(statSync(folder ?? '').mode & 0o777).toBe(0o700)
})

test('with more than a hundred servers, the least recently used servers are removed from the cache', async () => {
  let now = 1_000_000_000_000
  const cache = new DefinitionCache(createFolder(), () => now)
  for (let index = 0; index < 101; index++) {
    now += 1_000
    await cache.write(`s${index}`, config, SERVER_OFFER)
    await cache.read(`s${index}`, config)
    if (index === 99) await cache.read('s0', config)
  }

  expect(readdirSync(folder ?? '')).toHaveLength(100)
  expect(await cache.read('s0', config)).toBeDefined()
  expect(await cache.read('s1', config)).toBeUndefined()
})

test('invalid cache files and unwritable cache folders cause no error', async () => {
  const cache = new DefinitionCache(createFolder(), Date.now)
  await cache.write('s', config, SERVER_OFFER)
  const [file = ''] = readdirSync(folder ?? '')
  for (const content of ['{', '[]', '{"form":1,"savedAt":1,"tools":5}']) {
    writeFileSync(join(folder ?? '', file), content)
    expect(await cache.read('s', config)).toBeUndefined()
  }
  await new DefinitionCache(join(folder ?? '', file, 'below'), Date.now).write('s', config, SERVER_OFFER)
})
