import { EventEmitter, once } from 'node:events'
import { appendFile, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SettingsWatch, watchSettings } from './watch-settings.js'

let top: string
let file: string
let activeWatch: SettingsWatch | undefined

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'haft-watch-')))
  file = join(top, 'project/.haft/settings.json')
})
afterEach(async () => {
  await activeWatch?.close()
  activeWatch = undefined
  await rm(top, { recursive: true })
})

/** Starts a watch. The returned function runs an action and returns the files of the next event. */
async function startWatch(...files: string[]): Promise<(act: () => Promise<unknown>) => Promise<readonly string[]>> {
  const events = new EventEmitter()
  activeWatch = await watchSettings({
    files,
    onChange: (changedFiles) => events.emit('change', changedFiles),
    debounceMs: 5,
  })
  return async (act) => {
    const event = once(events, 'change')
    await act()
    return (await event)[0]
  }
}

/** Replaces a file atomically, so that it is a single change. */
async function replace(path: string, text: string): Promise<void> {
  await writeFile(join(top, 'new'), text)
  await rename(join(top, 'new'), path)
}

test('a watch reports created, changed, replaced and deleted files, even if no folder existed', async () => {
  const changedFilesAfter = await startWatch(file)

  const create = () => mkdir(join(top, 'project/.haft'), { recursive: true }).then(() => replace(file, '{}'))
  expect(await changedFilesAfter(create)).toEqual([file])
  expect(await changedFilesAfter(() => appendFile(file, '// more'))).toEqual([file])
  expect(await changedFilesAfter(() => replace(file, '{ "model": "b" }'))).toEqual([file])
  expect(await changedFilesAfter(() => rm(file))).toEqual([file])
  expect(await changedFilesAfter(() => replace(file, '{}'))).toEqual([file])
})

test('a watch continues after the folder was deleted and created again', async () => {
  await mkdir(join(top, 'project/.haft'), { recursive: true })
  await writeFile(file, '{}')
  const changedFilesAfter = await startWatch(file)

  expect(await changedFilesAfter(() => rm(join(top, 'project/.haft'), { recursive: true }))).toEqual([file])
  expect(await changedFilesAfter(() => mkdir(join(top, 'project/.haft')).then(() => replace(file, '{}')))).toEqual([
    file,
  ])
  expect(await changedFilesAfter(() => replace(file, '{ "model": "a" }'))).toEqual([file])
})

test('a watch notices a folder that is replaced by another of the same name', async () => {
  await mkdir(join(top, 'project/.haft'), { recursive: true })
  await mkdir(join(top, 'project/other'))
  await writeFile(file, '{}')
  await writeFile(join(top, 'project/other/settings.json'), '{ "model": "other" }')
  const changedFilesAfter = await startWatch(file)

  const swapFiles = async () => {
    await rename(join(top, 'project/.haft'), join(top, 'project/old'))
    await rename(join(top, 'project/other'), join(top, 'project/.haft'))
  }

  expect(await changedFilesAfter(swapFiles)).toEqual([file])
  expect(await changedFilesAfter(() => replace(file, '{ "model": "again" }'))).toEqual([file])
})

test('a watch notices a change of a linked file', async () => {
  const target = join(top, 'dotfiles/haft.json')
  await mkdir(join(top, 'dotfiles'))
  await mkdir(join(top, 'project/.haft'), { recursive: true })
  await writeFile(target, '{}')
  await symlink(target, file)
  const changedFilesAfter = await startWatch(file)

  expect(await changedFilesAfter(() => appendFile(target, '// more'))).toEqual([file])
})

test('a watch reports only changed files, once for many events', async () => {
  const localFile = join(top, 'project/.haft/settings.local.json')
  await mkdir(join(top, 'project/.haft'), { recursive: true })
  await writeFile(file, '{}')
  await writeFile(localFile, '{}')
  const changedFilesAfter = await startWatch(file, localFile)

  // Writing the same text is not a change: only the other file is reported.
  expect(await changedFilesAfter(() => replace(file, '{}').then(() => replace(localFile, '{ "model": "a" }')))).toEqual(
    [localFile],
  )
})

test('a watch reports a change even if the writing never pauses', async () => {
  await mkdir(join(top, 'project/.haft'), { recursive: true })
  let reportedFiles: readonly string[] | undefined
  activeWatch = await watchSettings({
    files: [file],
    debounceMs: 60_000,
    onChange: (files) => (reportedFiles ??= files),
  })

  for (let i = 0; reportedFiles === undefined; i++) await replace(file, `{ "model": "${i}" }`)

  expect(reportedFiles).toEqual([file])
})

test('an exception in the listener is reported and does not end the watch', async () => {
  await mkdir(join(top, 'project/.haft'), { recursive: true })
  const events = new EventEmitter()
  let calls = 0
  activeWatch = await watchSettings({
    files: [file],
    debounceMs: 5,
    onChange: () => {
      calls++
      if (calls === 1) throw new Error('oh')
      events.emit('second')
    },
    onProblem: (message) => events.emit('problem', message),
  })

  const problem = once(events, 'problem')
  await replace(file, '{}')
  expect(await problem).toEqual(['The settings listener failed: oh'])
  const secondEvent = once(events, 'second')
  await replace(file, '{ "model": "a" }')
  await secondEvent
})

test('a closed watch reports nothing, and can be closed twice', async () => {
  await mkdir(join(top, 'project/.haft'), { recursive: true })
  const reportedFiles: (readonly string[])[] = []
  const closedWatch = await watchSettings({
    files: [file],
    onChange: (files) => reportedFiles.push(files),
    debounceMs: 1,
  })
  await writeFile(file, '{}')
  await closedWatch.close()
  await closedWatch.close()
  reportedFiles.length = 0

  // A second watch of the same file proves that there was an event.
  const changedFilesAfter = await startWatch(file)
  await changedFilesAfter(() => replace(file, '{ "model": "a" }'))

  expect(reportedFiles).toEqual([])
})
