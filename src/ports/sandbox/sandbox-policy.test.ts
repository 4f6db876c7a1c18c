import { expect, test } from 'vitest'
import { PROTECTED_FILES } from '../../shared/protected-files.js'
import {
  BARRED_AT_TOP,
  BARRED_IN_HOME,
  CONTROL_FILES,
  isProtectedName,
  PROTECTED_PATHS,
} from './protect/protected-names.js'
import { createSandboxPolicy } from './sandbox-policy.js'

const settings = { allowWrite: ['/extra'], denyWrite: ['/code/fixed'], denyRead: ['/secret'] }
const folders = { workingFolders: ['/code'], home: '/home/me', ownFiles: ['/etc/own.json'] }

test('the sandbox policy makes a workspace writable except for denied files and files that could run programs', () => {
  const policy = createSandboxPolicy('workspace', settings, folders)

  expect(policy).toMatchObject({
    workingFolders: ['/code'],
    writableFolders: ['/code', '/extra'],
    hiddenPaths: ['/secret'],
  })
  expect(policy.barredPaths).toEqual(
    expect.arrayContaining(['/code/fixed', '/etc/own.json', '/code/.haft', '/extra/.git/hooks']),
  )
  expect(policy.barredInHome).toContain('/home/me/.bash_profile')
})

test('the read-only sandbox policy permits no writes, whatever the settings allow', () => {
  expect(createSandboxPolicy('read-only', settings, folders)).toEqual({
    confinement: 'read-only',
    workingFolders: ['/code'],
    writableFolders: [],
    barredPaths: [],
    barredInHome: [],
    hiddenPaths: ['/secret'],
    home: '/home/me',
  })
})

test('the sandbox protects every path that the permission system protects, except .git for commits', () => {
  const names = PROTECTED_FILES.flatMap((kind) => [...kind.names, ...kind.folders])

  expect(names.filter((name) => !PROTECTED_PATHS.includes(name))).toEqual(['.git'])
  expect(isProtectedName('Work.Code-Workspace')).toBe(true)
})

test('every path that the sandbox does not let commands create is also protected if it exists', () => {
  const git = CONTROL_FILES.map((name) => `.git/${name}`)

  expect([...BARRED_AT_TOP, ...BARRED_IN_HOME].filter((path) => ![...PROTECTED_PATHS, ...git].includes(path))).toEqual(
    [],
  )
})
