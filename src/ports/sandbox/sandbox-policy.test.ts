import { expect, test } from 'vitest'
import { findProtection, PROTECTED_FOLDERS } from '../../permissions/paths/protected-files.js'
import { BARRED_AT_TOP, BARRED_IN_HOME, PROTECTED_INSIDE, PROTECTED_NAMES } from './protect/find-protected.js'
import { createSandboxPolicy } from './sandbox-policy.js'

const settings = { allowWrite: ['/extra'], denyWrite: ['/code/fixed'], denyRead: ['/secret'] }
const folders = { workingFolders: ['/code'], home: '/home/me', ownFiles: ['/etc/own.json'] }

test('a workspace is writable except for denied files and files that could run programs', () => {
  const policy = createSandboxPolicy('workspace', settings, folders)

  expect(policy).toMatchObject({ workingFolders: ['/code'], writable: ['/code', '/extra'], hidden: ['/secret'] })
  expect(policy.barred).toEqual(
    expect.arrayContaining([
      '/code/fixed',
      '/etc/own.json',
      '/code/.haft',
      '/extra/.git/hooks',
      '/home/me/.bash_profile',
    ]),
  )
  expect(policy.guarded).toEqual(expect.arrayContaining(['/home/me/.netrc', '/home/me/.config/gh']))
})

test('a read-only policy permits no writes, whatever the settings allow', () => {
  expect(createSandboxPolicy('read-only', settings, folders)).toEqual({
    confinement: 'read-only',
    workingFolders: ['/code'],
    writable: [],
    guarded: [],
    barred: [],
    hidden: ['/secret'],
  })
})

const CREDENTIALS =
  /netrc|npmrc|pypirc|git-credentials|gnupg|aws|azure|kube|docker|pgpass|cargo|local|gh$|gcloud|systemd/

test('every protected name is also protected by the permission system, or is a credential', () => {
  const inside = [...PROTECTED_INSIDE].flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`))
  const isAsked = (name: string) => findProtection({ forms: [`/w/${name}`], isFolder: false } as never) !== undefined

  for (const name of [...PROTECTED_NAMES, ...inside, ...BARRED_AT_TOP, ...BARRED_IN_HOME]) {
    expect(isAsked(name) || CREDENTIALS.test(name), name).toBe(true)
  }
})

test('every folder that the permission system protects is protected here, except .git, which commits must change', () => {
  const ofOtherSystems = /^(application support|appdata)/
  const isProtected = (folder: string) => {
    const [first = '', second = ''] = folder.split('/')
    return PROTECTED_NAMES.has(first) || PROTECTED_INSIDE.get(first)?.includes(second)
  }

  const missing = PROTECTED_FOLDERS.filter((folder) => !isProtected(folder) && !ofOtherSystems.test(folder))
  expect(missing).toEqual(['.git'])
})
