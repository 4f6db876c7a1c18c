import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { BUILT_IN_KINDS } from './agent-kinds.js'
import { loadAgentKinds } from './load-agent-kinds.js'
import { parseAgentFile } from './parse-agent-file.js'

async function createFolders(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'haft-kinds-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const problems: string[] = []
  const options = {
    projectRoot: join(folder, 'project'),
    home: join(folder, 'home'),
    onProblem: (p: string) => problems.push(p),
  }
  return { folder, place: options, problems }
}

const createAgentFile = (name: string, description: string, extraFields = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${extraFields}---\nPrompt of ${description}.\n`

test('loadAgentKinds returns the built-in kinds if there are no files', async () => {
  const { place } = await createFolders({})

  expect(await loadAgentKinds({ ...place, isTrusted: true })).toEqual(BUILT_IN_KINDS)
  expect(BUILT_IN_KINDS.map(({ name }) => name)).toEqual(['general-purpose', 'Explore', 'Plan', 'fork'])
})

test('kinds of the project take precedence over those of the user, .haft over .claude, and any file over built-in kinds', async () => {
  const { place } = await createFolders({
    'project/.haft/agents/a.md': createAgentFile('a', 'project haft'),
    'project/.claude/agents/a.md': createAgentFile('a', 'project claude'),
    'home/.haft/agents/a.md': createAgentFile('A', 'user haft'),
    'project/.claude/agents/b.md': createAgentFile('b', 'project claude'),
    'home/.haft/agents/b.md': createAgentFile('b', 'user haft'),
    'home/.haft/agents/c.md': createAgentFile('c', 'user haft'),
    'home/.claude/agents/c.md': createAgentFile('c', 'user claude'),
    'home/.claude/agents/explore.md': createAgentFile('explore', 'user claude'),
  })

  const kinds = await loadAgentKinds({ ...place, isTrusted: true })

  expect(
    kinds
      .map(({ name, description, source }) => [name, description, source])
      .filter(([, , source]) => source !== 'built-in'),
  ).toEqual([
    ['explore', 'user claude', 'user'],
    ['a', 'project haft', 'project'],
    ['b', 'project claude', 'project'],
    ['c', 'user haft', 'user'],
  ])
  expect(kinds[1]?.prompt).toBe('Prompt of user claude.')
})

test('loadAgentKinds ignores files of an untrusted project', async () => {
  const { place } = await createFolders({
    'project/.haft/agents/a.md': createAgentFile('a', 'project'),
    'project/.claude/agents/Explore.md': createAgentFile('Explore', 'project'),
    'home/.claude/agents/b.md': createAgentFile('b', 'user'),
  })

  const kinds = await loadAgentKinds({ ...place, isTrusted: false })

  expect(kinds.filter(({ source }) => source !== 'built-in').map(({ name }) => name)).toEqual(['b'])
})

test('files in the home folder belong to the user, even if it is the project', async () => {
  const { place } = await createFolders({ 'home/.claude/agents/b.md': createAgentFile('b', 'user') })

  const kinds = await loadAgentKinds({ ...place, projectRoot: place.home, isTrusted: false })

  expect(kinds.at(-1)).toMatchObject({ name: 'b', source: 'user' })
})

test('an invalid file is reported in one line, and the others are loaded', async () => {
  const { place, problems } = await createFolders({
    'home/.haft/agents/none.md': 'No fields.',
    'home/.haft/agents/blank.md': '---\nname: blank\n---\n',
    'home/.haft/agents/name.md': createAgentFile('"../up"', 'd'),
    'home/.haft/agents/list.md': createAgentFile('list', 'd', 'tools: { a: 1 }\n'),
    'home/.haft/agents/big.md': `${createAgentFile('big', 'd')}${'x'.repeat(300_000)}`,
    'home/.haft/agents/folder.md/x': '',
    'home/.haft/agents/good.md': createAgentFile('good', 'd'),
  })

  const kinds = await loadAgentKinds({ ...place, isTrusted: true })

  expect(kinds.at(-1)?.name).toBe('good')
  expect(problems.map((problem) => problem.replace(/^.*agents./, '')).sort()).toEqual([
    'big.md: it is larger than 262144 bytes.',
    'blank.md: description is missing: add one that says when to use the agent.',
    'folder.md: it is not a regular file.',
    'list.md: tools must be a list of names, or names separated by commas.',
    'name.md: "../up" is not a valid name for a kind of agent: use up to 64 letters, digits, "-", "_", "." and ":".',
    'none.md: it must begin with front matter between two lines of ---.',
  ])
})

test('loadAgentKinds reads all known fields and ignores others', async () => {
  const text = `---
name: reviewer
description: Reviews code
tools: Read, Grep, mcp__github, Agent(Explore, Plan)
disallowedTools: [Bash]
model: sonnet
permissionMode: acceptEdits
maxTurns: 7
color: purple
---

You review code.
`

  expect(await parseAgentFile(text, 'x.md')).toEqual({
    problems: [],
    kind: {
      name: 'reviewer',
      description: 'Reviews code',
      tools: ['Read', 'Grep', 'mcp__github', 'Agent'],
      agents: ['Explore', 'Plan'],
      disallowedTools: ['Bash'],
      model: 'sonnet',
      permissionMode: 'acceptEdits',
      maxTurns: 7,
      prompt: 'You review code.',
    },
  })
})

test('loadAgentKinds reports a tool with a rule, an unknown mode and an invalid turn limit, and does not apply them', async () => {
  const { kind, problems } = await parseAgentFile(
    createAgentFile('a', 'd', 'tools: Read, Bash(git log:*)\npermissionMode: yolo\nmaxTurns: -1\n'),
    'a.md',
  )

  expect(kind).toMatchObject({ tools: ['Read'], permissionMode: 'plan' })
  expect(kind.maxTurns).toBeUndefined()
  expect(problems).toHaveLength(3)
})

test('loadAgentKinds accepts unquoted colons in descriptions, and takes the name from the file name', async () => {
  const { kind } = await parseAgentFile(
    '---\ndescription: Use it: for "this", e.g. <example>a: b</example>\n---\nGo.',
    'helper.md',
  )

  expect(kind).toMatchObject({ name: 'helper', description: 'Use it: for "this", e.g. <example>a: b</example>' })
})

test('any file yields a kind with name and description, or an error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `---\n${text}\n---\nbody`),
        fc.tuple(fc.string(), fc.string()).map(([a, b]) => createAgentFile('a', a, `tools: ${b}\n`)),
      ),
      async (text) => {
        const outcome = await parseAgentFile(text, 'a.md').catch((error: unknown) => error)
        if (outcome instanceof Error) return
        const { kind } = outcome as Awaited<ReturnType<typeof parseAgentFile>>
        expect(kind.name).not.toBe('')
        expect(kind.description.trim()).not.toBe('')
        for (const tool of kind.tools ?? []) expect(tool).toMatch(/^[^(]*$/)
      },
    ),
    createPropertyOptions(),
  )
})

test.each([
  ['Read, Agent(a, b), Grep', ['Read', 'Agent(a, b)', 'Grep']],
  ['Bash(x, Edit, Write', ['Bash(x', 'Edit', 'Write']],
  ['Bash((a, b), c)', ['Bash((a, b)', 'c)']],
  [',, Read ,', ['Read']],
])('the value %j of disallowedTools is split into names', async (list, names) => {
  const { kind } = await parseAgentFile(createAgentFile('a', 'd', `disallowedTools: "${list}"\n`), 'a.md')

  expect(kind.disallowedTools).toEqual(names)
})

test('a file full of parentheses is parsed in linear time', async () => {
  const unclosedFile = await parseAgentFile(
    createAgentFile('a', 'd', `disallowedTools: "${'('.repeat(200_000)}"\n`),
    'a.md',
  )
  const pairs = await parseAgentFile(createAgentFile('a', 'd', `disallowedTools: "${'(),'.repeat(50_000)}"\n`), 'a.md')

  expect(unclosedFile.kind.disallowedTools).toHaveLength(1)
  expect(pairs.kind.disallowedTools).toHaveLength(50_000)
})

test('loadAgentKinds does not follow symbolic links of the project to files outside it, but follows those of the user', async () => {
  const { folder, place, problems } = await createFolders({
    'secret.md': createAgentFile('secret', 'secret'),
    'project/inside.md': createAgentFile('inside', 'inside'),
    'project/.haft/agents/own.md': createAgentFile('own', 'own'),
    'home/.haft/agents/mine.md': createAgentFile('mine', 'mine'),
  })
  await symlink(join(folder, 'secret.md'), join(folder, 'project/.haft/agents/a.md'))
  await symlink(join(folder, 'project/inside.md'), join(folder, 'project/.haft/agents/b.md'))
  await symlink(join(folder, 'secret.md'), join(folder, 'home/.haft/agents/c.md'))

  const kinds = await loadAgentKinds({ ...place, isTrusted: true })

  const loadedNames = kinds.flatMap(({ name, source }) => (source === 'built-in' ? [] : [`${source} ${name}`]))
  expect(loadedNames).toEqual(['project inside', 'user mine', 'project own', 'user secret'])
  expect(problems).toEqual([expect.stringMatching(/a\.md: it links to a file outside the project\.$/)])
})
