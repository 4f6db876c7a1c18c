import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSkills, type SkillOptions } from './load-skills.js'

let root: string
let home: string
let project: string
let problems: string[]
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'haft-skills-')))
  home = join(root, 'home')
  project = join(root, 'project')
  problems = []
  await mkdir(home)
  await mkdir(project)
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

const createSkillText = (name: string, description: string, body = 'Do it.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`

function load(options: Partial<SkillOptions> = {}) {
  const onProblem = (problem: string) => problems.push(problem)
  return loadSkills({ projectRoot: project, home, isTrusted: true, onProblem, ...options })
}

const listSkills = async (options?: Partial<SkillOptions>) =>
  (await load(options)).map(({ name, description }) => `${name}: ${description}`)

describe('skill folders', () => {
  const skillParents = ['project/.haft', 'project/.claude', 'home/.haft', 'home/.claude']

  test('take precedence in the project over those of the user, and in .haft over .claude', async () => {
    for (const parent of skillParents)
      await put(`${parent}/skills/same/SKILL.md`, createSkillText('same', `of ${parent}`))
    for (const parent of skillParents)
      await put(`${parent}/skills/own/SKILL.md`, createSkillText(`own-${parent.replace('/.', '-')}`, 'its own'))

    expect(await listSkills()).toEqual([
      'own-home-claude: its own',
      'own-home-haft: its own',
      'own-project-claude: its own',
      'own-project-haft: its own',
      'same: of project/.haft',
    ])
    await rm(join(project, '.haft'), { recursive: true })
    expect(await listSkills()).toContain('same: of project/.claude')
    await rm(join(project, '.claude'), { recursive: true })
    expect(await listSkills()).toContain('same: of home/.haft')
    await rm(join(home, '.haft'), { recursive: true })
    expect(await listSkills()).toContain('same: of home/.claude')
    expect(problems).toEqual([])
  })

  test('are not read in an untrusted project', async () => {
    await put('project/.claude/skills/evil/SKILL.md', createSkillText('evil', 'obey'))

    expect(await load({ isTrusted: false })).toEqual([])
  })

  test('belong to the user if they are in the home folder, trusted or not', async () => {
    await put('home/.claude/skills/mine/SKILL.md', createSkillText('mine', 'is mine'))

    expect(await listSkills({ projectRoot: home, isTrusted: false })).toEqual(['mine: is mine'])
  })

  test('have the lowest precedence if they are passed as extra folders', async () => {
    await put('plugin/one/SKILL.md', createSkillText('one', 'of a plugin'))
    await put('plugin/two/SKILL.md', createSkillText('two', 'of a plugin'))
    await put('home/.haft/skills/two/SKILL.md', createSkillText('two', 'of the user'))

    expect(await listSkills({ extraFolders: [join(root, 'plugin'), join(root, 'gone')] })).toEqual([
      'one: of a plugin',
      'two: of the user',
    ])
  })
})

describe('a skill', () => {
  test('is read again on each use, without its front matter', async () => {
    await put('home/.haft/skills/pdf/SKILL.md', createSkillText('pdf', 'reads'))
    const [foundSkill] = await load()

    await put('home/.haft/skills/pdf/SKILL.md', createSkillText('pdf', 'reads', 'Changed since.'))

    expect(await foundSkill?.skill.read()).toBe('Changed since.')
    expect(foundSkill?.skill.folder).toBe(join(home, '.haft/skills/pdf'))
    await rm(join(home, '.haft/skills/pdf/SKILL.md'))
    await expect(foundSkill?.skill.read()).rejects.toThrow('no longer exists')
  })

  test('can be limited to invocation by the user', async () => {
    await put('home/.haft/skills/a/SKILL.md', '---\ndescription: x\ndisable-model-invocation: true\n---\n')
    await put('home/.haft/skills/b/SKILL.md', createSkillText('b', 'y'))

    expect((await load()).map((foundSkill) => foundSkill.skill.isUserInvocableOnly)).toEqual([true, false])
  })

  test('falls back to the folder name and to the first line as description', async () => {
    await put('home/.haft/skills/a-b/SKILL.md', createSkillText('Not A/Name', 'x'))
    await put('home/.haft/skills/plain/SKILL.md', '# How to do it\n\nLike this.')

    expect(await listSkills()).toEqual(['a-b: x', 'plain: How to do it'])
  })

  test('is listed by the beginning of its file, but rejected when it is read if it is too large', async () => {
    await put('home/.haft/skills/huge/SKILL.md', createSkillText('huge', 'x', 'y'.repeat(2_000_000)))
    const [foundSkill] = await load()

    expect(foundSkill?.name).toBe('huge')
    await expect(foundSkill?.skill.read()).rejects.toThrow('is larger than')
  })
})

describe('an invalid skill', () => {
  test.each([
    ['bad name', 'SKILL.md', createSkillText('../evil', 'x'), 'has no valid name'],
    ['empty', 'SKILL.md', '', 'has no description'],
    ['broken', 'SKILL.md', '---\nname: [\n---\n', 'has front matter that cannot be parsed'],
    ['endless', 'SKILL.md', `---\nname: a\n${'x: y\n'.repeat(10_000)}`, 'does not end within'],
    ['folder', 'SKILL.md/inner', 'x', 'is not a regular file'],
    ['line\nbreak', 'SKILL.md', createSkillText('\u001b[31m', 'x'), 'has no valid name'],
  ])('%j is reported in one line, and the others are loaded', async (name, file, text, problem) => {
    await put(`home/.haft/skills/${name}/${file}`, text)
    await put('home/.haft/skills/good/SKILL.md', createSkillText('good', 'works'))

    expect(await listSkills()).toEqual(['good: works'])
    expect(problems).toEqual([expect.stringContaining(problem)])
    expect(problems[0]).not.toMatch(/\p{Cc}/u)
  })

  test('does not block loading if it is a named pipe', async () => {
    await mkdir(join(home, '.haft/skills/pipe'), { recursive: true })
    execFileSync('mkfifo', [join(home, '.haft/skills/pipe/SKILL.md')])

    expect(await load()).toEqual([])
    expect(problems).toEqual([expect.stringContaining('is not a regular file')])
  })

  test('is not reported for folders without SKILL.md, plain files and hidden folders', async () => {
    await put('home/.haft/skills/README.md', 'x')
    await put('home/.haft/skills/notes/other.md', 'x')
    await put('home/.haft/skills/.hidden/SKILL.md', createSkillText('hidden', 'x'))

    expect(await load()).toEqual([])
    expect(problems).toEqual([])
  })

  test.skipIf(process.getuid?.() === 0)(
    'in a folder without read permission is reported as a problem of the folder',
    async () => {
      await mkdir(join(home, '.haft/skills'), { recursive: true })
      await chmod(join(home, '.haft/skills'), 0)

      expect(await load()).toEqual([])
      expect(problems).toEqual([expect.stringContaining('cannot be read (EACCES)')])
      await chmod(join(home, '.haft/skills'), 0o700)
    },
  )
})

describe('symbolic links', () => {
  test('are rejected if they point outside the project', async () => {
    await put('elsewhere/x/SKILL.md', createSkillText('x', 'from elsewhere'))
    await mkdir(join(project, '.claude/skills'), { recursive: true })
    await symlink(join(root, 'elsewhere/x'), join(project, '.claude/skills/x'))

    expect(await load()).toEqual([])
    expect(problems).toEqual([
      expect.stringContaining(
        'is in a folder that a symbolic link places outside the project; move the skill into the project',
      ),
    ])
  })

  test('may point anywhere if they belong to the user, and the real folder is returned', async () => {
    await put('dotfiles/x/SKILL.md', createSkillText('x', 'from elsewhere'))
    await mkdir(join(home, '.claude'), { recursive: true })
    await symlink(join(root, 'dotfiles'), join(home, '.claude/skills'))

    const [foundSkill] = await load()

    expect(foundSkill?.skill.folder).toBe(join(root, 'dotfiles/x'))
    expect(await foundSkill?.skill.read()).toBe('Do it.')
  })

  test('are rejected in place of SKILL.md if they point outside the folder, both when listed and when read', async () => {
    await put('secret', createSkillText('secret', 'x', 'password'))
    await put('home/.haft/skills/a/SKILL.md', createSkillText('a', 'x'))
    const [foundSkill] = await load()
    const file = join(home, '.haft/skills/a/SKILL.md')
    await rm(file)
    await symlink(join(root, 'secret'), file)

    await expect(foundSkill?.skill.read()).rejects.toThrow('is a symbolic link to a file outside its folder')
    expect(await load()).toEqual([])
    expect(problems).toEqual([expect.stringContaining('is a symbolic link to a file outside its folder')])
  })
})
