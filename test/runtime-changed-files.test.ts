import { chmod, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mountFor, needsMount, testMount } from '../src/testing/files/mounts.js'
import { CHANGING_CALLS, NOTEBOOK } from './lib/changing-calls.js'
import { type FileRuntime, fileRuntime } from './lib/file-runtime.js'

const NAME = 'a.ipynb'
const USER_CONTENT = NOTEBOOK.replace('one', 'by the user')

async function runtimeAfterRead(name = NAME): Promise<FileRuntime> {
  const t = await fileRuntime()
  await t.put(name, NOTEBOOK)
  expect((await t.use('Read', { file_path: name })).isError).toBe(false)
  return t
}

describe.each(CHANGING_CALLS)('%s', (tool, input) => {
  test('changes a file that is unchanged since it was read', async () => {
    const t = await runtimeAfterRead()

    expect(await t.use(tool, input(NAME))).toMatchObject({ isError: false })
    expect(JSON.parse(await t.text(NAME)).cells[0].source).toContain('two')
  })

  test('refuses a file that was changed since', async () => {
    const t = await runtimeAfterRead()
    await t.put(NAME, USER_CONTENT)

    const { text, isError } = await t.use(tool, input(NAME))

    expect([isError, text]).toEqual([true, expect.stringMatching(/was changed since you read it.*Read it again/)])
    expect(await t.text(NAME)).toBe(USER_CONTENT)
  })

  test('refuses a file that was changed while the user was asked', async () => {
    const t = await runtimeAfterRead('x')
    await mkdir(join(t.outside, 'other'))
    const path = join(t.outside, 'other', NAME)
    await writeFile(path, NOTEBOOK)
    await t.use('Read', { file_path: path })
    t.whileAsked = () => writeFile(path, USER_CONTENT)

    const { text, isError } = await t.use(tool, input(path))

    expect([isError, text]).toEqual([true, expect.stringMatching(/was changed since you read it/)])
    expect(await readFile(path, 'utf8')).toBe(USER_CONTENT)
  })

  test('refuses a file that was replaced by a link, and does not follow the link', async () => {
    const t = await runtimeAfterRead()
    await t.put('other.ipynb', NOTEBOOK)
    await rm(t.path(NAME))
    await symlink('other.ipynb', t.path(NAME))

    const { text, isError } = await t.use(tool, input(NAME))

    expect([isError, text]).toEqual([true, expect.stringMatching(/became a link to .*Read it again/)])
    expect([await t.text('other.ipynb'), await readlink(t.path(NAME))]).toEqual([NOTEBOOK, 'other.ipynb'])
  })

  test('asks before it follows a link out of the project, and then refuses it', async () => {
    const t = await runtimeAfterRead()
    const secret = join(t.outside, 'secret.ipynb')
    await writeFile(secret, NOTEBOOK)
    await rm(t.path(NAME))
    await symlink(secret, t.path(NAME))

    const { text, isError } = await t.use(tool, input(NAME))

    expect(t.questions).toHaveLength(1)
    expect([isError, text]).toEqual([true, expect.stringMatching(/became a link to /)])
    expect(await readFile(secret, 'utf8')).toBe(NOTEBOOK)
  })

  test('does not change a file that is replaced by a link while the user is asked', async () => {
    const t = await runtimeAfterRead('x')
    const path = join(t.outside, NAME)
    const target = join(t.outside, 'target.ipynb')
    for (const each of [path, target]) await writeFile(each, NOTEBOOK)
    await t.use('Read', { file_path: path })
    t.whileAsked = async () => {
      await rm(path)
      await symlink(target, path)
    }

    expect((await t.use(tool, input(path))).isError).toBe(true)
    expect(await readFile(target, 'utf8')).toBe(NOTEBOOK)
  })

  testMount(`keeps the old file on a full disk and leaves no temporary file${needsMount}`, async () => {
    const t = await fileRuntime()
    const small = t.path('small')
    await mkdir(small)
    mountFor(['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small], small)
    const name = join('small', NAME)
    await t.put(name, NOTEBOOK)
    await t.use('Read', { file_path: name })

    const { text, isError } = await t.use(tool, input(name, 'x'.repeat(200_000)))

    expect([isError, text]).toEqual([true, expect.stringMatching(/The disk of .* is full; nothing was changed/)])
    expect(await t.text(name)).toBe(NOTEBOOK)
    expect(await readdir(small)).toEqual([NAME])
  })

  testMount(`keeps the old file on a read-only file system${needsMount}`, async () => {
    const t = await runtimeAfterRead(join('readOnlyFolder', NAME))
    const readOnlyFolder = t.path('readOnlyFolder')
    mountFor(['--bind', '-o', 'ro', readOnlyFolder, readOnlyFolder], readOnlyFolder)
    const name = join('readOnlyFolder', NAME)

    const { text, isError } = await t.use(tool, input(name))

    expect([isError, text]).toEqual([true, expect.stringMatching(/on a file system that cannot be written to/)])
    expect(await t.text(name)).toBe(NOTEBOOK)
  })

  test('keeps the old file if permissions are missing', async () => {
    const t = await runtimeAfterRead(join('closed', NAME))
    const name = join('closed', NAME)
    await chmod(t.outside, 0o755)
    await chmod(t.path('closed'), 0o555)
    onTestFinished(() => chmod(t.path('closed'), 0o755))

    const { text, isError } = await asNobody(() => t.use(tool, input(name)))

    expect([isError, text]).toEqual([true, expect.stringMatching(/There is no permission to access or change /)])
    expect(await t.text(name)).toBe(NOTEBOOK)
    expect(await readdir(t.path('closed'))).toEqual([NAME])
  })
})

describe.each(CHANGING_CALLS.filter(([tool]) => tool !== 'Write'))('%s', (tool, input) => {
  test('reports that a file was deleted since, and does not recreate it', async () => {
    const t = await runtimeAfterRead()
    await rm(t.path(NAME))

    const { text, isError } = await t.use(tool, input(NAME))

    expect([isError, text]).toEqual([true, expect.stringMatching(/was deleted since you read it/)])
    expect(await readdir(t.cwd)).toEqual([])
  })
})

test('Write recreates a file that was deleted since, because it has the complete content', async () => {
  const t = await runtimeAfterRead()
  await rm(t.path(NAME))

  expect((await t.use('Write', { file_path: NAME, content: 'new' })).text).toMatch(/^Created/)
  expect(await t.text(NAME)).toBe('new')
})

test('a patch changes nothing if one of its files was changed since', async () => {
  const t = await runtimeAfterRead('a.txt')
  await t.put('b.txt', 'one\n')
  await t.use('Read', { file_path: 'b.txt' })
  await t.put('b.txt', 'one\nby the user\n')
  const section = (name: string) => `*** Update File: ${name}\n-${name === 'a.txt' ? ' "nbformat": 4,' : 'one'}\n+two\n`

  const { isError } = await t.use('ApplyPatch', {
    patch: `*** Begin Patch\n*** Add File: new.txt\n+new\n${section('a.txt')}${section('b.txt')}*** End Patch`,
  })

  expect(isError).toBe(true)
  expect([await t.text('a.txt'), await t.text('b.txt')]).toEqual([NOTEBOOK, 'one\nby the user\n'])
  expect((await readdir(t.cwd)).sort()).toEqual(['a.txt', 'b.txt'])
})

/** Root has every permission, so the process temporarily becomes another user. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act()
  process.setegid?.(65534)
  process.seteuid?.(65534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}
