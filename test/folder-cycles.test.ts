import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const CONFIG = resolve('.dependency-cruiser-folders.cjs')
const folders: string[] = []

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

/** Writes the files into a new folder and returns the folders that are reported to be part of a cycle. */
async function findFoldersInCycles(files: Readonly<Record<string, string>>): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'haft-folders-'))
  folders.push(root)
  const project = { 'package.json': '{ "type": "module" }', 'tsconfig.json': '{}' }
  for (const [path, content] of Object.entries({ ...project, ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const depcruise = resolve('node_modules/.bin/depcruise')
  const cruise = promisify(execFile)(depcruise, ['--config', CONFIG, '--output-type', 'json', 'src'], { cwd: root })
  // Violations are expected here, and they set the exit code.
  const { stdout } = await cruise.catch((error: { stdout: string }) => error)
  const { violations } = JSON.parse(stdout).summary as { violations: { from: string; rule: { severity: string } }[] }
  return violations.filter(({ rule }) => rule.severity === 'error').map(({ from }) => from)
}

const LEAF_MODULE = 'export const leaf = 1'

test('two subfolders that import each other are reported, even without a cycle of files', async () => {
  const reportedFolders = await findFoldersInCycles({
    'src/session/a/uses-b.ts': "import '../b/leaf.js'",
    'src/session/a/leaf.ts': LEAF_MODULE,
    'src/session/b/uses-a.ts': "import '../a/leaf.js'",
    'src/session/b/leaf.ts': LEAF_MODULE,
  })

  expect(reportedFolders.sort()).toEqual(['src/session/a', 'src/session/b'])
})

test('a cycle of types through three subfolders is reported', async () => {
  const reportedFolders = await findFoldersInCycles({
    'src/mcp/a/one.ts': "import type { B } from '../b/two.js'\nexport type A = B",
    'src/mcp/b/one.ts': "import type { C } from '../c/two.js'\nexport type B = C",
    'src/mcp/c/one.ts': "import type { A } from '../a/two.js'\nexport type C = A",
    'src/mcp/a/two.ts': 'export type A = 1',
    'src/mcp/b/two.ts': 'export type B = 1',
    'src/mcp/c/two.ts': 'export type C = 1',
  })

  expect([...new Set(reportedFolders)].sort()).toEqual(['src/mcp/a', 'src/mcp/b', 'src/mcp/c'])
})

test('a folder and its own subfolder may import each other, and tests may import anything', async () => {
  const reportedFolders = await findFoldersInCycles({
    'src/calls/run.ts': "import './steps/parse.js'",
    'src/calls/call.ts': LEAF_MODULE,
    'src/calls/steps/parse.ts': "import '../call.js'",
    'src/calls/steps/parse.test.ts': "import '../asking/ask.js'",
    'src/calls/asking/ask.ts': "import '../steps/parse.js'",
  })

  expect(reportedFolders).toEqual([])
})
