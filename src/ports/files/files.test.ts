import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FileChange, FilesPort } from '../../contract/ports/files.js'
import { contentHash } from '../../shared/content-hash.js'
import { formatIdentity } from '../../system/processes/process-identity.js'
import { TemporaryFileCleaner } from './change/open-folder.js'
import { writeAll } from './change/write-all.js'
import { createFiles } from './create-files.js'

let folder: string
let files: FilesPort
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-files-')))
  files = createFiles({ journalFolder: join(folder, 'journal') })
})
afterEach(() => rmSync(folder, { recursive: true }))

const pathTo = (name: string) => join(folder, name)
const put = (name: string, content: string) => writeFileSync(pathTo(name), content)
const readText = (name: string) => readFileSync(pathTo(name), 'utf8')
const toBytes = (content: string) => Buffer.from(content)
const hashOf = (content: string) => ({ contentHash: contentHash(toBytes(content)) })
const listNames = () => readdirSync(folder).sort()

describe('a read', () => {
  test.each(['/dev/zero', '/dev/null', '/dev/tty'])('refuses the device %s', async (path) => {
    await expect(files.read(path)).rejects.toMatchObject({ code: 'not_a_file' })
    await expect(files.readLines(path, { offset: 1, limit: 1, maxBytes: 1, maxLineBytes: 1 })).rejects.toMatchObject({
      code: 'not_a_file',
    })
  })

  test('refuses a pipe, or a link to one, without blocking', async () => {
    execFileSync('mkfifo', [pathTo('pipe')])
    symlinkSync('pipe', pathTo('link'))

    for (const name of ['pipe', 'link'])
      await expect(files.read(pathTo(name))).rejects.toMatchObject({ code: 'not_a_file', path: pathTo(name) })
  })

  test('fails for /proc/self/mem, and works for other files that report no size', async () => {
    await expect(files.read('/proc/self/mem')).rejects.toMatchObject({ name: 'FileError', code: 'no_rights' })
    expect(Buffer.from((await files.read('/proc/self/stat')).content).toString()).toContain(String(process.pid))
  })

  test('fails with the code is_folder for a folder and missing for a missing file', async () => {
    await expect(files.read(folder)).rejects.toMatchObject({ code: 'is_folder' })
    await expect(files.read(pathTo('absent'))).rejects.toMatchObject({
      code: 'missing',
      message: `${pathTo('absent')} does not exist.`,
    })
  })

  test('returns the requested range, and refuses a file above maxBytes', async () => {
    put('a', '0123456789')

    expect(Buffer.from((await files.read(pathTo('a'), { start: 2, end: 5 })).content).toString()).toBe('234')
    expect(Buffer.from((await files.read(pathTo('a'), { start: 8, end: 50 })).content).toString()).toBe('89')
    await expect(files.read(pathTo('a'), { maxBytes: 9 })).rejects.toMatchObject({ code: 'too_large' })
    const pieces: Uint8Array[] = []
    for await (const piece of files.stream(pathTo('a'), { start: 9 })) pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toBe('9')
  })

  test('refuses a file that was replaced by a link after the permission check', async () => {
    put('a', 'mine')
    put('secret', 'theirs')
    const realPath = await files.realPath(pathTo('a'))
    rmSync(pathTo('a'))
    symlinkSync('secret', pathTo('a'))

    await expect(files.read(pathTo('a'), { realPath })).rejects.toMatchObject({ code: 'moved' })
    expect((await files.read(pathTo('a'))).realPath).toBe(pathTo('secret'))
  })

  test('of a folder with a limit lists no more names than the limit', async () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), '')
    expect(await files.list(folder, { limit: 2 })).toHaveLength(2)
    expect(await files.list(folder, { limit: 3 })).toEqual(await files.list(folder))
  })

  test('accepts the escaped text of a name with arbitrary bytes, as do listing and writing', async () => {
    writeFileSync(Buffer.concat([toBytes(`${folder}/`), Buffer.from([0xff, 0x0a])]), 'odd')

    expect(await files.list(folder)).toEqual(['\\xff\\x0a'])
    const { content, realPath } = await files.read(pathTo('\\xff\\x0a'))
    expect([Buffer.from(content).toString(), realPath]).toEqual(['odd', pathTo('\\xff\\x0a')])
    await files.write(pathTo('\\xff\\x0a'), toBytes('new'), { expected: hashOf('odd'), realPath })
    expect(Buffer.from((await files.read(pathTo('\\xff\\x0a'))).content).toString()).toBe('new')
    expect(await files.list(folder)).toHaveLength(1)
  })
})

describe('a write', () => {
  test('creates missing folders, and keeps the mode of an existing file', async () => {
    await files.write(pathTo('x/y/new'), toBytes('1'), { expected: 'absent', mode: 0o751 })
    await files.write(pathTo('x/y/new'), toBytes('2'), { expected: hashOf('1') })

    expect([readText('x/y/new'), statSync(pathTo('x/y/new')).mode & 0o777]).toEqual(['2', 0o751])
    expect(readdirSync(pathTo('x/y'))).toEqual(['new'])
  })

  test('returns the real path and the modification time', async () => {
    const written = await files.write(pathTo('a'), toBytes('1'))

    const read = await files.read(pathTo('a'))
    expect(written).toEqual({ realPath: read.realPath, mtimeMs: read.stat.mtimeMs })
  })

  test('writes to the target of a link and keeps the link', async () => {
    mkdirSync(pathTo('real'))
    put('real/a', 'old')
    symlinkSync('real/a', pathTo('link'))

    const { realPath } = await files.write(pathTo('link'), toBytes('new'), { expected: hashOf('old') })

    expect([realPath, readText('real/a'), lstatSync(pathTo('link')).isSymbolicLink()]).toEqual([
      pathTo('real/a'),
      'new',
      true,
    ])
  })

  test.each<[string, () => void, string]>([
    ['changed', () => put('a', 'by another program'), 'changed'],
    ['deleted', () => rmSync(pathTo('a')), 'missing'],
    [
      'replaced by a folder',
      () => {
        rmSync(pathTo('a'))
        mkdirSync(pathTo('a'))
      },
      'is_folder',
    ],
    [
      'replaced by a link',
      () => {
        rmSync(pathTo('a'))
        put('b', 'old')
        symlinkSync('b', pathTo('a'))
      },
      'moved',
    ],
  ])('refuses a file that was %s since it was read', async (_, changeMeanwhile, code) => {
    put('a', 'old')
    const { realPath } = await files.read(pathTo('a'))
    changeMeanwhile()
    const before = listNames()

    await expect(files.write(pathTo('a'), toBytes('new'), { expected: hashOf('old'), realPath })).rejects.toMatchObject(
      {
        code,
        path: pathTo('a'),
      },
    )
    expect(listNames()).toEqual(before)
    for (const name of before) if (lstatSync(pathTo(name)).isFile()) expect(readText(name)).not.toBe('new')
  })

  test('refuses a file whose folder was replaced by a link since it was read', async () => {
    mkdirSync(pathTo('dir'))
    put('dir/a', 'old')
    mkdirSync(pathTo('other'))
    put('other/a', 'old')
    const { realPath } = await files.read(pathTo('dir/a'))
    rmSync(pathTo('dir'), { recursive: true })
    symlinkSync('other', pathTo('dir'))

    await expect(files.write(pathTo('dir/a'), toBytes('new'), { realPath })).rejects.toMatchObject({ code: 'moved' })
    expect(readText('other/a')).toBe('old')
  })

  test.each(['old', 'olD', 'old ', 'ol', ''])(
    'that expects the content %j succeeds only if this is the actual content',
    async (expected) => {
      put('a', 'old')
      const writing = files.write(pathTo('a'), toBytes('new'), { expected: { content: toBytes(expected) } })

      if (expected === 'old') await writing
      else await expect(writing).rejects.toMatchObject({ code: 'changed' })
      expect(readText('a')).toBe(expected === 'old' ? 'new' : 'old')
    },
  )

  test('does not replace a file that must not exist', async () => {
    put('a', 'old')

    await expect(files.write(pathTo('a'), toBytes('new'), { expected: 'absent' })).rejects.toMatchObject({
      code: 'exists',
    })
    expect([readText('a'), listNames()]).toEqual(['old', ['a']])
  })

  test('creates a file only once if two writes are concurrent', async () => {
    const writes = ['1', '2'].map((content) => files.write(pathTo('a'), toBytes(content), { expected: 'absent' }))

    const outcomes = await Promise.allSettled(writes)

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(listNames()).toEqual(['a'])
  })

  test('loses no change silently if many writers change a file concurrently', async () => {
    put('a', '0')
    const increment = async (): Promise<void> => {
      const { content } = await files.read(pathTo('a'))
      const next = toBytes(String(Number(Buffer.from(content)) + 1))
      try {
        await files.write(pathTo('a'), next, { expected: { contentHash: contentHash(content) } })
      } catch (error) {
        expect(error).toMatchObject({ code: 'changed' })
        await increment()
      }
    }

    await Promise.all(Array.from({ length: 8 }, increment))

    expect(readText('a')).toBe('8')
  })

  test('removes temporary files of killed processes, but not those of running ones', async () => {
    const endedPid = spawnSync(process.execPath, ['-e', '']).pid
    await files.write(pathTo('a'), toBytes('1'))
    const ownIdentity = formatIdentity()
    const [host] = ownIdentity.split('-')
    put(`.haft-${host}-${endedPid}-1-00.tmp`, 'leftover')
    put(`.haft-${ownIdentity}-00.tmp`, 'needed')
    put(`.haft-00000000-${endedPid}-1-00.tmp`, "another machine's")

    await createFiles({ journalFolder: pathTo('journal') }).write(pathTo('a'), toBytes('2'))

    expect(listNames()).toEqual([`.haft-${ownIdentity}-00.tmp`, `.haft-00000000-${endedPid}-1-00.tmp`, 'a'].sort())
  })
})

describe('the files port', () => {
  test('removes a link without its target', async () => {
    put('a', 'x')
    symlinkSync('a', pathTo('link'))

    await files.remove(pathTo('link'), { expected: hashOf('x') })

    expect(listNames()).toEqual(['a'])
    await expect(files.remove(pathTo('a'), { expected: hashOf('y') })).rejects.toMatchObject({ code: 'changed' })
    await files.remove(pathTo('a'), { expected: hashOf('x') })
    await expect(files.remove(pathTo('a'))).rejects.toMatchObject({ code: 'missing' })
    await expect(files.remove(folder)).rejects.toMatchObject({ code: 'is_folder' })
  })

  test('creates missing folders for a move, and replaces no existing file', async () => {
    put('a', '1')
    put('b', '2')
    chmodSync(pathTo('a'), 0o640)

    await expect(files.move(pathTo('a'), pathTo('b'))).rejects.toMatchObject({ code: 'exists', path: pathTo('b') })
    await expect(files.move(pathTo('absent'), pathTo('new/c'))).rejects.toMatchObject({ code: 'missing' })
    expect(existsSync(pathTo('new'))).toBe(false)
    await files.move(pathTo('a'), pathTo('new/c'))
    await files.chmod(pathTo('b'), 0o600)

    expect([readText('new/c'), readText('b'), statSync(pathTo('new/c')).mode & 0o777]).toEqual(['1', '2', 0o640])
    expect(statSync(pathTo('b')).mode & 0o777).toBe(0o600)
  })
})

describe('changes of several files', () => {
  const changes = (): FileChange[] => [
    { kind: 'write', path: pathTo('a'), content: toBytes('A'), expected: hashOf('a') },
    { kind: 'write', path: pathTo('deep/new'), content: toBytes('N'), expected: 'absent' },
    { kind: 'move', path: pathTo('m'), to: pathTo('moved/m'), content: toBytes('M'), expected: hashOf('m') },
    { kind: 'remove', path: pathTo('r'), expected: hashOf('r') },
  ]
  beforeEach(() => {
    for (const name of ['a', 'm', 'r']) put(name, name)
    chmodSync(pathTo('m'), 0o755)
  })

  test('are all made together', async () => {
    const [a, created, moved, removed] = await files.writeAll(changes())

    expect([readText('a'), readText('deep/new'), readText('moved/m')]).toEqual(['A', 'N', 'M'])
    expect(statSync(pathTo('moved/m')).mode & 0o777).toBe(0o755)
    expect(listNames()).toEqual(['a', 'deep', 'journal', 'moved'])
    expect(readdirSync(pathTo('journal'))).toEqual([])
    expect([a?.realPath, created?.realPath, moved?.realPath, removed]).toEqual([
      pathTo('a'),
      pathTo('deep/new'),
      pathTo('moved/m'),
      undefined,
    ])
  })

  test.each<[string, () => void]>([
    ['the first file', () => put('a', 'other')],
    [
      'a new file',
      () => {
        mkdirSync(pathTo('deep'))
        put('deep/new', 'other')
      },
    ],
    ['the third file', () => put('m', 'other')],
    ['the last file', () => put('r', 'other')],
    ['the last file, which was deleted,', () => rmSync(pathTo('r'))],
  ])('are all refused if %s has changed', async (_, changeMeanwhile) => {
    changeMeanwhile()
    const before = listing()

    await expect(files.writeAll(changes())).rejects.toMatchObject({ name: 'FileError' })

    expect(listing()).toEqual(before)
  })

  test('are rolled back if a file changes at the last moment', async () => {
    const changingJournal = {
      begin: async () => {
        put('r', 'at the last moment')
        return async () => {}
      },
      recover: async () => true,
    }
    const before = listing()

    await expect(writeAll(changes(), changingJournal, new TemporaryFileCleaner())).rejects.toMatchObject({
      code: 'changed',
    })

    expect(listing()).toEqual({ ...before, r: 'at the last moment' })
  })

  test('are refused if two of them concern the same file', async () => {
    symlinkSync('a', pathTo('again'))
    const twice = ['a', 'again'].map(
      (name): FileChange => ({ kind: 'write', path: pathTo(name), content: toBytes('x') }),
    )

    await expect(files.writeAll(twice)).rejects.toThrow('twice')
  })

  function listing() {
    const tree: Record<string, string> = {}
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!name.startsWith('journal')) tree[name] = lstatSync(pathTo(name)).isFile() ? readText(name) : '(folder)'
    }
    return tree
  }
})
