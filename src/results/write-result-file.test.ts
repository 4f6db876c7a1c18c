import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createResultFile, writeResultFile } from './result-file.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'haft-write-'))
})
afterEach(() => rm(directory, { recursive: true }))

test('a failed write leaves no incomplete file', async () => {
  const diskFullError = new Error('ENOSPC: no space left on device, write')
  const create = (path: string) => {
    const file = createResultFile(path)
    return file && { ...file, write: () => Promise.reject(diskFullError) }
  }

  await expect(writeResultFile(directory, 'toolu_1', 'text', create)).rejects.toBe(diskFullError)

  expect(await readdir(directory)).toEqual([])
})

test('writing fails instead of looping if all candidate file names are taken', async () => {
  const create = (path: string) => {
    createResultFile(path)
    return undefined
  }

  await expect(writeResultFile(directory, 'toolu_1', 'text', create)).rejects.toThrow(
    'all candidate file names for toolu_1 are taken',
  )
})
