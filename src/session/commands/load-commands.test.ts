import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fillPlaceholders } from '../../shared/fill-placeholders.js'
import { loadCommands } from './load-commands.js'

async function createFolders() {
  const folder = await mkdtemp(join(tmpdir(), 'haft-commands-'))
  const projectRoot = join(folder, 'project')
  const home = join(folder, 'home')
  await mkdir(join(projectRoot, '.haft', 'commands', 'git'), { recursive: true })
  await mkdir(join(projectRoot, '.claude', 'commands'), { recursive: true })
  await mkdir(join(home, '.claude', 'commands'), { recursive: true })
  return { projectRoot, home, folder }
}

test('commands come from the project and the user, with names from their path and front matter', async () => {
  const { projectRoot, home } = await createFolders()
  const commandText = '---\ndescription: Fix an issue\nargument-hint: NUMBER\n---\nFix issue $1.'
  await writeFile(join(projectRoot, '.haft/commands/fix.md'), commandText)
  await writeFile(join(projectRoot, '.haft/commands/git/log.md'), '# Show the log\n\nShow it.')
  await writeFile(join(projectRoot, '.claude/commands/fix.md'), 'not used')
  await writeFile(join(home, '.claude/commands/mine.md'), 'Mine: $ARGUMENTS')

  const commands = await loadCommands({ projectRoot, home, isTrusted: true })

  expect(commands.map(({ name, description, source }) => ({ name, description, source }))).toEqual([
    { name: 'fix', description: 'Fix an issue', source: 'project' },
    { name: 'git:log', description: 'Show the log', source: 'project' },
    { name: 'mine', description: 'Mine: $ARGUMENTS', source: 'user' },
  ])
  expect(commands[0]?.argumentHint).toBe('NUMBER')
  expect(commands[0]?.expand('12')).toBe('Fix issue 12.')
})

test('commands of a project that is not trusted are not read', async () => {
  const { projectRoot, home } = await createFolders()
  await writeFile(join(projectRoot, '.haft/commands/fix.md'), 'Fix it.')

  expect(await loadCommands({ projectRoot, home, isTrusted: false })).toEqual([])
})

test('a symbolic link to a file outside the project is reported and not used', async () => {
  const { projectRoot, home, folder } = await createFolders()
  await writeFile(join(folder, 'secret.md'), 'secret')
  await symlink(join(folder, 'secret.md'), join(projectRoot, '.haft/commands/leak.md'))
  const problems: string[] = []

  const commands = await loadCommands({
    ...{ projectRoot, home, isTrusted: true },
    onProblem: (problem) => problems.push(problem),
  })

  expect(commands).toEqual([])
  expect(problems).toEqual([expect.stringContaining('leak.md is a symbolic link to a file outside the project')])
})

test.each([
  ['Fix $1 in $2', 'one "two three"', 'Fix one in two three'],
  ['All: $ARGUMENTS', 'a $1 b', 'All: a $1 b'],
  ['No place', 'extra', 'No place\n\nArguments: extra'],
  ['No place', '', 'No place'],
  ['Costs $100 and $3', 'x', 'Costs $100 and '],
])('the body %j with the arguments %j expands to %j', (body, args, prompt) => {
  expect(fillPlaceholders(body, { args, hasPositions: true })).toBe(prompt)
})
