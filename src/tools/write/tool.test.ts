import { chmod, rm, stat, symlink, utimes } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { callTool } from '../../testing/call-tool.js'
import { createTemporaryFiles, type TemporaryFiles } from '../../testing/files/temporary-files.js'
import { WriteTool } from './tool.js'

const write = (t: TemporaryFiles, content: string, file_path = 'a.txt') =>
  callTool(WriteTool, { file_path, content }, t)

test('Write creates a file with its folders, and the file counts as read', async () => {
  const t = await createTemporaryFiles()

  expect(await write(t, 'one\r\ntwo', 'x/y/a.txt')).toBe(`Created ${t.toPath('x/y/a.txt')}.`)
  expect(await t.readText('x/y/a.txt')).toBe('one\r\ntwo')
  expect(await write(t, 'three', 'x/y/a.txt')).toMatch(/^Replaced/)
})

test('Write replaces a file that was read, and says which line is new', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'one\ntwo\n')

  expect(await write(t, 'one\nzwei\n')).toBe(`Replaced ${t.toPath('a.txt')}, line 2.`)
  expect(await t.readText('a.txt')).toBe('one\nzwei\n')
})

describe('a file is replaced in its own format', () => {
  test.each([
    ['CRLF endings', 'a\r\nb\r\n', 'a\nc\nb\n', 'a\r\nc\r\nb\r\n', 'utf8'],
    ['mixed endings', 'a\nb\r\nc\n', 'a\nb\nx\nc\n', 'a\nb\r\nx\r\nc\n', 'utf8'],
    ['CRLF endings of the content, which are written as sent', 'a\nb\n', 'a\r\nb\r\n', 'a\r\nb\r\n', 'utf8'],
    ['a byte order mark', '\ufeffa\n', 'b\n', '\ufeffb\n', 'utf8'],
    ['a byte order mark that is also sent', '\ufeffa\n', '\ufeffb\n', '\ufeffb\n', 'utf8'],
    ['UTF-16LE', '\ufeffa\r\n', 'é\n', '\ufeffé\r\n', 'utf16le'],
    ['Latin-1', 'é\n', 'ü\n', 'ü\n', 'latin1'],
    ['content without a final newline', 'a\n', 'b', 'b', 'utf8'],
  ] as const)('with %s', async (_, contentBefore, content, contentAfter, encoding) => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', Buffer.from(contentBefore, encoding))

    await write(t, content)

    expect(await t.readBytes('a.txt')).toEqual(Buffer.from(contentAfter, encoding))
  })

  test('with its file mode', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'a')
    await chmod(t.toPath('a.txt'), 0o640)
    await write(t, 'b')
    expect((await stat(t.toPath('a.txt'))).mode & 0o777).toBe(0o640)
  })
})

describe('Write refuses to overwrite a path that', () => {
  test.each([
    ['was never read', async (t: TemporaryFiles) => t.put('a.txt', 'old'), /has not been read yet/],
    [
      'has been changed since it was read',
      async (t: TemporaryFiles) => {
        await t.putAndRead('a.txt', 'older')
        await t.put('a.txt', 'old')
      },
      /has been changed since/,
    ],
    [
      'has become a link since it was read',
      async (t: TemporaryFiles) => {
        await t.putAndRead('a.txt', 'older')
        await rm(t.toPath('a.txt'))
        await t.put('b.txt', 'old')
        await symlink('b.txt', t.toPath('a.txt'))
      },
      /became a link/,
    ],
  ])('%s', async (_, prepare, message) => {
    const t = await createTemporaryFiles()
    await prepare(t)
    await expect(write(t, 'new')).rejects.toThrow(message)
    expect(await t.readText('a.txt')).toBe('old')
  })

  test('was changed outside the part that was read', async () => {
    const t = await createTemporaryFiles()
    await t.put('a.txt', 'one\ntwo\n')
    await t.markFirstLineRead('a.txt')
    await t.put('a.txt', 'one\ntwo\nby the user\n')
    await utimes(t.toPath('a.txt'), 1, 1)

    await expect(write(t, 'new')).rejects.toThrow(/has been changed since/)
    expect(await t.readText('a.txt')).toBe('one\ntwo\nby the user\n')

    await t.markFirstLineRead('a.txt')
    expect(await write(t, 'new')).toMatch(/^Replaced/)
  })

  test('is a broken link', async () => {
    const t = await createTemporaryFiles()
    await symlink('nowhere', t.toPath('a.txt'))
    await expect(write(t, 'new')).rejects.toThrow(/is a broken symbolic link/)
  })

  test('is a folder', async () => {
    const t = await createTemporaryFiles()
    await t.put('a.txt/b', 'x')
    await expect(write(t, 'new')).rejects.toThrow(/is a folder/)
  })

  test('another program creates just before the write', async () => {
    const t = await createTemporaryFiles()
    const files = {
      ...t.files,
      async write(...args: Parameters<typeof t.files.write>) {
        await t.put('a.txt', 'by another program')
        return t.files.write(...args)
      },
    }
    await expect(callTool(WriteTool, { file_path: 'a.txt', content: 'b' }, { ...t, files })).rejects.toThrow(
      /already exists/,
    )
    expect(await t.readText('a.txt')).toBe('by another program')
  })
})

test('a placeholder instead of code is refused in an existing file', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'a\nb\nc\n')

  await expect(write(t, 'a\n# rest of file\n')).rejects.toThrow(/"# rest of file" instead of code/)
  expect(await t.readText('a.txt')).toBe('a\nb\nc\n')
})

test('a character that the encoding lacks is refused', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', Buffer.from('é', 'latin1'))
  await expect(write(t, '€')).rejects.toThrow(/Latin-1/)
})

test('Write declares that it reads and writes the file in its input', () => {
  expect(WriteTool.resources({ file_path: 'a', content: '' })).toEqual({
    reads: [{ path: 'a' }],
    writes: [{ path: 'a' }],
  })
})
