import { chmod, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mountUntilTestEnd, needsMount, testMount } from '../src/testing/files/mounts.js'
import { CHANGING_CALLS, NOTEBOOK } from './lib/changing-calls.js'
import { createFileRuntime, type FileRuntime } from './lib/file-runtime.js'

const FILE_NAME = 'a.ipynb'
const USER_CONTENT = NOTEBOOK.replace('one', 'by the user')

async function createRuntimeAfterRead(name = FILE_NAME): Promise<FileRuntime> {
  const files = await createFileRuntime()
  await files.put(name, NOTEBOOK)
  expect((await files.use('Read', { file_path: name })).isError).toBe(false)
  return files
}

describe.each(CHANGING_CALLS)('%s', (tool, input) => {
  test('changes a file that is unchanged since it was read', async () => {
    const files = await createRuntimeAfterRead()

    expect(await files.use(tool, input(FILE_NAME))).toMatchObject({ isError: false })
    expect(JSON.parse(await files.readText(FILE_NAME)).cells[0].source).toContain('two')
  })

  test('refuses a file that has been changed since it was read', async () => {
    const files = await createRuntimeAfterRead()
    await files.put(FILE_NAME, USER_CONTENT)

    const { text, isError } = await files.use(tool, input(FILE_NAME))

    expect([isError, text]).toEqual([true, expect.stringMatching(/has been changed since you read it.*Read it again/)])
    expect(await files.readText(FILE_NAME)).toBe(USER_CONTENT)
  })

  test('refuses a file that was changed while the user was asked', async () => {
    const files = await createRuntimeAfterRead('x')
    await mkdir(join(files.outsideFolder, 'other'))
    const path = join(files.outsideFolder, 'other', FILE_NAME)
    await writeFile(path, NOTEBOOK)
    await files.use('Read', { file_path: path })
    files.runWhileAsked = () => writeFile(path, USER_CONTENT)

    const { text, isError } = await files.use(tool, input(path))

    expect([isError, text]).toEqual([true, expect.stringMatching(/has been changed since you read it/)])
    expect(await readFile(path, 'utf8')).toBe(USER_CONTENT)
  })

  test('refuses a file that was replaced by a link, and does not follow the link', async () => {
    const files = await createRuntimeAfterRead()
    await files.put('other.ipynb', NOTEBOOK)
    await rm(files.toPath(FILE_NAME))
    await symlink('other.ipynb', files.toPath(FILE_NAME))

    const { text, isError } = await files.use(tool, input(FILE_NAME))

    expect([isError, text]).toEqual([true, expect.stringMatching(/became a link to .*Read it again/)])
    expect([await files.readText('other.ipynb'), await readlink(files.toPath(FILE_NAME))]).toEqual([
      NOTEBOOK,
      'other.ipynb',
    ])
  })

  test('asks before it follows a link out of the project, and then refuses it', async () => {
    const files = await createRuntimeAfterRead()
    const secret = join(files.outsideFolder, 'secret.ipynb')
    await writeFile(secret, NOTEBOOK)
    await rm(files.toPath(FILE_NAME))
    await symlink(secret, files.toPath(FILE_NAME))

    const { text, isError } = await files.use(tool, input(FILE_NAME))

    expect(files.questions).toHaveLength(1)
    expect([isError, text]).toEqual([true, expect.stringMatching(/became a link to /)])
    expect(await readFile(secret, 'utf8')).toBe(NOTEBOOK)
  })

  test('does not change a file that is replaced by a link while the user is asked', async () => {
    const files = await createRuntimeAfterRead('x')
    const path = join(files.outsideFolder, FILE_NAME)
    const target = join(files.outsideFolder, 'target.ipynb')
    for (const file of [path, target]) await writeFile(file, NOTEBOOK)
    await files.use('Read', { file_path: path })
    files.runWhileAsked = async () => {
      await rm(path)
      await symlink(target, path)
    }

    expect((await files.use(tool, input(path))).isError).toBe(true)
    expect(await readFile(target, 'utf8')).toBe(NOTEBOOK)
  })

  testMount(`keeps the old file on a full disk and leaves no temporary file${needsMount}`, async () => {
    const files = await createFileRuntime()
    const smallDisk = files.toPath('small')
    await mkdir(smallDisk)
    mountUntilTestEnd(['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', smallDisk], smallDisk)
    const name = join('small', FILE_NAME)
    await files.put(name, NOTEBOOK)
    await files.use('Read', { file_path: name })

    const { text, isError } = await files.use(tool, input(name, 'x'.repeat(200_000)))

    expect([isError, text]).toEqual([true, expect.stringMatching(/The disk of .* is full; nothing was changed/)])
    expect(await files.readText(name)).toBe(NOTEBOOK)
    expect(await readdir(smallDisk)).toEqual([FILE_NAME])
  })

  testMount(`keeps the old file on a read-only file system${needsMount}`, async () => {
    const files = await createRuntimeAfterRead(join('readOnlyFolder', FILE_NAME))
    const readOnlyFolder = files.toPath('readOnlyFolder')
    mountUntilTestEnd(['--bind', '-o', 'ro', readOnlyFolder, readOnlyFolder], readOnlyFolder)
    const name = join('readOnlyFolder', FILE_NAME)

    const { text, isError } = await files.use(tool, input(name))

    expect([isError, text]).toEqual([true, expect.stringMatching(/on a file system that cannot be written to/)])
    expect(await files.readText(name)).toBe(NOTEBOOK)
  })

  test('keeps the old file if permissions are missing', async () => {
    const files = await createRuntimeAfterRead(join('closed', FILE_NAME))
    const name = join('closed', FILE_NAME)
    await chmod(files.outsideFolder, 0o755)
    await chmod(files.toPath('closed'), 0o555)
    onTestFinished(() => chmod(files.toPath('closed'), 0o755))

    const { text, isError } = await runAsNobody(() => files.use(tool, input(name)))

    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/Permission denied: .+ cannot be accessed or changed\./),
    ])
    expect(await files.readText(name)).toBe(NOTEBOOK)
    expect(await readdir(files.toPath('closed'))).toEqual([FILE_NAME])
  })
})

describe.each(CHANGING_CALLS.filter(([tool]) => tool !== 'Write'))('%s', (tool, input) => {
  test('reports that a file has been deleted since it was read, and does not recreate it', async () => {
    const files = await createRuntimeAfterRead()
    await rm(files.toPath(FILE_NAME))

    const { text, isError } = await files.use(tool, input(FILE_NAME))

    expect([isError, text]).toEqual([true, expect.stringMatching(/has been deleted since you read it/)])
    expect(await readdir(files.cwd)).toEqual([])
  })
})

test('Write recreates a file that has been deleted since it was read, because it has the complete content', async () => {
  const files = await createRuntimeAfterRead()
  await rm(files.toPath(FILE_NAME))

  expect((await files.use('Write', { file_path: FILE_NAME, content: 'new' })).text).toMatch(/^Created/)
  expect(await files.readText(FILE_NAME)).toBe('new')
})

test('a patch changes nothing if one of its files has been changed since it was read', async () => {
  const files = await createRuntimeAfterRead('a.txt')
  await files.put('b.txt', 'one\n')
  await files.use('Read', { file_path: 'b.txt' })
  await files.put('b.txt', 'one\nby the user\n')
  const createSection = (name: string) =>
    `*** Update File: ${name}\n-${name === 'a.txt' ? ' "nbformat": 4,' : 'one'}\n+two\n`

  const { isError } = await files.use('ApplyPatch', {
    patch: `*** Begin Patch\n*** Add File: new.txt\n+new\n${createSection('a.txt')}${createSection('b.txt')}*** End Patch`,
  })

  expect(isError).toBe(true)
  expect([await files.readText('a.txt'), await files.readText('b.txt')]).toEqual([NOTEBOOK, 'one\nby the user\n'])
  expect((await readdir(files.cwd)).sort()).toEqual(['a.txt', 'b.txt'])
})

/** Root has every permission, so the process temporarily becomes another user. */
async function runAsNobody<T>(action: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return action()
  process.setegid?.(65534)
  process.seteuid?.(65534)
  try {
    return await action()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}
