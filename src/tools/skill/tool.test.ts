import { describe, expect, test } from 'vitest'
import type { Skill, SlashCommand } from '../../contract/tool/context.js'
import { callTool } from '../../testing/call-tool.js'
import { SkillTool } from './tool.js'

function skill(name: string, body: string, fields: Partial<Skill['skill']> = {}): Skill {
  const source = { folder: `/skills/${name}`, isUserInvocableOnly: false, read: async () => body, ...fields }
  return { name, description: `does ${name}`, skill: source }
}

function load(input: unknown, ...commands: SlashCommand[]): Promise<string> {
  const options = { tools: [], commands, mainLoopModel: '', mcpClients: [], agentDefinitions: [] }
  return callTool(SkillTool, input, { options: { ...options, thinkingConfig: { type: 'disabled' } } })
}

test('the model receives the instructions and the folder of the skill', async () => {
  expect(await load({ skill: 'pdf' }, skill('pdf', 'Open it.'))).toBe(
    'The skill pdf is loaded. Its folder is /skills/pdf; paths in its instructions are relative to it.\n\nOpen it.',
  )
})

describe('arguments', () => {
  const createFolderPlaceholder = (agent: string) => `$\{${agent}_SKILL_DIR}`
  test.each([
    ['Fix $ARGUMENTS now, $ARGUMENTS.', '12', 'Fix 12 now, 12.'],
    ['Fix it.\n', '12 high', 'Fix it.\n\nArguments: 12 high'],
    ['Fix $ARGUMENTS.', undefined, 'Fix .'],
    [
      'Fix $ARGUMENTS.',
      `$& $ARGUMENTS ${createFolderPlaceholder('CLAUDE')}`,
      `Fix $& $ARGUMENTS ${createFolderPlaceholder('CLAUDE')}.`,
    ],
    [
      `Run ${createFolderPlaceholder('CLAUDE')}/a or ${createFolderPlaceholder('HAFT')}/b.`,
      undefined,
      'Run /skills/fix/a or /skills/fix/b.',
    ],
    ['$ARGUMENTSX !`rm -rf x`', undefined, '$ARGUMENTSX !`rm -rf x`'],
  ])('are filled into %j: %j', async (body, args, text) => {
    const result = await load({ skill: 'fix', ...(args !== undefined && { args }) }, skill('fix', body))

    expect(result.split('\n\n').slice(1).join('\n\n')).toBe(text)
  })
})

test('a leading slash is ignored', async () => {
  expect(await load({ skill: '/pdf' }, skill('pdf', 'Open it.'))).toContain('Open it.')
})

test('an unknown skill is refused, and a similar name is suggested', async () => {
  const commands = [skill('commit', ''), skill('review', ''), { name: 'comet', description: 'a prompt of a server' }]

  await expect(load({ skill: 'comit' }, ...commands)).rejects.toThrow('Unknown skill "comit". Did you mean commit?')
  await expect(load({ skill: 'comet' }, ...commands)).rejects.toThrow('Unknown skill "comet"')
  await expect(load({ skill: 'x' })).rejects.toThrow('No skills are available')
})

test('a skill that only the user may start is refused', async () => {
  await expect(load({ skill: 'deploy' }, skill('deploy', '', { isUserInvocableOnly: true }))).rejects.toThrow(
    'Only the user can start the skill deploy, with /deploy',
  )
})

test('a skill that cannot be read is reported with the reason', async () => {
  const brokenSkill = skill('pdf', '', { read: () => Promise.reject(new Error('it is gone.')) })

  await expect(load({ skill: 'pdf' }, brokenSkill)).rejects.toMatchObject({
    code: 'tool_failed',
    message: 'The skill pdf cannot be read: it is gone.',
  })
})

test.each([{}, { skill: 1 }, { skill: 'a', x: 1 }])('invalid input is refused: %j', async (input) => {
  await expect(load(input)).rejects.toMatchObject({ code: 'input_invalid' })
})

describe('a permission rule', () => {
  test.each([
    ['pdf', 'pdf', true],
    ['pdf', '/pdf', true],
    ['/pdf', 'pdf', true],
    ['pdf', 'pdf-form', false],
    ['pdf:*', 'pdf', true],
    ['pdf:*', 'pdf-form', false],
    ['acme:*', 'acme:deploy', true],
    ['acme:*', 'acme', true],
    ['acme:deploy', 'acme:deploy', true],
    ['acme:deploy:*', 'acme:deploy', true],
    ['deploy-*', 'deploy-prod', true],
    ['*', 'anything', true],
    ['p', 'pdf', false],
  ])('Skill(%s) matches the skill %s: %s', async (content, name, isMatch) => {
    const matches = await SkillTool.preparePermissionMatcher({ skill: name, args: 'x y' })

    expect(matches(content)).toBe(isMatch)
  })
})
