import * as z from 'zod'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import { type ConfigPort, type SettingChange, SettingError } from '../../contract/ports/settings.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { shortenText } from '../../shared/cut-text.js'
import { withoutReminderTags } from '../../shared/reminder-tags.js'
import { prompt } from './prompt.js'

const MAX_VALUE_CHARS = 200
const MAX_SHOWN_CHARS = 10_000

const valueSchema = () => z.union([z.string().max(MAX_VALUE_CHARS), z.number(), z.boolean(), z.null()])

/** Each setting that can be changed is in `CHANGEABLE_SETTINGS`. */
export const ConfigTool = buildTool({
  name: 'Config',
  searchHint: 'read or change settings of Haft',
  needs: ['config', 'settings'],
  shouldDefer: true,
  description: 'Reads or changes a setting',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      setting: z.string().trim().min(1).max(100).describe('The name of the setting, such as theme'),
      value: valueSchema().optional().describe('The new value; null for the default. Omit it to read the setting'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      setting: z.string(),
      value: z.unknown(),
      sources: z.array(z.string()),
      description: z.string(),
      change: z
        .object({
          before: z.unknown(),
          file: z.string(),
          appliesAtOnce: z.boolean(),
          overriddenBy: z.string().optional(),
        })
        .optional(),
    }),
  ),

  isReadOnly: ({ value }) => value === undefined,
  isConcurrencySafe: ({ value }) => value === undefined,
  resources: ({ value }) => (value === undefined ? { reads: [SETTINGS] } : { writes: [SETTINGS] }),
  async validateInput({ setting, value }, { config }) {
    try {
      if (value === undefined) await config.read(setting)
      else await config.preview(setting, value)
      return { result: true }
    } catch (error) {
      if (error instanceof SettingError) return { result: false, errorCode: 1, message: error.message }
      throw error
    }
  },
  // This tool asks the user itself, because no rule, hook or mode may answer: settings belong to the user.
  async checkPermissions(input, { config, settings }) {
    const { setting, value } = input
    if (value === undefined) return { behavior: 'allow', updatedInput: input }
    if (settings.toolPermissionContext.mode === 'plan')
      return { behavior: 'deny', message: 'In plan mode, settings can only be read. Finish the plan first.' }
    return { behavior: 'ask', message: describeQuestion(await config.preview(setting, value)) }
  },
  toAutoClassifierInput: ({ setting }) => setting,

  async call({ setting, value }, { config }) {
    const change = value === undefined ? undefined : await changeSetting(config, setting, value)
    const current = await config.read(setting)
    return {
      data: {
        ...{ setting, value: current.value, sources: [...current.sources], description: current.description },
        ...(change !== undefined && { change }),
      },
    }
  },

  mapToolResultToToolResultBlockParam({ setting, value, sources, description, change }, toolUseId) {
    const current = `${setting}: ${formatSettingValue(value)} (${sources.length === 0 ? 'not set' : `from ${sources.join(', ')}`})`
    const text =
      change === undefined
        ? `${current}\n${description}`
        : `Saved in ${change.file}. ${describeEffect(change)}\n${current}`
    // A project's settings are written by others.
    return textResult(toolUseId, withoutReminderTags(text))
  },

  getActivityDescription: (input) =>
    input?.value === undefined ? 'Reading a setting' : `Changing the setting ${input.setting ?? ''}`,
  getToolUseSummary: (input) => (typeof input?.setting === 'string' ? input.setting : null),
  renderToolUseMessage: ({ setting, value }) => {
    if (typeof setting !== 'string') return ''
    return value === undefined ? setting : `${setting} = ${formatSettingValue(value ?? undefined)}`
  },
  renderToolResultMessage: ({ setting, value, change }) =>
    change === undefined
      ? `${setting}: ${formatSettingValue(value)}`
      : `${setting}: ${formatSettingValue(change.before)} → ${formatSettingValue(value)}, saved in ${change.file}`,
  extractSearchText: ({ setting }) => setting,
})

const SETTINGS = { thing: 'settings' }

async function changeSetting(config: ConfigPort, setting: string, value: unknown) {
  try {
    const { before, file, appliesAtOnce, overriddenBy } = await config.change(setting, value)
    return { before, file, appliesAtOnce, ...(overriddenBy !== undefined && { overriddenBy }) }
  } catch (error) {
    if (error instanceof SettingError) throw new ToolCallError('tool_failed', error.message, { cause: error })
    throw error
  }
}

function describeQuestion(change: SettingChange): string {
  const { name, before, newValue, file } = change
  return `Change the setting ${name} from ${formatSettingValue(before)} to ${formatSettingValue(newValue)}? It is saved in ${file}. ${describeEffect(change)}`
}

function describeEffect({
  appliesAtOnce,
  overriddenBy,
}: {
  readonly appliesAtOnce: boolean
  readonly overriddenBy?: string | undefined
}): string {
  if (overriddenBy !== undefined) return `It has no effect here, because ${overriddenBy} takes precedence.`
  return appliesAtOnce ? 'It takes effect at once.' : 'It takes effect at the next start.'
}

function formatSettingValue(value: unknown): string {
  return value === undefined ? 'the default' : shortenText(JSON.stringify(value), MAX_SHOWN_CHARS)
}
