import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FilesPort } from '../../contract/ports/files.js'
import type { ToolContext } from '../../contract/tool/tool.js'
import { createFiles } from '../../ports/files/create-files.js'
import { callTool } from '../../testing/call-tool.js'
import { GlobTool } from './tool.js'

let root: string
let cwd: string
let files: FilesPort

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'haft-glob-'))
  cwd = join(root, 'project')
  await mkdir(cwd)
  files = createFiles({ journalFolder: join(root, 'journal') })
})

afterEach(() => rm(root, { recursive: true }))

const glob = (pattern: string, path?: string) =>
  callTool(GlobTool, { pattern, ...(path !== undefined && { path }) }, { files, cwd })

let age = 0

/** Creates a file that is older than the previous one. */
async function put(name: string): Promise<void> {
  const path = join(cwd, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, name === '.gitignore' ? 'ignored\n' : '')
  age++
  await utimes(path, 1_000_000 - age, 1_000_000 - age)
}

describe('Glob in a small project', () => {
  beforeEach(async () => {
    for (const name of ['src/z.ts', 'src/deep/a.ts', 'top.ts', '.hidden/h.ts', 'ignored/i.ts', '.gitignore'])
      await put(name)
    await mkdir(join(root, 'other'))
    await writeFile(join(root, 'other/o.ts'), '')
  })

  test.each([
    ['**/*.ts', 'src/z.ts\nsrc/deep/a.ts\ntop.ts\n.hidden/h.ts'],
    ['src/**/*.ts', 'src/z.ts\nsrc/deep/a.ts'],
    ['src/*.ts', 'src/z.ts'],
    ['src/z.ts', 'src/z.ts'],
    ['src/{deep,none}/*', 'src/deep/a.ts'],
    ['[st]*/*.ts', 'src/z.ts'],
    ['ignored/*.ts', 'ignored/i.ts'],
  ])('with the pattern %s finds %j, newest first', async (pattern, foundPaths) => {
    expect(await glob(pattern)).toBe(foundPaths)
  })

  test('searches the requested path and shows files outside the working directory by absolute path', async () => {
    const otherPath = join(root, 'other/o.ts')
    expect(await glob('*.ts', 'src')).toContain('src/z.ts')
    expect(await glob('../other/*.ts')).toBe(otherPath)
    expect(await glob('*.ts', '../other')).toBe(otherPath)
    expect(await glob(`${root}/other/*.ts`)).toBe(otherPath)
    expect(await glob(`${root}/other/*.ts`, 'src')).toBe(otherPath)
    expect(await glob('../top.ts', 'src')).toBe('top.ts')
  })

  test('does not follow links out of the folder', async () => {
    await symlink('../../other', join(cwd, 'src/link'))
    expect(await glob('**/o.ts')).toContain('No file in')
  })

  test('explains an empty result and suggests what to try', async () => {
    expect(await glob('*.rs')).toBe(
      `No file in ${cwd} matches "*.rs". Ignored files were left out. Try a wider pattern, such as one that starts with "**/", or another path.`,
    )
    await expect(glob('*', 'nowhere')).rejects.toThrow(`nowhere does not exist. The working directory is ${cwd}.`)
  })
})

test('a search returns at most 100 files and the number of further files', async () => {
  for (let at = 0; at < 103; at++) await put(`${at}.txt`)
  const lines = (await glob('*.txt')).split('\n')
  expect(lines).toHaveLength(101)
  expect(lines[0]).toBe('0.txt')
  expect(lines.at(-1)).toBe('[3 more; narrow the pattern or the path to see them.]')
})

test('names with arbitrary bytes are shown and accepted in escaped form', async () => {
  await writeFile(Buffer.concat([Buffer.from(`${cwd}/a`), Buffer.of(0xff)]), '')
  await mkdir(Buffer.concat([Buffer.from(`${cwd}/d`), Buffer.of(0xfe)]))
  await writeFile(Buffer.concat([Buffer.from(`${cwd}/d`), Buffer.of(0xfe), Buffer.from('/x')]), '')
  expect((await glob('**/*')).split('\n').sort()).toEqual(['a\\xff', 'd\\xfe/x'])
  expect(await glob('*', 'd\\xfe')).toBe('d\\xfe/x')
})

test.each([
  ['!a', undefined],
  ['*/../x', undefined],
  ['a[', undefined],
  ['*', '//server/share'],
  ['\\\\server\\share\\*', undefined],
  ['//server/share/*', undefined],
])('the pattern %j in the path %j is refused before the disk is accessed', async (pattern, path) => {
  const unusableFiles = new Proxy(files, {
    get: () => {
      throw new Error('the disk was accessed')
    },
  })
  const input = { pattern, ...(path !== undefined && { path }) }
  await expect(callTool(GlobTool, input, { files: unusableFiles, cwd })).rejects.toMatchObject({
    code: 'input_refused',
  })
})

test.each([
  [{ pattern: '*.ts' }, './'],
  [{ pattern: 'src/*.ts' }, 'src/'],
  [{ pattern: '../x/*' }, '../x/'],
  [{ pattern: '/etc/*' }, '/etc/'],
  [{ pattern: '/etc/*', path: 'src' }, '/etc/'],
  [{ pattern: 'deep/*', path: 'src' }, 'src/deep/'],
  [{ pattern: '*', path: '/tmp' }, '/tmp/'],
  [{ pattern: '../*', path: 'src' }, 'src/../'],
])('a search for %j declares that it reads %s', (input, folder) => {
  expect(GlobTool.resources(input)).toEqual({ reads: [{ path: folder }] })
  expect(GlobTool.getPath(input)).toBe(folder)
})

test('Glob is read-only and concurrency-safe, and leaves permission to the rules', () => {
  expect([GlobTool.isReadOnly(), GlobTool.isConcurrencySafe()]).toEqual([true, true])
  expect(GlobTool.checkPermissions()).toEqual({ behavior: 'passthrough' })
  expect(GlobTool.maxResultSizeChars).toBe(100_000)
})

test('an interrupted search returns the files found so far', async () => {
  const interruption = new AbortController()
  const files = {
    globLimits: { maxResults: 100 },
    async glob() {
      interruption.abort()
      return { paths: ['/p/a.ts'], more: 0, isIncomplete: true }
    },
  }
  const context = { files, cwd: '/p', signal: interruption.signal } as unknown as ToolContext<'files'>

  await expect(GlobTool.call({ pattern: '*.ts' }, context)).rejects.toMatchObject({
    outputSoFar: 'a.ts\n[The search of /p was stopped before its end; there may be more files. Name a smaller folder.]',
  })
})
