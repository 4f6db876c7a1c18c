import * as z from 'zod'
import { createLoadedSkill } from '../../contract/attachments.js'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { Skill, SlashCommand } from '../../contract/tool/context.js'
import { collapsible, markdown } from '../../contract/view-builders.js'
import { fillPlaceholders } from '../../shared/fill-placeholders.js'
import { didYouMean } from '../../shared/nearest-names.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import { parseCommandPattern } from '../../shell/patterns/command-pattern.js'
import { isCommandCovered } from '../../shell/patterns/match-command.js'
import { toKnownWord } from '../../shell/words/shell-word.js'
import { prompt } from './prompt.js'

export const SkillTool = buildTool({
  name: 'Skill',
  searchHint: 'load instructions of a skill',
  alwaysLoad: true,
  maxResultSizeChars: 100_000,
  loadsSkills: true,
  keepsResults: true,
  description: 'Loads a skill',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      skill: z.string().describe('The name of the skill, such as "pdf"'),
      args: z.string().optional().describe('Text for the skill'),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ skill: z.string(), folder: z.string(), instructions: z.string() })),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  validateInput({ skill }, { options: { commands } }) {
    const name = toSkillName(skill)
    const foundSkill = findSkill(name, commands)
    if (foundSkill === undefined) return { result: false, errorCode: 1, message: describeUnknownSkill(name, commands) }
    if (!foundSkill.skill.isUserInvocableOnly) return { result: true }
    const message = `Only the user can start the skill ${name}, with /${name}. Work without it.`
    return { result: false, errorCode: 2, message }
  },
  preparePermissionMatcher({ skill }) {
    const name = toSkillName(skill)
    return (content) => ruleMatchesSkill(content, name)
  },

  async call({ skill, args = '' }, { options: { commands } }) {
    const name = toSkillName(skill)
    const foundSkill = findSkill(name, commands)
    if (foundSkill === undefined) throw new ToolCallError('input_refused', describeUnknownSkill(name, commands))
    const { folder } = foundSkill.skill
    const instructions = fillPlaceholders(await readSkill(foundSkill), { args, folder })
    return {
      data: { skill: name, folder, instructions },
      newMessages: [createLoadedSkill({ name, folder, instructions })],
    }
  },

  mapToolResultToToolResultBlockParam({ skill, folder, instructions }, toolUseId) {
    return textResult(
      toolUseId,
      `The skill ${skill} is loaded. Its folder is ${folder}; paths in its instructions are relative to it.\n\n${instructions}`,
    )
  },

  getToolUseSummary: (input) => (typeof input?.skill === 'string' ? input.skill : null),
  getActivityDescription: (input) => `Loading the skill ${typeof input?.skill === 'string' ? input.skill : ''}`.trim(),
  renderToolUseMessage: ({ skill, args }) =>
    [skill, args].filter((part) => typeof part === 'string' && part !== '').join(' '),
  renderToolResultMessage: ({ skill, instructions }) =>
    collapsible(`Loaded the skill ${skill}`, markdown(instructions)),
  isResultTruncated: ({ instructions }) => instructions !== '',
  extractSearchText: ({ instructions }) => instructions,
})

function isSkill(command: SlashCommand): command is Skill {
  return command.skill !== undefined
}

function findSkill(name: string, commands: readonly SlashCommand[]): Skill | undefined {
  return commands.filter(isSkill).find((command) => command.name === name)
}

function describeUnknownSkill(name: string, commands: readonly SlashCommand[]): string {
  const names = commands.flatMap((command) =>
    isSkill(command) && !command.skill.isUserInvocableOnly ? [command.name] : [],
  )
  const advice = names.length === 0 ? ' No skills are available. Work without one.' : didYouMean(name, names)
  return `Unknown skill ${quote(name)}.${advice}`
}

async function readSkill({ name, skill }: Skill): Promise<string> {
  try {
    return await skill.read()
  } catch (cause) {
    throw new ToolCallError('tool_failed', `The skill ${name} cannot be read: ${reasonOf(cause)}`, { cause })
  }
}

/** Removes a leading slash, which users type and models copy. */
function toSkillName(text: string): string {
  return text.trim().replace(/^\//, '')
}

/** Whether the content of a rule matches a skill. `name:*` also matches `name:other`; any other `*` is a wildcard. */
function ruleMatchesSkill(content: string, name: string): boolean {
  const pattern = parseCommandPattern(toSkillName(content))
  // In `plugin:skill`, the colon separates words like a space in a command.
  return [[name], name.split(':')].some((words) => isCommandCovered(pattern, { words: words.map(toKnownWord) }))
}
