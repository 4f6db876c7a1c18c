import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { judgeCall } from '../src/cli/commands/permissions/judge-call.js'
import { createFiles } from '../src/ports/files/create-files.js'
import { createSearch } from '../src/ports/search/create-search.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { type PermissionRules, toPermissionContext } from '../src/runtime/permissions/permission-rules.js'
import { GlobTool } from '../src/tools/glob/tool.js'
import { GrepTool } from '../src/tools/grep/tool.js'
import { ReadTool } from '../src/tools/read/tool.js'
import { call, textOf } from './runtime-fixtures.js'

let root: string
let cwd: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'haft-search-'))
  cwd = join(root, 'project')
  for (const name of ['.env', 'src/.env', 'src/keys/a.pem', 'src/keys/a.txt', 'private/deep/x', 'open'])
    await writeNeedle(`project/${name}`)
  await writeNeedle('outside/a')
})
afterEach(() => rm(root, { recursive: true }))

async function writeNeedle(name: string): Promise<void> {
  await mkdir(dirname(join(root, name)), { recursive: true })
  await writeFile(join(root, name), 'needle\n')
}

async function runCall(name: string, input: object, permissions: PermissionRules, folder = '.') {
  const runtime = createToolRuntime({
    tools: [GlobTool, GrepTool, ReadTool],
    ports: { files: createFiles({ journalFolder: join(root, 'journal') }), search: createSearch() },
    permissions,
    cwd,
  })
  const agent = runtime.fork({ cwd: join(cwd, folder) })
  const [result] = await agent.run([call(name, input)]).results
  const isError = result?.is_error === true
  if (folder === '.') expect(await isPredictedAllowed(name, input, permissions)).toBe(!isError)
  return { isError, lines: textOf(result).split('\n').sort() }
}

/** Whether `haft permissions` reports the call as allowed. */
async function isPredictedAllowed(toolName: string, input: object, rules: PermissionRules): Promise<boolean> {
  const permissions = toPermissionContext(rules)
  const call = { toolName, input, permissions, cwd, projectDir: cwd, homeDir: root }
  const { outcome } = await judgeCall({ ...call, canConfine: () => true })
  return outcome.behavior === 'allow'
}

const DENY_RULES = ['Read(.env)', 'Read(*.pem)', 'Read(private/**)']
const VISIBLE_FILES = ['open', 'src/keys/a.txt']

test.each([
  ['Grep', { pattern: 'needle' }, VISIBLE_FILES],
  ['Grep', { pattern: 'needle', output_mode: 'count' }, VISIBLE_FILES.map((path) => `${path}:1`)],
  ['Grep', { pattern: 'needle', output_mode: 'content' }, VISIBLE_FILES.map((path) => `${path}:1:needle`)],
  ['Grep', { pattern: 'needle', path: 'src' }, ['src/keys/a.txt']],
  ['Glob', { pattern: '**/*' }, VISIBLE_FILES],
  ['Glob', { pattern: 'src/**/*' }, ['src/keys/a.txt']],
])('%s with %j searches a folder but skips files that rules deny or ask about', async (name, input, lines) => {
  expect(await runCall(name, input, { deny: DENY_RULES })).toEqual({ isError: false, lines })
  expect(await runCall(name, input, { ask: DENY_RULES })).toEqual({ isError: false, lines })
})

test.each([
  ['Read', { file_path: 'src/keys/a.pem' }],
  ['Grep', { pattern: 'needle', path: 'private' }],
  ['Grep', { pattern: 'needle', path: 'src/../private/deep/x' }],
  ['Glob', { pattern: 'private/*' }],
  ['Glob', { pattern: '*', path: 'private/deep' }],
  ['Glob', { pattern: '../outside/*' }],
  ['Grep', { pattern: 'needle', path: '/' }],
])('%s with %j is refused, because its target is denied or outside the project', async (name, input) => {
  const { isError, lines } = await runCall(name, input, { deny: DENY_RULES })
  expect(isError).toBe(true)
  expect(lines.join('\n')).not.toMatch(/needle$|deep\/x$/m)
})

test('rules are also resolved from the working directory of the call', async () => {
  const rules = { deny: ['Read(keys/**)'] }
  expect(await runCall('Grep', { pattern: 'needle' }, rules, 'src')).toEqual({ isError: false, lines: ['.env'] })
  expect(await runCall('Glob', { pattern: '**/*' }, rules, 'src')).toEqual({ isError: false, lines: ['.env'] })
})

test('a link does not bypass a rule', async () => {
  await symlink('private', join(cwd, 'link'))
  await symlink('../../outside', join(cwd, 'src/out'))
  expect((await runCall('Grep', { pattern: 'needle', path: 'link' }, { deny: DENY_RULES })).isError).toBe(true)
  expect((await runCall('Glob', { pattern: 'src/out/*' }, { deny: DENY_RULES })).isError).toBe(true)
  expect((await runCall('Read', { file_path: 'link/deep/x' }, { deny: DENY_RULES })).isError).toBe(true)
  expect((await runCall('Read', { file_path: 'src/out/a' }, {})).isError).toBe(true)
  expect((await runCall('Read', { file_path: 'src/../open' }, {})).lines).toEqual(['1\tneedle'])
  expect((await runCall('Grep', { pattern: 'needle' }, { deny: DENY_RULES })).lines).toEqual(VISIBLE_FILES)
})

test('with a deny rule that is not a valid path, every search needs approval', async () => {
  expect((await runCall('Grep', { pattern: 'needle' }, { deny: ['Read(*/../.env)'] })).isError).toBe(true)
})
