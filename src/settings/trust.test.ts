import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isProjectTrusted, TrustError, trustProject, untrustProject } from './trust.js'

let top: string
let home: string
let project: string

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'haft-trust-')))
  home = join(top, 'users/me')
  project = join(top, 'project')
  await mkdir(home, { recursive: true })
  await mkdir(join(project, 'inner'), { recursive: true })
})
afterEach(() => rm(top, { recursive: true }))

test('a project is trusted after trustProject and until untrustProject', async () => {
  expect(await isProjectTrusted(project, { home })).toBe(false)

  await trustProject(project, { home })
  expect(await isProjectTrusted(project, { home })).toBe(true)

  await untrustProject(project, { home })
  expect(await isProjectTrusted(project, { home })).toBe(false)
})

test('trust does not extend to parent folders or subfolders', async () => {
  await trustProject(project, { home })

  expect(await isProjectTrusted(join(project, 'inner'), { home })).toBe(false)
  expect(await isProjectTrusted(top, { home })).toBe(false)
})

test('a link and its target are the same project', async () => {
  const link = join(top, 'link')
  await symlink(project, link)
  await trustProject(link, { home })
  expect(await isProjectTrusted(project, { home })).toBe(true)

  const clone = join(top, 'clone')
  await mkdir(clone)
  await rm(link)
  await symlink(clone, link)
  expect(await isProjectTrusted(link, { home })).toBe(false)
})

test('home, its ancestors and the root cannot be trusted', async () => {
  for (const folder of [home, join(top, 'users'), top, parse(top).root]) {
    await expect(trustProject(folder, { home })).rejects.toThrow(TrustError)
  }
  await mkdir(join(home, '.haft'))
  await writeFile(join(home, '.haft/trust.json'), JSON.stringify({ projects: { [home]: {}, [top]: {} } }))

  expect(await isProjectTrusted(home, { home })).toBe(false)
  expect(await isProjectTrusted(top, { home })).toBe(false)
})

test('only the owner can read the trust file, whatever its mode was', async () => {
  await trustProject(project, { home })
  const file = join(home, '.haft/trust.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  await chmod(file, 0o666)
  await untrustProject(project, { home })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a malformed trust file trusts nothing and is not overwritten', async () => {
  await mkdir(join(home, '.haft'))
  const file = join(home, '.haft/trust.json')
  const malformedText = `{ "projects": { ${JSON.stringify(project)}: {} }`
  await writeFile(file, malformedText)

  expect(await isProjectTrusted(project, { home })).toBe(false)
  await expect(trustProject(project, { home })).rejects.toThrow(/trust\.json is malformed/)
  expect(await readFile(file, 'utf8')).toBe(malformedText)
})

test('projects trusted concurrently are all recorded', async () => {
  const projects = Array.from({ length: 12 }, (_, i) => join(top, `p${i}`))
  await Promise.all(projects.map((path) => mkdir(path)))

  await Promise.all(projects.map((path) => trustProject(path, { home })))

  expect(await Promise.all(projects.map((path) => isProjectTrusted(path, { home })))).toEqual(projects.map(() => true))
})
