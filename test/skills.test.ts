import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Message } from '../src/contract/messages.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import type { PermissionRules } from '../src/runtime/permissions/permission-rules.js'
import { loadSkills } from '../src/session/skills/load-skills.js'
import { ReadTool } from '../src/tools/read/tool.js'
import { SkillTool } from '../src/tools/skill/tool.js'
import { WriteTool } from '../src/tools/write/tool.js'
import { call, textOf } from './runtime-fixtures.js'

let root: string
let runtime: HaftRuntime
let openRuntimes: HaftRuntime[]
beforeEach(async () => {
  openRuntimes = []
  root = await realpath(await mkdtemp(join(tmpdir(), 'haft-skills-')))
  await writeFileAt('home/.claude/skills/pdf/SKILL.md', '---\ndescription: Fills in forms\n---\nSee forms.md.')
  await writeFileAt('home/.claude/skills/pdf/forms.md', 'Press the button.')
  await writeFileAt('home/.claude/skills/other/SKILL.md', '---\ndescription: Other\n---\nElse.')
  await writeFileAt('home/.claude/private', 'secret')
  await symlink(join(root, 'home/.claude/private'), join(root, 'home/.claude/skills/pdf/link'))
  await mkdir(join(root, 'project'))
})
afterEach(async () => {
  await Promise.all(openRuntimes.map((openRuntime) => openRuntime.dispose()))
  await rm(root, { recursive: true, force: true })
})

async function writeFileAt(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

async function start(permissions: PermissionRules = {}): Promise<void> {
  const skillOptions = { projectRoot: join(root, 'project'), home: join(root, 'home'), isTrusted: false }
  const skills = await loadSkills(skillOptions)
  runtime = createToolRuntime({
    tools: [SkillTool, ReadTool, WriteTool],
    permissions,
    cwd: skillOptions.projectRoot,
    conversation: { skills: () => skills },
    machine: { homeDir: skillOptions.home },
  })
  openRuntimes.push(runtime)
}

async function makeCall(name: string, input: object, agent = runtime): Promise<string> {
  const [result] = await agent.run([call(name, input)]).results
  return textOf(result)
}

const createSkillInput = (name: string) => ({ file_path: join(root, 'home/.claude/skills/pdf', name) })

test('a skill in .claude/skills is loaded without approval', async () => {
  await start()
  const run = runtime.run([call('Skill', { skill: 'pdf' })])

  expect(textOf((await run.results)[0])).toContain('See forms.md.')
  expect(await run.newMessages).toEqual([
    {
      type: 'attachment',
      kind: 'loaded_skill',
      data: { name: 'pdf', folder: join(root, 'home/.claude/skills/pdf'), instructions: 'See forms.md.' },
    },
  ])
})

test.each([
  ['by its folder', { deny: ['Read(~/.claude/skills/pdf/**)'] }],
  ['by what a link leads to', { deny: ['Read(~/elsewhere/**)'] }],
  ['by an ask rule', { ask: ['Read(**/SKILL.md)', 'Read(~/.claude/skills/**)'] }],
])('a skill whose file is restricted %s is not loaded', async (_, permissions) => {
  await writeFileAt('home/elsewhere/pdf/SKILL.md', 'See forms.md.')
  await rm(join(root, 'home/.claude/skills/pdf'), { recursive: true })
  await symlink(join(root, 'home/elsewhere/pdf'), join(root, 'home/.claude/skills/pdf'))
  await start(permissions)

  expect(await makeCall('Skill', { skill: 'pdf' })).toMatch(
    /The skill pdf cannot be read: permission rules restrict reading/,
  )
  expect(await makeCall('Skill', { skill: 'pdf' }, runtime.fork())).toContain('rules restrict reading')
})

describe('the files of a skill', () => {
  test('can be read once the skill is loaded, and not before', async () => {
    await start()
    expect(await makeCall('Read', createSkillInput('forms.md'))).toContain('There is no user to ask')

    await makeCall('Skill', { skill: 'other' })
    expect(await makeCall('Read', createSkillInput('forms.md'))).toContain('There is no user to ask')

    await makeCall('Skill', { skill: 'pdf' })
    expect(await makeCall('Read', createSkillInput('forms.md'))).toContain('Press the button.')
    expect(await makeCall('Read', createSkillInput('forms.md'), runtime.fork())).toContain('Press the button.')
  })

  test('cannot be written, and a link out of the folder is not included', async () => {
    await start()
    await makeCall('Skill', { skill: 'pdf' })

    expect(await makeCall('Write', { ...createSkillInput('new.md'), content: 'x' })).toContain(
      'There is no user to ask',
    )
    expect(await makeCall('Read', createSkillInput('link'))).toContain('There is no user to ask')
    expect(await makeCall('Read', createSkillInput('../other/SKILL.md'))).toContain('There is no user to ask')
  })

  test('cannot be read if a rule denies them', async () => {
    await start({ deny: ['Read(~/.claude/skills/pdf/**)'] })
    await makeCall('Skill', { skill: 'pdf' })

    expect(await makeCall('Read', createSkillInput('forms.md'))).toContain('denies this call')
  })

  test('can be read after a resume, as long as the skill is the same', async () => {
    const folder = join(root, 'home/.claude/skills/pdf')
    const record = (data: unknown): Message => ({ type: 'attachment', kind: 'loaded_skill', data })
    await start()

    runtime.restore([record({ name: 'pdf', folder: '/' }), record({ name: 'x', folder }), record(null)])
    expect(await makeCall('Read', createSkillInput('forms.md'))).toContain('There is no user to ask')
    runtime.restore([record({ name: 'pdf', folder })])
    expect(await makeCall('Read', createSkillInput('forms.md'))).toContain('Press the button.')
  })

  test('cannot be read if the folder contains the whole home folder', async () => {
    await writeFileAt('home/SKILL.md', '---\nname: home\ndescription: all\n---\nx')
    await symlink(join(root, 'home'), join(root, 'home/.claude/skills/home'))
    await start()

    expect(await makeCall('Skill', { skill: 'home' })).toContain('is loaded')
    expect(await makeCall('Read', { file_path: join(root, 'home/.claude/private') })).toContain(
      'There is no user to ask',
    )
  })
})

describe('a call of Skill', () => {
  test.each([
    [{ deny: ['Skill(pdf)'] }, 'denies this call'],
    [{ deny: ['Skill(pdf:*)'] }, 'denies this call'],
    [{ deny: ['Skill(other)'] }, 'is loaded'],
    [{ ask: ['Skill(p*)'] }, 'asks about it'],
    [{ mode: 'plan' as const }, 'is loaded'],
    [{ mode: 'dontAsk' as const }, 'is loaded'],
  ])('with the permissions %j returns a result that contains "%s"', async (permissions, text) => {
    await start(permissions)

    expect(await makeCall('Skill', { skill: 'pdf', args: 'x' })).toContain(text)
  })
})
