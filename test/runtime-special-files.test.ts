import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { CHANGING_CALLS, NOTEBOOK } from './lib/changing-calls.js'
import { createFileRuntime, type FileRuntime } from './lib/file-runtime.js'

/** Every tool that accepts a path, and its input for a path. */
const CALLS: readonly (readonly [tool: string, input: (path: string) => object])[] = [
  ...CHANGING_CALLS,
  ['Read', (file_path) => ({ file_path })],
  ['Grep', (path) => ({ pattern: 'o', path, output_mode: 'content' })],
  ['Glob', (path) => ({ pattern: '*', path })],
]
const createDenyingRuntime = () => createFileRuntime({ ask: async () => ({ behavior: 'deny', message: 'not now' }) })

/** A file outside the project whose access time shows whether it was read: it is older than the modification time, so that a read updates it. */
async function createSecret({ outsideFolder }: FileRuntime): Promise<string> {
  await mkdir(join(outsideFolder, 'vault'))
  const path = join(outsideFolder, 'vault/secret.ipynb')
  await writeFile(path, NOTEBOOK)
  await utimes(path, 1, 2)
  return path
}

describe.each(CALLS)('%s outside the project', (tool, input) => {
  const createInput = (path: string, folder: string) => input(tool === 'Glob' ? folder : path)

  test.each([
    ['by ..', () => ['../vault/secret.ipynb', '../vault']],
    [
      'by its absolute path',
      (files: FileRuntime) => [join(files.outsideFolder, 'vault/secret.ipynb'), join(files.outsideFolder, 'vault')],
    ],
    ['by a link to it', () => ['link.ipynb', 'folder']],
    ['through a linked folder', () => ['folder/secret.ipynb', 'folder/.']],
    ['through .. after a link', () => ['folder/../vault/secret.ipynb', 'folder/../vault']],
  ])('%s does not touch the file without approval', async (_, listPaths) => {
    const files = await createDenyingRuntime()
    const secret = await createSecret(files)
    await symlink(secret, files.toPath('link.ipynb'))
    await symlink(join(files.outsideFolder, 'vault'), files.toPath('folder'))
    const [path = '', folder = ''] = listPaths(files)

    const { text, isError } = await files.use(tool, createInput(path, folder))

    expect([isError, text]).toEqual([true, expect.stringMatching(/not now/)])
    expect(text).not.toContain('nbformat')
    const { atimeMs, mtimeMs } = await stat(secret)
    expect([atimeMs, mtimeMs]).toEqual([1_000, 2_000])
    expect(await readdir(join(files.outsideFolder, 'vault'))).toEqual(['secret.ipynb'])
  })

  test.each(['//server/share/a.ipynb', '\\\\server\\share\\a.ipynb'])(
    'on a network share is refused before any access or question: %j',
    async (path) => {
      const inspectedPaths: string[] = []
      const look = (realPath: string) => {
        inspectedPaths.push(realPath)
        return { realPath, isFolder: false, isCaseInsensitive: false }
      }
      const files = await createFileRuntime({ policy: { decisionPorts: { paths: { look } } } })

      const { text, isError } = await files.use(tool, input(path))

      expect([isError, text]).toEqual([true, expect.stringMatching(/is on a network share, which is never opened/)])
      expect([inspectedPaths, files.questions]).toEqual([[], []])
    },
  )
})

describe.each(CALLS)('%s on a path that is not a regular file ends after it is approved', (tool, input) => {
  test.each(['/dev/zero', '/dev/stdin', '/proc/self/mem', '/proc/kmsg'])('if the path is %s', async (path) => {
    const files = await createFileRuntime()

    const { isError } = await files.use(tool, input(path))

    // A name without the notebook extension is refused earlier.
    expect(files.questions).toHaveLength(tool === 'NotebookEdit' ? 0 : 1)
    // For a file, Glob reports only that it exists.
    if (tool !== 'Glob') expect(isError).toBe(true)
  })

  test('if the path is a link to a device', async () => {
    const files = await createFileRuntime()
    await symlink('/dev/zero', files.toPath('a.ipynb'))

    const { isError } = await files.use(tool, input('a.ipynb'))

    expect(files.questions).toHaveLength(1)
    expect(isError).toBe(true)
  })

  testWithProgram('mkfifo', 'coreutils')('if the path is a pipe', async () => {
    const files = await createFileRuntime()
    execFileSync('mkfifo', [files.toPath('a.ipynb')])

    const { text, isError } = await files.use(tool, input('a.ipynb'))

    expect([isError, text]).toEqual([true, expect.stringMatching(/device, pipe or socket/)])
    expect((await stat(files.toPath('a.ipynb'))).isFIFO()).toBe(true)
  })
})

test.runIf(process.platform === 'linux')(
  'Write below a folder that cannot be created ends after it is approved',
  async () => {
    const files = await createFileRuntime()

    const { isError } = await files.use('Write', { file_path: '/proc/nowhere/deep/a.txt', content: 'x' })

    expect([isError, files.questions.length]).toEqual([true, 1])
  },
)

test('a search of /proc is refused, except for a single file that ends', async () => {
  const files = await createFileRuntime()

  expect((await files.use('Grep', { pattern: 'o', path: '/proc' })).text).toMatch(/could block or never end/)
  expect((await files.use('Grep', { pattern: 'o', path: '/proc/self/task' })).text).toMatch(/could block or never end/)
  expect((await files.use('Grep', { pattern: 'processor', path: '/proc/cpuinfo' })).isError).toBe(false)
})

testWithProgram('mkfifo', 'coreutils')('a search skips pipes and links to devices', async () => {
  const files = await createFileRuntime()
  await files.put('a.txt', 'one\n')
  execFileSync('mkfifo', [files.toPath('pipe')])
  await symlink('/dev/zero', files.toPath('zero'))

  expect((await files.use('Grep', { pattern: 'one' })).text).toBe('a.txt')
  expect((await files.use('Glob', { pattern: '*.txt' })).text).toBe('a.txt')
  expect(await readFile(files.toPath('a.txt'), 'utf8')).toBe('one\n')
})
