import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runSteps } from '../../../shared/steps.js'
import { SandboxFixture } from '../fixture-sandbox.js'
import { createListings, findProtected } from './find-protected.js'

let fixture: SandboxFixture
beforeEach(() => {
  fixture = new SandboxFixture()
})
afterEach(() => fixture.remove())

function put(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(fixture.project, name)), { recursive: true })
    writeFileSync(join(fixture.project, name), '')
  }
}

const find = (root: string) => runSteps(findProtected(root, createListings()))
const findProtectedNames = (root = fixture.project) => toRelativePaths(find(root).paths)
const toRelativePaths = (paths: readonly string[]) => paths.map((path) => relative(fixture.project, path)).sort()

test('protected files and git folders are found at any depth', () => {
  put('.envrc', 'packages/a/.vscode/tasks.json', '.config/fish/x', '.config/other/x', '.git/config', 'src/index.ts')
  put('a/b/c/d/e/f/.git/config', 'bare/HEAD', 'bare/objects/x', 'bare/refs/x', 'mirror.git/config', 'sub/.git')

  const foundFiles = find(fixture.project)
  expect(toRelativePaths(foundFiles.paths)).toEqual(['.config/fish', '.envrc', 'packages/a/.vscode', 'sub/.git'])
  expect(toRelativePaths(foundFiles.gitFolders)).toEqual(['.git', 'a/b/c/d/e/f/.git', 'bare', 'mirror.git'])
  expect(toRelativePaths(foundFiles.gitFiles)).toEqual(['sub/.git'])
})

test('protected names are found in any letter case, by their ending, and as paths of several folders', () => {
  put(
    '.BashRC',
    'a.code-workspace',
    'Library/LaunchAgents/x.plist',
    'Library/Caches/x',
    'Application Support/Code/User/x',
  )

  expect(findProtectedNames()).toEqual([
    '.BashRC',
    'Application Support/Code/User',
    'Library/LaunchAgents',
    'a.code-workspace',
  ])
})

test('a git folder is found even if it is itself a working folder', () => {
  put('.git/config', '.git/HEAD')

  expect(find(join(fixture.project, '.git')).gitFolders).toEqual([join(fixture.project, '.git')])
})

test('the search for protected files does not follow links or enter folders of installed packages', () => {
  put('node_modules/a/.envrc', 'real/.envrc')
  symlinkSync(join(fixture.project, 'real'), join(fixture.project, 'link'))
  symlinkSync('/', join(fixture.project, 'root'))

  expect(findProtectedNames()).toEqual(['real/.envrc'])
})
