import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createFiles } from '../files/create-files.js'
import { type Checkpoints, createCheckpoints } from './create-checkpoints.js'

let home: string
let project: string
let checkpoints: Checkpoints
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-checkpoints-')))
  project = join(home, 'project')
  mkdirSync(project)
  checkpoints = createCheckpoints({ folder: join(home, 'kept'), session: 's1' })
})
afterEach(async () => {
  await checkpoints.close()
  rmSync(home, { recursive: true })
})

const toPath = (name: string) => join(project, name)
const put = (name: string, content: string) => writeFileSync(toPath(name), content)

let callCount = 0
/** Makes a change as a call with these declared writes and returns its checkpoint. */
async function call(
  writes: readonly string[],
  change: () => unknown,
  options?: { unknown?: boolean },
): Promise<string> {
  const toolUseId = `toolu_${++callCount}`
  await checkpoints.save(toolUseId, writes.map(toPath), options)
  await change()
  await checkpoints.settle(toolUseId)
  return (await checkpoints.list()).at(-1)?.id ?? ''
}

/** Returns the kinds, modes, contents and link targets of everything below a folder. */
function readTree(folder = project): Record<string, string> {
  const entries: Record<string, string> = {}
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name)
    const stats = lstatSync(path)
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isSymbolicLink()) entries[path] = `link to ${readlinkSync(path)}`
    else if (stats.isDirectory()) Object.assign(entries, { [path]: `folder ${mode}` }, readTree(path))
    else entries[path] = `${mode} ${readFileSync(path, 'latin1')}`
  }
  return entries
}

describe('a rewind', () => {
  test('restores content, modes and absence, and can itself be undone', async () => {
    put('a', 'old')
    put('gone', 'here')
    chmodSync(toPath('gone'), 0o751)
    mkdirSync(toPath('folder'))
    put('folder/x', 'x')
    symlinkSync('a', toPath('link'))
    const treeBefore = readTree()

    const first = await call(['a'], () => put('a', 'new'))
    await call(['deep/er/new'], () => {
      mkdirSync(toPath('deep/er'), { recursive: true })
      put('deep/er/new', 'n')
    })
    await call(['gone'], () => rmSync(toPath('gone')))
    await call(['a'], () => chmodSync(toPath('a'), 0o600))
    await call(['folder', 'moved'], () => renameSync(toPath('folder'), toPath('moved')))
    await call(['link'], () => {
      rmSync(toPath('link'))
      put('link', 'a file now')
    })
    const treeAfter = readTree()

    const { id } = await checkpoints.restore(first)
    expect(readTree()).toEqual(treeBefore)
    const undo = await checkpoints.restore(id ?? '')
    expect(readTree()).toEqual(treeAfter)
    await checkpoints.restore(undo.id ?? '')
    expect(readTree()).toEqual(treeBefore)
  })

  test('also undoes later calls, whichever session made them', async () => {
    put('a', '1')
    const first = await call(['a'], () => put('a', '2'))
    const second = await call(['a'], () => put('a', '3'))
    const otherCheckpoints = createCheckpoints({ folder: join(home, 'kept'), session: 's2' })
    await otherCheckpoints.save('toolu_1', [toPath('b')])
    put('b', 'new')
    await otherCheckpoints.settle('toolu_1')

    await otherCheckpoints.restore(second)
    expect(readTree()).toEqual({ [toPath('a')]: '644 2' })
    await otherCheckpoints.restore(first)
    expect(readTree()).toEqual({ [toPath('a')]: '644 1' })
    await otherCheckpoints.close()
  })

  test.each<[string, () => void]>([
    ['changed', () => appendFileSync(toPath('a'), ' and mine')],
    ['removed', () => rmSync(toPath('a'))],
    ['made unreadable to others', () => chmodSync(toPath('a'), 0o600)],
    [
      'replaced by a link',
      () => {
        rmSync(toPath('a'))
        symlinkSync('b', toPath('a'))
      },
    ],
  ])('is refused, and changes nothing, if a file was %s after the call', async (_, changeByUser) => {
    put('a', 'old')
    const id = await call(['b', 'a'], () => {
      put('b', 'new')
      put('a', 'new')
    })
    changeByUser()
    const treeBefore = readTree()

    await expect(checkpoints.restore(id)).rejects.toThrow(`${toPath('a')} has since been changed by another program`)
    expect(readTree()).toEqual(treeBefore)
    expect(await checkpoints.list()).toHaveLength(1)
  })

  test('is refused if the user has changed a file between two calls, and names the earliest possible checkpoint', async () => {
    put('a', '1')
    const first = await call(['a'], () => put('a', '2'))
    appendFileSync(toPath('a'), ' mine')
    const second = await call(['a'], () => appendFileSync(toPath('a'), ' 3'))

    await expect(checkpoints.restore(first)).rejects.toThrow(`rewind to ${second} or later`)
    await checkpoints.restore(second)
    expect(readTree()).toEqual({ [toPath('a')]: '644 2 mine' })
  })

  test('keeps files of the user in a folder that a call created', async () => {
    const id = await call(['new/a'], () => {
      mkdirSync(toPath('new'))
      put('new/a', 'a')
    })
    put('new/mine', 'mine')

    await checkpoints.restore(id)

    expect(Object.keys(readTree())).toEqual([toPath('new'), toPath('new/mine')])
  })

  test('restores the target of a link', async () => {
    put('target', 'old')
    symlinkSync('target', toPath('link'))
    const id = await call(['link'], () => put('link', 'new'))

    await checkpoints.restore(id)

    expect(readTree()).toEqual({ [toPath('link')]: 'link to target', [toPath('target')]: '644 old' })
  })

  test('never follows a link that replaced a folder', async () => {
    mkdirSync(toPath('d'))
    mkdirSync(toPath('mine'))
    put('mine/a', 'mine')
    const first = await call(['d/a'], () => put('d/a', 'made'))
    await call(['d'], () => {
      rmSync(toPath('d'), { recursive: true })
      symlinkSync('mine', toPath('d'))
    })

    await checkpoints.restore(first)

    expect(Object.keys(readTree())).toEqual([toPath('d'), toPath('mine'), toPath('mine/a')])
  })

  test.each<[string, (path: string) => void]>([
    ['folder', (path) => mkdirSync(path)],
    ['link', (path) => symlinkSync('x', path)],
    ['file', (path) => writeFileSync(path, 'x')],
  ])('does not restore a %s if its folder was replaced by a link', async (_, make) => {
    mkdirSync(toPath('d'))
    mkdirSync(toPath('mine'))
    make(toPath('d/gone'))
    const id = await call(['d/gone'], () => rmSync(toPath('d/gone'), { recursive: true }))
    rmSync(toPath('d'), { recursive: true })
    symlinkSync('mine', toPath('d'))

    await expect(checkpoints.restore(id)).rejects.toThrow(/leads to a different file than before/)
    expect(readdirSync(toPath('mine'))).toEqual([])
  })

  test('to an unknown checkpoint is refused', async () => {
    await expect(checkpoints.restore('unknown-id')).rejects.toThrow('There is no checkpoint unknown-id')
  })

  test('is refused if stored content is damaged', async () => {
    put('a', 'old')
    const id = await call(['a'], () => put('a', 'new'))
    const blobs = join(home, 'kept/blobs')
    for (const name of readdirSync(blobs, { recursive: true, encoding: 'utf8' }))
      if (lstatSync(join(blobs, name)).isFile()) writeFileSync(join(blobs, name), 'bad')

    await expect(checkpoints.restore(id)).rejects.toThrow(
      'cannot be restored, because its stored content is missing or damaged',
    )
    expect(readTree()).toEqual({ [toPath('a')]: '644 new' })
  })
})

describe('the checkpoint store', () => {
  test('marks a call whose changes are unknown', async () => {
    await call([], () => put('by-command', 'x'), { unknown: true })

    expect(await checkpoints.list()).toMatchObject([{ unknown: true, before: {}, session: 's1' }])
  })

  test('skips a line that a killed process left incomplete', async () => {
    const first = await call(['a'], () => put('a', '1'))
    appendFileSync(join(home, 'kept/log.jsonl'), '{"type":"saved","id":"cut')
    const second = await call(['a'], () => put('a', '2'))

    expect((await checkpoints.list()).map(({ id }) => id)).toEqual([first, second])
  })

  test('has one line per call, even for file names with Unicode line separators', async () => {
    await call(['a\u2028b\u2029'], () => put('a\u2028b\u2029', '1'))

    expect(readFileSync(join(home, 'kept/log.jsonl'), 'utf8')).not.toMatch(/[\u2028\u2029]/)
    expect((await checkpoints.list()).map(({ before }) => Object.keys(before))).toEqual([[toPath('a\u2028b\u2029')]])
  })

  test('stores equal file contents once', async () => {
    for (const name of ['a', 'b', 'c']) put(name, 'same')
    await call(['a', 'b', 'c'], () => {})

    const blobs = readdirSync(join(home, 'kept/blobs'), { recursive: true, withFileTypes: true })
    expect(blobs.filter((entry) => entry.isFile())).toHaveLength(1)
  })
})

test('undoing a call restores the state before the first of its nested calls', async () => {
  put('a', '0')
  await checkpoints.save('outer', [], { unknown: true })
  for (const content of ['1', '2']) {
    await checkpoints.save('outer', [toPath('a')])
    put('a', content)
  }
  await checkpoints.settle('outer')
  const [outer] = await checkpoints.list()

  await checkpoints.restore(outer?.id ?? '')

  expect(readTree()).toEqual({ [toPath('a')]: '644 0' })
})

test('a call whose process was killed can be undone only if it changed nothing', async () => {
  put('a', 'old')
  await checkpoints.save('killed', [toPath('a')])
  const [{ id } = { id: '' }] = await checkpoints.list()
  await checkpoints.restore(id)
  put('a', 'unrecorded')

  await expect(checkpoints.restore(id)).rejects.toThrow('changed by another program')
})

test('a change through the files port is saved once, with the call that made it if there is one', async () => {
  const files = createFiles({ journalFolder: join(home, 'journal'), runRecordedChange: checkpoints.runRecordedChange })
  await files.write(toPath('a'), Buffer.from('1'))
  await checkpoints.save('toolu_1', [toPath('a')])
  await files.write(toPath('a'), Buffer.from('2'))
  await checkpoints.settle('toolu_1')
  await files.writeAll([{ kind: 'move', path: toPath('a'), to: toPath('b') }])
  const [first, second, third] = await checkpoints.list()

  expect([first?.toolUseId, second?.toolUseId, third?.toolUseId]).toEqual([undefined, 'toolu_1', undefined])
  await checkpoints.restore(second?.id ?? '')
  expect(readTree()).toEqual({ [toPath('a')]: '644 1' })
  await checkpoints.restore(first?.id ?? '')
  expect(readTree()).toEqual({})
})

const FILE_NAMES = ['a', 'b', 'd', 'd/a', 'd/e', 'd/e/c', 'f/g']
const change = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), name: fc.constantFrom(...FILE_NAMES), content: fc.string() }),
  fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom(...FILE_NAMES) }),
  fc.record({
    kind: fc.constant('move' as const),
    name: fc.constantFrom(...FILE_NAMES),
    to: fc.constantFrom(...FILE_NAMES),
  }),
  fc.record({
    kind: fc.constant('chmod' as const),
    name: fc.constantFrom(...FILE_NAMES),
    mode: fc.constantFrom(0o700, 0o755, 0o744),
  }),
  fc.record({
    kind: fc.constant('link' as const),
    name: fc.constantFrom(...FILE_NAMES),
    to: fc.constantFrom('a', 'nowhere', 'd', '../d'),
  }),
)

/** Makes a change as a command would. A change that the system refuses is skipped. */
function applyStep(step: typeof change extends fc.Arbitrary<infer Step> ? Step : never): void {
  const path = toPath(step.name)
  try {
    if (step.kind === 'write') {
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, step.content)
    } else if (step.kind === 'remove') rmSync(path, { recursive: true })
    else if (step.kind === 'move') renameSync(path, toPath(step.to))
    else if (step.kind === 'chmod') chmodSync(path, step.mode)
    else symlinkSync(step.to, path)
  } catch {
    // The path is a folder, or it does not exist.
  }
}

test('a rewind over a hundred changes of any kind restores the exact tree', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 100, maxLength: 100 }),
      fc.nat({ max: 99 }),
      async (steps, targetIndex) => {
        rmSync(project, { recursive: true })
        mkdirSync(project)
        rmSync(join(home, 'kept'), { recursive: true, force: true })
        await checkpoints.close()
        checkpoints = createCheckpoints({ folder: join(home, 'kept'), session: 's1' })
        let expected: Record<string, string> = {}
        for (const [index, step] of steps.entries()) {
          if (index === targetIndex) expected = readTree()
          await checkpoints.save(
            `toolu_${index}`,
            (step.kind === 'move' ? [step.name, step.to] : [step.name]).map(toPath),
          )
          applyStep(step)
          await checkpoints.settle(`toolu_${index}`)
        }
        const finalTree = readTree()
        const ids = (await checkpoints.list()).map(({ id }) => id)

        const rewind = await checkpoints.restore(ids[targetIndex] ?? '')
        expect(readTree()).toEqual(expected)
        if (rewind.id !== undefined) await checkpoints.restore(rewind.id)
        expect(readTree()).toEqual(finalTree)
        await checkpoints.restore(ids[0] ?? '')
        expect(readTree()).toEqual({})
      },
    ),
    { ...createPropertyOptions(10), endOnFailure: true },
  )
})
