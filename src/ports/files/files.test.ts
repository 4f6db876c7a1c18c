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
import { computeContentHash } from '../../shared/content-hash.js'
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

const toPath = (name: string) => join(folder, name)
const put = (name: string, content: string) => writeFileSync(toPath(name), content)
const readText = (name: string) => readFileSync(toPath(name), 'utf8')
const toBytes = (content: string) => Buffer.from(content)
const hashOf = (content: string) => ({ contentHash: computeContentHash(toBytes(content)) })
const listNames = () => readdirSync(folder).sort()

describe('a read', () => {
  test.each(['/dev/zero', '/dev/null', '/dev/tty'])('refuses the device %s', async (path) => {
    await expect(files.read(path)).rejects.toMatchObject({ code: 'not_a_file' })
    await expect(files.readLines(path, { offset: 1, limit: 1, maxBytes: 1, maxLineBytes: 1 })).rejects.toMatchObject({
      code: 'not_a_file',
    })
  })

  test('refuses a pipe, or a link to one, without blocking', async () => {
    execFileSync('mkfifo', [toPath('pipe')])
    symlinkSync('pipe', toPath('link'))

    for (const name of ['pipe', 'link'])
      await expect(files.read(toPath(name))).rejects.toMatchObject({ code: 'not_a_file', path: toPath(name) })
  })

  test('fails for /proc/self/mem, and works for other files that report no size', async () => {
    await expect(files.read('/proc/self/mem')).rejects.toMatchObject({ name: 'FileError', code: 'no_rights' })
    expect(Buffer.from((await files.read('/proc/self/stat')).content).toString()).toContain(String(process.pid))
  })

  test('fails with the code is_folder for a folder and missing for a missing file', async () => {
    await expect(files.read(folder)).rejects.toMatchObject({ code: 'is_folder' })
    await expect(files.read(toPath('absent'))).rejects.toMatchObject({
      code: 'missing',
      message: `${toPath('absent')} does not exist.`,
    })
  })

  test('returns the requested range, and refuses a file above maxBytes', async () => {
    put('a', '0123456789')

    expect(Buffer.from((await files.read(toPath('a'), { start: 2, end: 5 })).content).toString()).toBe('234')
    expect(Buffer.from((await files.read(toPath('a'), { start: 8, end: 50 })).content).toString()).toBe('89')
    await expect(files.read(toPath('a'), { maxBytes: 9 })).rejects.toMatchObject({ code: 'too_large' })
    const pieces: Uint8Array[] = []
    for await (const piece of files.stream(toPath('a'), { start: 9 })) pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toBe('9')
  })

  test('refuses a file that was replaced by a link after the permission check', async () => {
    put('a', 'mine')
    put('secret', 'theirs')
    const realPath = await files.realPath(toPath('a'))
    rmSync(toPath('a'))
    symlinkSync('secret', toPath('a'))

    await expect(files.read(toPath('a'), { realPath })).rejects.toMatchObject({ code: 'moved' })
    expect((await files.read(toPath('a'))).realPath).toBe(toPath('secret'))
  })

  test('of a folder with a limit lists no more names than the limit', async () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), '')
    expect(await files.list(folder, { limit: 2 })).toHaveLength(2)
    expect(await files.list(folder, { limit: 3 })).toEqual(await files.list(folder))
  })

  test('accepts the escaped text of a name with arbitrary bytes, as do listing and writing', async () => {
    writeFileSync(Buffer.concat([toBytes(`${folder}/`), Buffer.from([0xff, 0x0a])]), 'odd')

    expect(await files.list(folder)).toEqual(['\\xff\\x0a'])
    const { content, realPath } = await files.read(toPath('\\xff\\x0a'))
    expect([Buffer.from(content).toString(), realPath]).toEqual(['odd', toPath('\\xff\\x0a')])
    await files.write(toPath('\\xff\\x0a'), toBytes('new'), { expected: hashOf('odd'), realPath })
    expect(Buffer.from((await files.read(toPath('\\xff\\x0a'))).content).toString()).toBe('new')
    expect(await files.list(folder)).toHaveLength(1)
  })
})

describe('a write', () => {
  test('creates missing folders, and keeps the mode of an existing file', async () => {
    await files.write(toPath('x/y/new'), toBytes('1'), { expected: 'absent', mode: 0o751 })
    await files.write(toPath('x/y/new'), toBytes('2'), { expected: hashOf('1') })

    expect([readText('x/y/new'), statSync(toPath('x/y/new')).mode & 0o777]).toEqual(['2', 0o751])
    expect(readdirSync(toPath('x/y'))).toEqual(['new'])
  })

  test('returns the real path and the modification time', async () => {
    const writtenFile = await files.write(toPath('a'), toBytes('1'))

    const readResult = await files.read(toPath('a'))
    expect(writtenFile).toEqual({ realPath: readResult.realPath, mtimeMs: readResult.stat.mtimeMs })
  })

  test('writes to the target of a link and keeps the link', async () => {
    mkdirSync(toPath('real'))
    put('real/a', 'old')
    symlinkSync('real/a', toPath('link'))

    const { realPath } = await files.write(toPath('link'), toBytes('new'), { expected: hashOf('old') })

    expect([realPath, readText('real/a'), lstatSync(toPath('link')).isSymbolicLink()]).toEqual([
      toPath('real/a'),
      'new',
      true,
    ])
  })

  test.each<[string, () => void, string]>([
    ['changed', () => put('a', 'by another program'), 'changed'],
    ['deleted', () => rmSync(toPath('a')), 'missing'],
    [
      'replaced by a folder',
      () => {
        rmSync(toPath('a'))
        mkdirSync(toPath('a'))
      },
      'is_folder',
    ],
    [
      'replaced by a link',
      () => {
        rmSync(toPath('a'))
        put('b', 'old')
        symlinkSync('b', toPath('a'))
      },
      'moved',
    ],
  ])('refuses a file that was %s since it was read', async (_, applyConcurrentChange, code) => {
    put('a', 'old')
    const { realPath } = await files.read(toPath('a'))
    applyConcurrentChange()
    const namesBefore = listNames()

    await expect(files.write(toPath('a'), toBytes('new'), { expected: hashOf('old'), realPath })).rejects.toMatchObject(
      {
        code,
        path: toPath('a'),
      },
    )
    expect(listNames()).toEqual(namesBefore)
    for (const name of namesBefore) if (lstatSync(toPath(name)).isFile()) expect(readText(name)).not.toBe('new')
  })

  test('refuses a file whose folder was replaced by a link since it was read', async () => {
    mkdirSync(toPath('dir'))
    put('dir/a', 'old')
    mkdirSync(toPath('other'))
    put('other/a', 'old')
    const { realPath } = await files.read(toPath('dir/a'))
    rmSync(toPath('dir'), { recursive: true })
    symlinkSync('other', toPath('dir'))

    await expect(files.write(toPath('dir/a'), toBytes('new'), { realPath })).rejects.toMatchObject({ code: 'moved' })
    expect(readText('other/a')).toBe('old')
  })

  test.each(['old', 'olD', 'old ', 'ol', ''])(
    'that expects the content %j succeeds only if this is the actual content',
    async (expected) => {
      put('a', 'old')
      const writePromise = files.write(toPath('a'), toBytes('new'), { expected: { content: toBytes(expected) } })

      if (expected === 'old') await writePromise
      else await expect(writePromise).rejects.toMatchObject({ code: 'changed' })
      expect(readText('a')).toBe(expected === 'old' ? 'new' : 'old')
    },
  )

  test('does not replace a file that must not exist', async () => {
    put('a', 'old')

    await expect(files.write(toPath('a'), toBytes('new'), { expected: 'absent' })).rejects.toMatchObject({
      code: 'exists',
    })
    expect([readText('a'), listNames()]).toEqual(['old', ['a']])
  })

  test('creates a file only once if two writes are concurrent', async () => {
    const writes = ['1', '2'].map((content) => files.write(toPath('a'), toBytes(content), { expected: 'absent' }))

    const outcomes = await Promise.allSettled(writes)

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(listNames()).toEqual(['a'])
  })

  test('loses no change silently if many writers change a file concurrently', async () => {
    put('a', '0')
    const increment = async (): Promise<void> => {
      const { content } = await files.read(toPath('a'))
      const nextContent = toBytes(String(Number(Buffer.from(content)) + 1))
      try {
        await files.write(toPath('a'), nextContent, { expected: { contentHash: computeContentHash(content) } })
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
    await files.write(toPath('a'), toBytes('1'))
    const ownIdentity = formatIdentity()
    const [host] = ownIdentity.split('-')
    put(`.haft-${host}-${endedPid}-1-00.tmp`, 'leftover')
    put(`.haft-${ownIdentity}-00.tmp`, 'needed')
    put(`.haft-00000000-${endedPid}-1-00.tmp`, "another machine's")

    await createFiles({ journalFolder: toPath('journal') }).write(toPath('a'), toBytes('2'))

    expect(listNames()).toEqual([`.haft-${ownIdentity}-00.tmp`, `.haft-00000000-${endedPid}-1-00.tmp`, 'a'].sort())
  })
})

describe('the files port', () => {
  test('removes a link without its target', async () => {
    put('a', 'x')
    symlinkSync('a', toPath('link'))

    await files.remove(toPath('link'), { expected: hashOf('x') })

    expect(listNames()).toEqual(['a'])
    await expect(files.remove(toPath('a'), { expected: hashOf('y') })).rejects.toMatchObject({ code: 'changed' })
    await files.remove(toPath('a'), { expected: hashOf('x') })
    await expect(files.remove(toPath('a'))).rejects.toMatchObject({ code: 'missing' })
    await expect(files.remove(folder)).rejects.toMatchObject({ code: 'is_folder' })
  })

  test('creates missing folders for a move, and replaces no existing file', async () => {
    put('a', '1')
    put('b', '2')
    chmodSync(toPath('a'), 0o640)

    await expect(files.move(toPath('a'), toPath('b'))).rejects.toMatchObject({ code: 'exists', path: toPath('b') })
    await expect(files.move(toPath('absent'), toPath('new/c'))).rejects.toMatchObject({ code: 'missing' })
    expect(existsSync(toPath('new'))).toBe(false)
    await files.move(toPath('a'), toPath('new/c'))
    await files.chmod(toPath('b'), 0o600)

    expect([readText('new/c'), readText('b'), statSync(toPath('new/c')).mode & 0o777]).toEqual(['1', '2', 0o640])
    expect(statSync(toPath('b')).mode & 0o777).toBe(0o600)
  })
})

describe('changes of several files', () => {
  const changes = (): FileChange[] => [
    { kind: 'write', path: toPath('a'), content: toBytes('A'), expected: hashOf('a') },
    { kind: 'write', path: toPath('deep/new'), content: toBytes('N'), expected: 'absent' },
    { kind: 'move', path: toPath('m'), to: toPath('moved/m'), content: toBytes('M'), expected: hashOf('m') },
    { kind: 'remove', path: toPath('r'), expected: hashOf('r') },
  ]
  beforeEach(() => {
    for (const name of ['a', 'm', 'r']) put(name, name)
    chmodSync(toPath('m'), 0o755)
  })

  test('are all made together', async () => {
    const [a, createdFile, movedFile, removedFile] = await files.writeAll(changes())

    expect([readText('a'), readText('deep/new'), readText('moved/m')]).toEqual(['A', 'N', 'M'])
    expect(statSync(toPath('moved/m')).mode & 0o777).toBe(0o755)
    expect(listNames()).toEqual(['a', 'deep', 'journal', 'moved'])
    expect(readdirSync(toPath('journal'))).toEqual([])
    expect([a?.realPath, createdFile?.realPath, movedFile?.realPath, removedFile]).toEqual([
      toPath('a'),
      toPath('deep/new'),
      toPath('moved/m'),
      undefined,
    ])
  })

  test.each<[string, () => void]>([
    ['the first file', () => put('a', 'other')],
    [
      'a new file',
      () => {
        mkdirSync(toPath('deep'))
        put('deep/new', 'other')
      },
    ],
    ['the third file', () => put('m', 'other')],
    ['the last file', () => put('r', 'other')],
    ['the last file, which was deleted,', () => rmSync(toPath('r'))],
  ])('are all refused if %s has changed', async (_, applyConcurrentChange) => {
    applyConcurrentChange()
    const listingBefore = listAll()

    await expect(files.writeAll(changes())).rejects.toMatchObject({ name: 'FileError' })

    expect(listAll()).toEqual(listingBefore)
  })

  test('are rolled back if a file changes at the last moment', async () => {
    const changingJournal = {
      begin: async () => {
        put('r', 'at the last moment')
        return async () => {}
      },
      recover: async () => true,
    }
    const listingBefore = listAll()

    await expect(writeAll(changes(), changingJournal, new TemporaryFileCleaner())).rejects.toMatchObject({
      code: 'changed',
    })

    expect(listAll()).toEqual({ ...listingBefore, r: 'at the last moment' })
  })

  test('are refused if two of them concern the same file', async () => {
    symlinkSync('a', toPath('again'))
    const repeatedChanges = ['a', 'again'].map(
      (name): FileChange => ({ kind: 'write', path: toPath(name), content: toBytes('x') }),
    )

    await expect(files.writeAll(repeatedChanges)).rejects.toThrow('twice')
  })

  function listAll() {
    const tree: Record<string, string> = {}
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!name.startsWith('journal')) tree[name] = lstatSync(toPath(name)).isFile() ? readText(name) : '(folder)'
    }
    return tree
  }
})
