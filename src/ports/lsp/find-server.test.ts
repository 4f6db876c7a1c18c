import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { explainMissingServer, findRoot, findServer } from './find-server.js'
import { listServers, type ServerConfig } from './server-config.js'

function createProject() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-find-server-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const put = (name: string, text = '') => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
    return join(folder, name)
  }
  const search = (isTrusted: boolean, programFolder = 'system') => ({
    servers: listServers({}, () => undefined),
    projectFolder: join(folder, 'project'),
    environment: { PATH: join(folder, programFolder) },
    isTrusted,
  })
  return { folder, put, search, file: (name: string) => join(folder, 'project', name) }
}

function putTypeScript(put: (name: string, text?: string) => string, version: string) {
  put('project/node_modules/typescript/package.json', JSON.stringify({ name: 'typescript', version }))
  const program = put('project/node_modules/typescript/bin/tsc')
  const link = join(dirname(program), '../../.bin/tsc')
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(program, link)
  return link
}

test('a server of the project is used only if the project is trusted', () => {
  const { folder, put, search, file } = createProject()
  const link = putTypeScript(put, '7.0.2')

  expect(findServer(file('a.ts'), search(true))).toMatchObject({
    command: link,
    args: ['--lsp', '--stdio'],
    root: join(folder, 'project'),
    language: 'typescript',
  })
  expect(findServer(file('a.ts'), search(false))).toBeUndefined()
  // Not even if PATH names the folder.
  expect(findServer(file('a.ts'), search(false, 'project/node_modules/.bin'))).toBeUndefined()
})

test('TypeScript before version 7 has no server, and the next program is used', () => {
  const { put, search, file } = createProject()
  putTypeScript(put, '5.9.3')
  expect(findServer(file('a.ts'), search(true))).toBeUndefined()

  const program = put('system/typescript-language-server')
  expect(findServer(file('a.ts'), search(true))).toMatchObject({ command: program, args: ['--stdio'] })
})

test('in an untrusted project, only servers that run no code of the project are started', () => {
  const { put, search, file } = createProject()
  const clangd = put('system/clangd')
  put('system/rust-analyzer')

  expect(findServer(file('a.c'), search(false))).toMatchObject({ command: clangd })
  expect(findServer(file('a.rs'), search(false))).toBeUndefined()
  expect(explainMissingServer(file('a.rs'), search(false))).toContain(
    'rust-analyzer is not started, because it can run code of the project and the user has not trusted this project.',
  )
  expect(findServer(file('a.rs'), search(true))?.config.name).toBe('rust-analyzer')
})

test('without a server, the error names those to install', () => {
  const { search, file } = createProject()

  expect(explainMissingServer(file('a.py'), search(true))).toContain(
    'No language server for .py files is installed. Install one: pyright (npm install -g pyright); pylsp (pip install python-lsp-server).',
  )
  expect(explainMissingServer(file('Makefile'), search(true))).toContain('files without an extension')
})

test('the root is the nearest or outermost folder with a marker, within the repository and the project', () => {
  const { put, file, folder } = createProject()
  put('package.json')
  put('project/package.json')
  put('project/packages/a/package.json')
  put('project/tree/.git', 'gitdir: elsewhere')
  put('project/tree/src/x')
  put('outside/package.json')
  const rootOf = (path: string, root: ServerConfig['root'], rootMarkers = ['package.json']) =>
    findRoot(path, { rootMarkers, root } as unknown as ServerConfig, join(folder, 'project'))

  expect(rootOf(file('packages/a/src/x.ts'), 'outermost')).toBe(join(folder, 'project'))
  expect(rootOf(file('packages/a/src/x.ts'), 'nearest')).toBe(file('packages/a'))
  expect(rootOf(file('tree/src/x.ts'), 'outermost')).toBe(file('tree'))
  expect(rootOf(file('src/x.ts'), 'nearest', [])).toBe(join(folder, 'project'))
  expect(rootOf(join(folder, 'outside/src/x.ts'), 'outermost')).toBe(join(folder, 'outside'))
})
