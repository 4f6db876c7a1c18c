import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const bin = resolve('bin/haft')
const CACHE_VERSION = `${process.version}-${process.arch}`

async function createCacheFixture() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-kept-code-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const home = join(folder, 'home')
  await mkdir(home)
  const cacheFolder = join(home, '.haft/cache/code', CACHE_VERSION)
  return {
    folder,
    kept: cacheFolder,
    async runHaft(args: readonly string[], variables: NodeJS.ProcessEnv = {}) {
      const env = { PATH: process.env.PATH, HOME: home, ...variables }
      const run = promisify(execFile)(process.execPath, [bin, ...args], { cwd: folder, env })
      run.child.stdin?.end()
      return (await run).stdout
    },
    async listParts() {
      const names = (await readdir(cacheFolder)).filter((name) => name.endsWith('.cjs')).sort()
      return Promise.all(names.map(async (name) => ({ name, ...(await readFileStats(join(cacheFolder, name))) })))
    },
  }
}

async function readFileStats(file: string) {
  const { mtimeMs, size } = await stat(file)
  return { mtimeMs, size }
}

test('compiled code is cached once, readable by the user only', async () => {
  const { runHaft, listParts, kept } = await createCacheFixture()
  const first = await runHaft(['tools', '--json'])
  const firstParts = await listParts()
  const laterOutputs = [await runHaft(['tools', '--json']), await runHaft(['tools', '--json'])]

  expect(firstParts.length).toBeGreaterThan(0)
  expect(await listParts()).toEqual(firstParts)
  expect(laterOutputs).toEqual([first, first])
  expect((await stat(kept)).mode & 0o077).toBe(0)
})

test('a run that loads more code extends the cache', async () => {
  const { runHaft, listParts, folder } = await createCacheFixture()
  await writeFile(join(folder, 'text.json'), JSON.stringify(['Hello.']))
  const readTurn = { calls: [{ name: 'Read', input: { file_path: join(folder, 'text.json') } }] }
  await writeFile(join(folder, 'read.json'), JSON.stringify([readTurn, 'Hello again.']))
  const measureSize = async (name: string) => (await listParts()).find((file) => file.name.startsWith(name))?.size ?? 0

  await runHaft(['-p', 'Hello?', '--model', `scripted:${join(folder, 'text.json')}`])
  const sizeBefore = await measureSize('commands')
  const answer = await runHaft(['-p', 'Hello?', '--model', `scripted:${join(folder, 'read.json')}`])

  expect(answer).toContain('Hello again.')
  expect(await measureSize('commands')).toBeGreaterThan(sizeBefore)
})

test('a corrupt cache is rebuilt', async () => {
  const { runHaft, listParts, kept } = await createCacheFixture()
  const first = await runHaft(['tools', '--json'])
  const [part] = await listParts()
  const file = join(kept, part?.name ?? '')
  const validContent = await readFile(file)
  const damagedContent = Buffer.from(validContent).fill(0, validContent.length / 2, validContent.length / 2 + 200)
  const zeroedContent = Buffer.alloc(validContent.length)
  for (const corruptContent of [
    Buffer.from('rubbish'),
    Buffer.alloc(0),
    validContent.subarray(0, 100),
    damagedContent,
    zeroedContent,
  ]) {
    await writeFile(file, corruptContent)
    expect(await runHaft(['tools', '--json'])).toBe(first)
    const rebuiltContent = await readFile(file)
    expect(rebuiltContent).not.toEqual(corruptContent)
    // The size of V8's data varies by a few bytes. The file contains it twice.
    expect(Math.abs(rebuiltContent.length - validContent.length)).toBeLessThan(validContent.length / 100)
    expect(
      rebuiltContent.subarray(0, rebuiltContent.length / 2).equals(rebuiltContent.subarray(rebuiltContent.length / 2)),
    ).toBe(true)
  }
})

test('nothing is cached in a folder that others can write to, nor in the current directory', async () => {
  const { runHaft, folder, kept } = await createCacheFixture()
  const sharedFolder = join(kept, '..')
  await mkdir(sharedFolder, { recursive: true })
  await chmod(sharedFolder, 0o777)
  await runHaft(['tools', '--json'])
  expect(await readdir(sharedFolder)).toEqual([])

  for (const HOME of ['', '.']) await runHaft(['tools', '--json'], { HOME })
  expect(await readdir(folder)).toEqual(['home'])
})

test('haft runs when it is started through a link, whichever path Node reports', async () => {
  const { folder } = await createCacheFixture()
  await symlink(resolve('.'), join(folder, 'link'))
  const linkedBin = join(folder, 'link/bin/haft')
  for (const options of [[], ['--preserve-symlinks-main'], ['--preserve-symlinks', '--preserve-symlinks-main']]) {
    const { stdout } = await promisify(execFile)(process.execPath, [...options, linkedBin, 'tools', '--json'])
    expect(JSON.parse(stdout)).not.toEqual([])
  }
})

test('code from the cache can still import modules of the user', async () => {
  const { runHaft, folder } = await createCacheFixture()
  await writeFile(join(folder, 'script.mjs'), `export const script = ['From a module.']`)
  for (let time = 0; time < 2; time++) {
    const answer = await runHaft(['-p', 'Hello?', '--model', `scripted:${join(folder, 'script.mjs')}`])
    expect(answer).toContain('From a module.')
  }
})

test('sizes that an older version recorded in the cache are replaced', async () => {
  const { runHaft, listParts, kept } = await createCacheFixture()
  await runHaft(['tools', '--json'])
  const [part] = await listParts()
  // Every file contains its content twice.
  await writeFile(join(kept, 'sizes'), '900000000 900000000'.repeat(2))
  await rm(join(kept, part?.name ?? ''))
  await runHaft(['tools', '--json'])

  expect(await readFile(join(kept, 'sizes'), 'latin1')).toMatch(/^(\d{5,8} \d{5,8})\1$/)
})

test('the bundle contains no character that would double the size of its text in memory', async () => {
  const folder = resolve('dist/cli/parts')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.cjs'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name))))

  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((_, index) => texts[index]?.some((byte) => byte > 127))).toEqual([])
})
