import { chmod, readdir, rm, stat, symlink } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { FilesPort } from '../../contract/ports/files.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { callTool } from '../../testing/call-tool.js'
import { createTemporaryFiles, type TemporaryFiles } from '../../testing/files/temporary-files.js'
import { EditTool } from './tool.js'

const edit = (t: TemporaryFiles, old_string: string, new_string: string, options: object = {}) =>
  callTool(EditTool, { file_path: 'a.txt', old_string, new_string, ...options }, t)

test('Edit changes the only match and says which line it is', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'one\ntwo\nthree\n')

  expect(await edit(t, 'two', 'zwei')).toBe(`Changed ${t.toPath('a.txt')}, line 2.`)
  expect(await t.readText('a.txt')).toBe('one\nzwei\nthree\n')
})

test('several edits need only one read', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'one\n')

  await edit(t, 'one', 'two')
  await edit(t, 'two', 'three')

  expect(await t.readText('a.txt')).toBe('three\n')
})

test('a cancelled edit writes nothing', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'one\n')
  const controller = new AbortController()
  const files: FilesPort = {
    ...t.files,
    async read(...args) {
      const file = await t.files.read(...args)
      controller.abort()
      return file
    },
  }

  const pendingEdit = callTool(
    EditTool,
    { file_path: 'a.txt', old_string: 'one', new_string: 'two' },
    { ...t, files, signal: controller.signal },
  )

  await expect(pendingEdit).rejects.toThrow('aborted')
  expect(await t.readText('a.txt')).toBe('one\n')
})

test('replace_all changes and counts every match', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'x x\nx\n')

  expect(await edit(t, 'x', 'y', { replace_all: true })).toBe(`Changed ${t.toPath('a.txt')} in 3 places, lines 1-2.`)
  expect(await t.readText('a.txt')).toBe('y y\ny\n')
})

test('the result names the looser strategy that found the text', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', '\tif (a) {\n\t\tb()\n\t}\n')

  const text = await edit(t, '    if (a) {\n        b()\n    }', '    if (a) {\n        c()\n    }')

  expect(text).toBe(
    `Changed ${t.toPath('a.txt')}, line 2.\nThe old text was not found exactly; it has one match if indentation is ignored.\n2\t\t\tc()`,
  )
  expect(await t.readText('a.txt')).toBe('\tif (a) {\n\t\tc()\n\t}\n')
})

describe('an edit keeps', () => {
  test.each([
    ['UTF-8 with a byte order mark and CRLF', '\ufeffa\r\nb\r\n', 'utf8'],
    ['UTF-16LE', '\ufeffa\nb\r\n', 'utf16le'],
    ['Latin-1', 'é\r\na\nb\r\n', 'latin1'],
  ] as const)('%s', async (_, content, encoding) => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', Buffer.from(content, encoding))

    await edit(t, 'b', 'b\nü')

    expect(await t.readBytes('a.txt')).toEqual(Buffer.from(content.replace('b', 'b\r\nü'), encoding))
  })

  test('the file mode', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'a')
    await chmod(t.toPath('a.txt'), 0o751)

    await edit(t, 'a', 'b')

    expect((await stat(t.toPath('a.txt'))).mode & 0o777).toBe(0o751)
  })
})

test('a character that the encoding lacks is refused', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', Buffer.from('caf\xe9', 'latin1'))

  await expect(edit(t, 'caf', '€')).rejects.toThrow(/Latin-1/)
  expect(await t.readBytes('a.txt')).toEqual(Buffer.from('caf\xe9', 'latin1'))
})

describe('the check that a file was read', () => {
  test('refuses an edit if the file was never read', async () => {
    const t = await createTemporaryFiles()
    await t.put('a.txt', 'a')
    await expect(edit(t, 'a', 'b')).rejects.toThrow(/has not been read yet\. Read it before/)
    expect(await t.readText('a.txt')).toBe('a')
  })

  test('refuses an edit if the file does not exist', async () => {
    const t = await createTemporaryFiles()
    await expect(edit(t, 'a', 'b')).rejects.toThrow(/does not exist\. Check the path/)
  })

  test('refuses an edit if the file has been changed since it was read', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'a')
    await t.put('a.txt', 'a, and more')
    await expect(edit(t, 'a', 'b')).rejects.toThrow(/has been changed since you read it.*Read it again/)
    expect(await t.readText('a.txt')).toBe('a, and more')
  })

  test('refuses an edit if the file has been changed since the last edit', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'one\ntwo\n')
    await edit(t, 'one', 'eins')
    await t.put('a.txt', 'eins\nTWO\n')

    await expect(edit(t, 'eins', 'one')).rejects.toThrow(/has been changed since you read it/)
    expect(await t.readText('a.txt')).toBe('eins\nTWO\n')
  })

  test('refuses an edit if the file has been deleted since it was read', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'a')
    await rm(t.toPath('a.txt'))
    await expect(edit(t, 'a', 'b')).rejects.toThrow(/has been deleted since you read it/)
    expect(await readdir(t.cwd)).toEqual([])
  })

  test('refuses an edit if the file has become a link since it was read', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'a')
    await t.put('other.txt', 'a')
    await rm(t.toPath('a.txt'))
    await symlink('other.txt', t.toPath('a.txt'))
    await expect(edit(t, 'a', 'b')).rejects.toThrow(/became a link to .*other\.txt after you read it/)
    expect(await t.readText('other.txt')).toBe('a')
  })

  test('refuses an edit if the file changes between the check and the write', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'a')
    const files = {
      ...t.files,
      async write(...args: Parameters<typeof t.files.write>) {
        await t.put('a.txt', 'a by another program')
        return t.files.write(...args)
      },
    }
    await expect(
      callTool(EditTool, { file_path: 'a.txt', old_string: 'a', new_string: 'b' }, { ...t, files }),
    ).rejects.toThrow(/changed in the meantime/)
    expect(await t.readText('a.txt')).toBe('a by another program')
  })

  test('allows an edit if the file changed only outside the part that was read', async () => {
    const t = await createTemporaryFiles()
    await t.put('a.txt', 'one\ntwo\n')
    const chunk = Buffer.from('one\n')
    t.files.readFileState.set(t.toPath('a.txt'), {
      contentHash: computeContentHash(chunk),
      mtimeMs: 0,
      range: { offset: 1, limit: 1 },
      bytes: { start: 0, end: chunk.length },
    })
    await t.put('a.txt', 'one\nTWO\n')

    await edit(t, 'one', 'eins')

    expect(await t.readText('a.txt')).toBe('eins\nTWO\n')
    expect(t.files.readFileState.get(t.toPath('a.txt'))).toEqual({
      contentHash: computeContentHash(Buffer.from('eins\n')),
      mtimeMs: 0,
      range: { offset: 1, limit: 1 },
      bytes: { start: 0, end: 5 },
    })
    await t.put('a.txt', 'eins\nZWEI\n')
    await edit(t, 'eins', 'one')
    expect(await t.readText('a.txt')).toBe('one\nZWEI\n')
    await t.put('a.txt', 'ONE\nTWO\n')
    await expect(edit(t, 'ONE', 'x')).rejects.toThrow(/has been changed since/)
  })
})

describe('an edit without a unique match', () => {
  test('shows the closest lines and the first difference', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'start\nfunction add(a, b) {\n  return a + b\n}\nend\n')

    await expect(edit(t, 'function add(a, b) {\n  return a - b\n}', 'x')).rejects.toThrow(
      `old_string was not found in ${t.toPath('a.txt')}. Nothing was changed. The closest match:
2\tfunction add(a, b) {
3\t  return a + b
4\t}
First difference at line 3: the file has "  return a + b", the text sent has "  return a - b".
Send the text exactly as it is in the file.`,
    )
  })

  test('shows the most similar line if none is equal', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'start\nconst total = sum(values)\nend\n')
    await expect(edit(t, 'const total = sum(items)', 'x')).rejects.toThrow(
      /closest match:\n2\tconst total = sum\(values\)/,
    )
  })

  test('says that nothing is similar', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'start\n')
    await expect(edit(t, 'zebra crossing', 'start')).rejects.toThrow(
      `old_string was not found in ${t.toPath('a.txt')}. Nothing was changed. No similar line was found. Read the file, then copy the text from it.`,
    )
  })

  test.each([
    ['const total = sum(items)', 'const total = sum(values)', 3],
    ['start(1)\n  first()\n  second()', 'start(1)\n  second()', 6],
    ['  one()\n}', '  one()\n  two()\n}', 10],
  ])(
    'says that the edit of %j may have been applied before, if its place holds the new text',
    async (old, text, line) => {
      const t = await createTemporaryFiles()
      await t.putAndRead(
        'a.txt',
        'a\nb\nconst total = sum(values)\nc\n\nstart(1)\n  second()\n\nfunction x() {\n  one()\n  two()\n}\n',
      )
      await expect(edit(t, old, text)).rejects.toThrow(
        `Nothing was changed. The new text is already at line ${line}, where the old text would be: this edit may have been applied before. The closest match:`,
      )
    },
  )

  test('does not say so if the new text is only elsewhere', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'x()\nfunction add(a, b) {\n  return a + b\n}\n')
    for (const text of ['x()', '}'])
      await expect(edit(t, 'function add(a, b) {\n  return a - b\n}', text)).rejects.toThrow(
        'Nothing was changed. The closest match:\n2\tfunction add(a, b) {',
      )
  })

  test('lists a line once, even with several matches', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', `${'x '.repeat(50)}\n${'\n'.repeat(3)}${'a x\n'.repeat(12)}`)

    await expect(edit(t, 'x', 'z')).rejects.toThrow(
      /matches 62 places in .*: lines 1, 5, 6, 7, 8, 9, 10, 11, 12, 13 and 3 more\./,
    )
    await expect(edit(t, 'x x', 'z')).rejects.toThrow(/matches 49 places in .*: all in line 1\./)
  })

  test('shows the number of matches and their lines', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'x\ny\nx\n')
    await expect(edit(t, 'x', 'z')).rejects.toThrow(/old_string matches 2 places in .*: lines 1, 3\..*replace_all/)
    expect(await t.readText('a.txt')).toBe('x\ny\nx\n')
  })
})

describe('an invalid input', () => {
  test.each([
    ['the same text twice', 'a', 'a', /are identical/],
    ['texts that differ only in line endings', 'a\nb', 'a\r\nb', /only in line endings/],
    ['a placeholder instead of code', 'a\nb\nc', 'a\n// ... existing code ...', /would delete that code/],
  ])('is refused: %s', async (_, oldText, newText, message) => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', 'a\nb\nc\n')
    await expect(edit(t, oldText, newText)).rejects.toMatchObject({
      code: 'input_refused',
      message: expect.stringMatching(message),
    })
    expect(await t.readText('a.txt')).toBe('a\nb\nc\n')
  })
})

describe('an empty old_string', () => {
  test('creates a file and its folders, and the file counts as read', async () => {
    const t = await createTemporaryFiles()
    const text = await edit(t, '', 'new\n', { file_path: 'deep/er/a.txt' })
    expect(text).toBe(`Created ${t.toPath('deep/er/a.txt')}.`)
    await edit(t, 'new', 'newer', { file_path: 'deep/er/a.txt' })
    expect(await t.readText('deep/er/a.txt')).toBe('newer\n')
  })

  test('is refused if the file exists', async () => {
    const t = await createTemporaryFiles()
    await t.putAndRead('a.txt', '')
    await expect(edit(t, '', 'new')).rejects.toThrow(/already exists\. Nothing was written/)
    expect(await t.readText('a.txt')).toBe('')
  })
})

test('the result includes the notes of formatters and language servers', async () => {
  const t = await createTemporaryFiles({
    async aroundEdit(paths, make) {
      const result = await make()
      await t.put('a.txt', 'formatted b\n')
      return { result, report: { notes: ['1 new problem'], reformatted: paths } }
    },
  })
  await t.putAndRead('a.txt', 'a\n')

  expect(await edit(t, 'a', 'b')).toBe(`Changed ${t.toPath('a.txt')}, line 1.
A formatter changed the file; the lines below are as it left them.
1 new problem
1\tformatted b`)
  await edit(t, 'formatted b', 'c')
})

test('Edit declares that it reads and writes the file in its input', () => {
  const input = { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' }
  expect(EditTool.resources(input)).toEqual({ reads: [{ path: 'src/a.ts' }], writes: [{ path: 'src/a.ts' }] })
  expect(EditTool.getPath(input)).toBe('src/a.ts')
})
