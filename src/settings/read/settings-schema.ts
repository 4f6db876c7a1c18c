import * as z from 'zod'
import { formatterSchema, languageServerSchema } from '../../contract/host/edit-programs.js'
import { PERMISSION_MODES, RULE_SOURCES } from '../../contract/permission/context.js'

/** Switches that only the managed policy may throw; elsewhere they are reported and have no effect. */
export const MANAGED_SWITCHES = [
  'allowManagedRulesOnly',
  'allowManagedHooksOnly',
  'allowManagedMcpServersOnly',
  'disabledSources',
] as const

/** The keys of a settings file that are about models. */
const MODEL_SETTINGS = {
  model: () =>
    name('The model to use unless the command line names one, for example claude-sonnet-4-6 or local/qwen3.'),
  smallModel: () => name('The model for small questions beside the conversation.'),
  fallbackModel: () => name('The model that takes over where the other is overloaded.'),
  providers: () => z.record(z.string(), providerSchema()).optional().describe('Servers of models, by name.'),
  models: () =>
    z.record(z.string(), modelSchema()).optional().describe('What is known of models, by id or by provider/id.'),
  thinking: () =>
    z
      .union([z.enum(['disabled', 'adaptive']), z.int().min(1_024)])
      .optional()
      .describe('How much the model may think before it answers: disabled, adaptive, or a number of tokens.'),
  maxTurns: () => z.int().min(1).optional().describe('The most answers of the model to one prompt.'),
  autoCompact: () =>
    z
      .boolean()
      .optional()
      .describe('Whether a conversation is summed up before the window of the model is full; true unless said.'),
  cleanupPeriodDays: () =>
    z.number().min(0).optional().describe('Days after which sessions are forgotten; 30 unless said.'),
}

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

/** The `sandbox` part of a settings file. */
export function sandboxSchema() {
  return z
    .looseObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          'true: every command runs in the sandbox. false: none does. Left out: only commands that nobody was asked about, and those cannot write at all.',
        ),
      required: z
        .boolean()
        .optional()
        .describe('Every command runs in the sandbox, and where there is none it does not run.'),
      allowUnsandboxed: z
        .boolean()
        .optional()
        .describe('false: no command may leave the sandbox, not even with permission. true unless set.'),
      allowUnixSockets: z
        .boolean()
        .optional()
        .describe('true: commands reach the Unix sockets of other programs, which can let them out of the sandbox.'),
      allowWrite: paths('Folders or files that commands may write besides the working folders.'),
      denyWrite: paths('Folders or files that commands must not write, inside the working folders or not.'),
      denyRead: paths('Folders or files that commands must not see.'),
      allowedDomains: z
        .array(z.string().regex(DOMAIN, 'must be a host such as example.com or *.example.com'))
        .optional()
        .describe('Hosts that commands may reach: "example.com", or "*.example.com" for what lies below it.'),
    })
    .describe('How shell commands are held.')
}

/** A host, an address, or what lies below a host; no scheme, port or path. */
const DOMAIN = /^(?:\*|(?:\*\.)?[^\s*/:@?#[\]]+|[\da-f:]*:[\da-f:.]+)$/i

function paths(about: string) {
  const path = z
    .string()
    .regex(/^(?!\/?\*\*$)[^*?\0]+(?:\/\*\*)?$/, 'must be a path without wildcards (a folder covers what is in it)')
  return z
    .array(path)
    .optional()
    .describe(`${about} "~" is home; a relative path counts from the project, in the user file from home.`)
}

/** How a provider is reached. Whatever is left out comes from the usual environment variables of its kind. */
function providerSchema() {
  return z.looseObject({
    type: z.enum(['anthropic', 'openai']).describe('The protocol it speaks; most servers speak openai.'),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Where it is, for example http://localhost:11434/v1.'),
    apiKey: z.string().min(1).optional().describe('Better left to apiKeyEnv: files are copied and shared.'),
    apiKeyEnv: z.string().min(1).optional().describe('The environment variable that holds the key.'),
    headers: z.record(z.string(), z.string()).optional().describe('Headers of every request.'),
    api: z
      .enum(['chat', 'responses'])
      .optional()
      .describe('Of openai: which of its two interfaces; responses at OpenAI itself and chat elsewhere unless said.'),
    supportsDeferLoading: z.boolean().optional().describe('It takes defer_loading and tool_reference.'),
  })
}

/** What is known of a model; it beats the built-in table. */
function modelSchema() {
  const tokens = z.int().min(1).optional()
  const price = z.number().min(0)
  return z.looseObject({
    contextWindow: tokens.describe('Tokens that fit into its window.'),
    maxOutputTokens: tokens.describe('Tokens that it can write at once.'),
    prices: z
      .looseObject({ input: price, output: price, cacheRead: price.exactOptional(), cacheWrite: price.exactOptional() })
      .optional()
      .describe('US dollars for a million tokens.'),
    supportsDeferLoading: z.boolean().optional().describe('It takes defer_loading and tool_reference.'),
  })
}

function name(about: string) {
  return z.string().min(1).optional().describe(about)
}
