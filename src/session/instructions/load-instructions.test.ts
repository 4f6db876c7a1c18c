import { execFileSync } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTemporaryFiles } from '../../testing/files/temporary-files.js'
import { announceInstructions, formatInstructions } from './instructions-text.js'
import { loadInstructions, MAX_INSTRUCTION_CHARS } from './load-instructions.js'

async function createFolders() {
  const { cwd, put, toPath } = await createTemporaryFiles()
  const home = join(cwd, 'home')
  const projectRoot = join(cwd, 'project')
  await Promise.all([mkdir(home), mkdir(join(projectRoot, 'sub/deep'), { recursive: true })])
  const load = async (from = 'project', onProblem?: (problem: string) => void) => {
    const files = await loadInstructions({
      cwd: toPath(from),
      projectRoot,
      home,
      isTrusted: true,
      ...(onProblem && { onProblem }),
    })
    return files.map(({ path: filePath, text }) => [filePath.slice(cwd.length + 1), text])
  }
  return { put, toPath, load }
}

test('loadInstructions loads the user’s files first, then those from the root down to the working folder', async () => {
  const { put, load } = await createFolders()
  await put('home/.haft/AGENTS.md', 'user')
  await put('home/.claude/CLAUDE.md', 'user, elsewhere')
  await put('project/AGENTS.md', '\uFEFFroot\n')
  await put('project/AGENTS.local.md', 'mine')
  await put('project/sub/CLAUDE.md', 'sub')
  await put('project/sub/deep/AGENTS.md', 'deep')
  await put('project/other/AGENTS.md', 'other')

  expect(await load('project/sub/deep')).toEqual([
    ['home/.haft/AGENTS.md', 'user'],
    ['home/.claude/CLAUDE.md', 'user, elsewhere'],
    ['project/AGENTS.md', 'root'],
    ['project/AGENTS.local.md', 'mine'],
    ['project/sub/CLAUDE.md', 'sub'],
    ['project/sub/deep/AGENTS.md', 'deep'],
  ])
})

test('AGENTS.md and CLAUDE.md of the same folder are both read', async () => {
  const { put, load } = await createFolders()
  await put('project/AGENTS.md', 'agents')
  await put('project/CLAUDE.md', 'claude')

  expect(await load()).toEqual([
    ['project/AGENTS.md', 'agents'],
    ['project/CLAUDE.md', 'claude'],
  ])
})

test.each([
  ['the same text', 'rules', [['project/AGENTS.md', 'rules']]],
  ['an import of it', '@AGENTS.md', [['project/AGENTS.md', 'rules']]],
  ['an import of it and more', '@AGENTS.md\nmore', [['project/CLAUDE.md', 'rules\nmore']]],
])('AGENTS.md is not repeated if CLAUDE.md has %s', async (_, text, expected) => {
  const { put, load } = await createFolders()
  await put('project/AGENTS.md', 'rules')
  await put('project/CLAUDE.md', text)

  expect(await load()).toEqual(expected)
})

test('@path inside a line adds the file below the line, except in code', async () => {
  const { put, load } = await createFolders()
  await put('project/docs/a.md', 'A')
  await put('secret.md', 'SECRET')
  const code = 'Not `@docs/a.md`, me@docs/a.md or @../secret.md\n```\nsee @docs/a.md\n```'
  await put('project/AGENTS.md', `See @docs/a.md, and (@docs/a.md).\n${code}`)

  expect(await load()).toEqual([['project/AGENTS.md', `See @docs/a.md, and (@docs/a.md).\nA\nA\n${code}`]])
})

test('a line with @ imports a file of the project, but nothing from outside', async () => {
  const { put, load } = await createFolders()
  await put('project/CLAUDE.md', 'before\n@docs/rules.md\n@../secret\n@~/.ssh/id\n@absent.md\nmail me @home\nafter')
  await put('project/docs/rules.md', 'rules\n@more.md\n')
  await put('project/docs/more.md', 'more')
  await put('secret', 'SECRET')

  const [[, text] = []] = await load()

  expect(text).toBe('before\nrules\nmore\n@../secret\n@~/.ssh/id\n@absent.md\nmail me @home\nafter')
})

test('circular imports end at the maximum depth of imports', async () => {
  const { put, load } = await createFolders()
  await put('project/AGENTS.md', 'a\n@b.md')
  await put('project/b.md', 'b\n@AGENTS.md')

  expect((await load())[0]?.[1]).toMatch(/^a\nb\na\nb/)
})

test('loadInstructions ignores symbolic links to files outside the project, folders and named pipes', async () => {
  const { put, toPath, load } = await createFolders()
  await put('secret', 'SECRET')
  await symlink(toPath('secret'), toPath('project/AGENTS.md'))
  await mkdir(toPath('project/AGENTS.local.md'))
  execFileSync('mkfifo', [toPath('project/sub/AGENTS.md')])

  expect(await load('project/sub')).toEqual([])
})

test('loadInstructions truncates text over the limit, the nearest files last, and reports it', async () => {
  const { put, load } = await createFolders()
  await put('project/AGENTS.md', 'r'.repeat(MAX_INSTRUCTION_CHARS))
  await put('project/sub/AGENTS.md', 'near')
  const problems: string[] = []

  const files = await load('project/sub', (problem) => problems.push(problem))

  expect(files.map(([, text]) => text?.length)).toEqual([MAX_INSTRUCTION_CHARS - 4, 4])
  expect(problems).toEqual([expect.stringContaining('too long')])
})

test('announceInstructions announces the files once, with their paths', async () => {
  const files = [{ path: '/p/AGENTS.md', text: 'Use tabs.' }]
  const attachment = announceInstructions([], files)

  expect(formatInstructions(attachment?.data)).toMatch(/Contents of \/p\/AGENTS\.md:\n\nUse tabs\./)
  expect(attachment && announceInstructions([attachment], files)).toBeUndefined()
  expect(announceInstructions([], [])).toBeUndefined()
})

test('loadInstructions imports only text documents: other files may contain secrets and need a tool that checks the rules', async () => {
  const { put, toPath, load } = await createFolders()
  await put('project/.env', 'KEY=secret')
  await put('project/AGENTS.md', 'a\n@.env\n@./.env')
  await symlink('../.env', toPath('project/sub/AGENTS.md'))

  expect(await load('project/sub')).toEqual([['project/AGENTS.md', 'a\n@.env\n@./.env']])
})
