import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SandboxFixture } from '../fixture-sandbox.js'
import { findProtected } from './find-protected.js'

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

const protectedNames = (root = fixture.project) =>
  findProtected(root)
    .map((path) => relative(fixture.project, path))
    .sort()

test('protected files are found in packages and nested repositories', () => {
  put('.envrc', 'packages/a/.vscode/tasks.json', 'packages/a/.git/config', 'packages/a/.git/hooks/x', '.config/fish/x')
  put('.git/modules/sub/config', '.git/modules/sub/info/attributes', '.git/index', 'src/index.ts', '.config/other/x')

  expect(protectedNames()).toEqual([
    '.config/fish',
    '.envrc',
    '.git/modules/sub/config',
    '.git/modules/sub/info/attributes',
    'packages/a/.git/config',
    'packages/a/.git/hooks',
    'packages/a/.vscode',
  ])
})

test('the parts of a git folder are protected even if it is itself a working folder', () => {
  put('.git/config', '.git/hooks/x', '.git/HEAD')

  expect(protectedNames(join(fixture.project, '.git'))).toEqual(['.git/config', '.git/hooks'])
})

test('the search does not follow links or enter folders of installed packages', () => {
  put('node_modules/a/.envrc', 'real/.envrc')
  symlinkSync(join(fixture.project, 'real'), join(fixture.project, 'link'))
  symlinkSync('/', join(fixture.project, 'root'))

  expect(protectedNames()).toEqual(['real/.envrc'])
})
