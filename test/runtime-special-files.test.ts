import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { CHANGING_CALLS, NOTEBOOK } from './lib/changing-calls.js'
import { type FileRuntime, fileRuntime } from './lib/file-runtime.js'

/** Every tool that takes a path, and how. */
const CALLS: readonly (readonly [tool: string, input: (path: string) => object])[] = [
  ...CHANGING_CALLS,
  ['Read', (file_path) => ({ file_path })],
  ['Grep', (path) => ({ pattern: 'o', path, output_mode: 'content' })],
  ['Glob', (path) => ({ pattern: '*', path })],
]
const denyingRuntime = () => fileRuntime({ ask: async () => ({ behavior: 'deny', message: 'not now' }) })

/** A file outside the project that shows whether it was read: its access time is older than its content. */
async function createSecret({ outside }: FileRuntime): Promise<string> {
  await mkdir(join(outside, 'vault'))
  const path = join(outside, 'vault/secret.ipynb')
  await writeFile(path, NOTEBOOK)
  await utimes(path, 1, 2)
  return path
}

describe.each(CALLS)('%s outside the project', (tool, input) => {
  const inputFor = (path: string, folder: string) => input(tool === 'Glob' ? folder : path)

  test.each([
    ['by ..', () => ['../vault/secret.ipynb', '../vault']],
    ['by its absolute path', (t: FileRuntime) => [join(t.outside, 'vault/secret.ipynb'), join(t.outside, 'vault')]],
    ['by a link to it', () => ['link.ipynb', 'folder']],
    ['through a linked folder', () => ['folder/secret.ipynb', 'folder/.']],
    ['through .. after a link', () => ['folder/../vault/secret.ipynb', 'folder/../vault']],
  ])('%s is not touched without approval', async (_, pathsOf) => {
    const t = await denyingRuntime()
    const secret = await createSecret(t)
    await symlink(secret, t.path('link.ipynb'))
    await symlink(join(t.outside, 'vault'), t.path('folder'))
    const [path = '', folder = ''] = pathsOf(t)

    const { text, isError } = await t.use(tool, inputFor(path, folder))

    expect([isError, text]).toEqual([true, expect.stringMatching(/not now/)])
    expect(text).not.toContain('nbformat')
    const { atimeMs, mtimeMs } = await stat(secret)
    expect([atimeMs, mtimeMs]).toEqual([1_000, 2_000])
    expect(await readdir(join(t.outside, 'vault'))).toEqual(['secret.ipynb'])
  })

  test.each(['//server/share/a.ipynb', '\\\\server\\share\\a.ipynb'])(
    'on a network share is refused before any access or question: %j',
    async (path) => {
      const inspectedPaths: string[] = []
      const look = (realPath: string) => {
        inspectedPaths.push(realPath)
        return { realPath, isFolder: false, isCaseInsensitive: false }
      }
      const t = await fileRuntime({ policy: { decisionPorts: { paths: { look } } } })

      const { text, isError } = await t.use(tool, input(path))

      expect([isError, text]).toEqual([true, expect.stringMatching(/is on a network share, which is never opened/)])
      expect([inspectedPaths, t.questions]).toEqual([[], []])
    },
  )
})

describe.each(CALLS)('%s on a path that is not a regular file ends after it is approved', (tool, input) => {
  test.each(['/dev/zero', '/dev/stdin', '/proc/self/mem', '/proc/kmsg'])('%s', async (path) => {
    const t = await fileRuntime()

    const { isError } = await t.use(tool, input(path))

    // A name without the notebook extension is refused earlier.
    expect(t.questions).toHaveLength(tool === 'NotebookEdit' ? 0 : 1)
    // For a file, Glob reports only that it exists.
    if (tool !== 'Glob') expect(isError).toBe(true)
  })

  test('a link to a device', async () => {
    const t = await fileRuntime()
    await symlink('/dev/zero', t.path('a.ipynb'))

    const { isError } = await t.use(tool, input('a.ipynb'))

    expect(t.questions).toHaveLength(1)
    expect(isError).toBe(true)
  })

  testWithProgram('mkfifo', 'coreutils')('a pipe', async () => {
    const t = await fileRuntime()
    execFileSync('mkfifo', [t.path('a.ipynb')])

    const { text, isError } = await t.use(tool, input('a.ipynb'))

    expect([isError, text]).toEqual([true, expect.stringMatching(/device, pipe or socket/)])
    expect((await stat(t.path('a.ipynb'))).isFIFO()).toBe(true)
  })
})

test.runIf(process.platform === 'linux')(
  'Write below a folder that cannot be created ends after it is approved',
  async () => {
    const t = await fileRuntime()

    const { isError } = await t.use('Write', { file_path: '/proc/nowhere/deep/a.txt', content: 'x' })

    expect([isError, t.questions.length]).toEqual([true, 1])
  },
)

test('a search of /proc is refused, except for a single file that ends', async () => {
  const t = await fileRuntime()

  expect((await t.use('Grep', { pattern: 'o', path: '/proc' })).text).toMatch(/could block or never end/)
  expect((await t.use('Grep', { pattern: 'o', path: '/proc/self/task' })).text).toMatch(/could block or never end/)
  expect((await t.use('Grep', { pattern: 'processor', path: '/proc/cpuinfo' })).isError).toBe(false)
})

testWithProgram('mkfifo', 'coreutils')('a search skips pipes and links to devices', async () => {
  const t = await fileRuntime()
  await t.put('a.txt', 'one\n')
  execFileSync('mkfifo', [t.path('pipe')])
  await symlink('/dev/zero', t.path('zero'))

  expect((await t.use('Grep', { pattern: 'one' })).text).toBe('a.txt')
  expect((await t.use('Glob', { pattern: '*.txt' })).text).toBe('a.txt')
  expect(await readFile(t.path('a.txt'), 'utf8')).toBe('one\n')
})
