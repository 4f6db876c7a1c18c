import * as z from 'zod'
import { formatterSchema, languageServerSchema } from '../contract/edit-programs.js'
import { PERMISSION_MODES, RULE_SOURCES } from '../contract/permission-context.js'
import { MODEL_SETTINGS } from './model-schema.js'
import { sandboxSchema } from './sandbox-schema.js'

/** Switches that only the managed policy may throw; elsewhere they are reported and have no effect. */
export const MANAGED_SWITCHES = [
  'allowManagedRulesOnly',
  'allowManagedHooksOnly',
  'allowManagedMcpServersOnly',
  'disabledSources',
] as const

/** The keys of a settings file. Few files have many of them, so that each is described only when it is met. */
const PARTS = {
  $schema: () => z.string().optional().describe('Where this schema lies, for editors.'),
  permissions: () => permissions().optional(),
  sandbox: () => sandboxSchema().optional(),
  hooks: () => hooks().optional(),
  env: () => environment().optional(),
  mcpServers: () => records('MCP servers by name.').optional(),
  ...MODEL_SETTINGS,
  formatters: () =>
    z.record(z.string(), formatterSchema()).optional().describe('Programs that format a file after an edit, by name.'),
  languageServers: () => z.record(z.string(), languageServerSchema()).optional().describe('Language servers, by name.'),
  allowManagedRulesOnly: () => managed('Allow rules and extra directories of every other source are ignored.'),
  allowManagedHooksOnly: () => managed('Hooks of every other source are ignored.'),
  allowManagedMcpServersOnly: () => managed('MCP servers of every other source are ignored.'),
  disabledSources: () =>
    z
      .array(z.enum(RULE_SOURCES).exclude(['policy']))
      .optional()
      .describe('Managed policy only. Of these sources only deny and ask rules are taken.'),
}

type Parts = { [Key in keyof typeof PARTS]: ReturnType<(typeof PARTS)[Key]> }
type SettingsSchema = z.ZodObject<Parts, z.core.$loose>

/** What a settings file holds. Unknown keys are kept. */
export type Settings = z.output<SettingsSchema>

export const SETTINGS_KEYS = Object.keys(PARTS) as readonly (keyof Parts)[]

const made: Partial<Parts> = {}

/** What one key may hold. */
export function settingSchema<Key extends keyof Parts>(key: Key): Parts[Key] {
  const schema = (made[key] ?? PARTS[key]()) as Parts[Key]
  made[key] = schema
  return schema
}

/** The schema of settings, as far as it is about these keys. */
export function settingsSchema(keys: readonly string[] = SETTINGS_KEYS): SettingsSchema {
  const known = SETTINGS_KEYS.filter((key) => keys.includes(key))
  const shape = Object.fromEntries(known.map((key) => [key, settingSchema(key)])) as Parts
  return z.looseObject(shape).meta({
    title: 'Haft settings',
    description: 'For .haft/settings.json, its local and user files and managed policy.',
  })
}

function permissions() {
  return z
    .looseObject({
      allow: rules('Rules for calls that need no question, for example "Bash(npm run test:*)" or "Read(src/**)".'),
      deny: rules('Rules for calls that never run. They are judged first, and no other rule beats them.'),
      ask: rules('Rules for calls that are always asked about, in any mode.'),
      defaultMode: z.enum(PERMISSION_MODES).optional().describe('The permission mode that a session starts in.'),
      additionalDirectories: z
        .array(z.string().min(1))
        .optional()
        .describe(
          'More working directories. "~" is home; a relative path counts from the project, in the user file from home.',
        ),
      disableModes: z.array(z.enum(PERMISSION_MODES)).optional().describe('Modes that must not be entered.'),
      autoClassifier: z
        .enum(['local', 'model'])
        .optional()
        .describe(
          'Who answers in auto mode: local rules, as unless set, or the small model. A project has no say in it.',
        ),
    })
    .describe('What may run without a question, what is asked about and what never runs.')
}

function rules(about: string) {
  return z.array(z.string()).optional().describe(about)
}

/** Entries are judged by the part that runs them, which alone knows their kinds; the meta serves editors. */
function hooks() {
  const text = { type: 'string' }
  const hook = { type: 'object', properties: { type: text, timeout: { type: 'number' } }, required: ['type'] }
  const entry = {
    type: 'object',
    properties: { matcher: text, if: text, hooks: { type: 'array', items: hook } },
    required: ['hooks'],
  }
  return z.record(z.string(), z.unknown()).meta({
    description: 'What to run around events, by the name of the event.',
    additionalProperties: { type: 'array', items: entry },
  })
}

function environment() {
  const value = z.union([z.string().regex(/^[^\0]*$/), z.number(), z.boolean()])
  return z.record(z.string().regex(/^[^=\0]+$/), value).describe('Environment variables of commands that Haft starts.')
}

function records(about: string) {
  return z.record(z.string(), z.unknown()).describe(about)
}

function managed(about: string) {
  return z.boolean().optional().describe(`Managed policy only. ${about}`)
}
