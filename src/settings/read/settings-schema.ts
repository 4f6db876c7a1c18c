import * as z from 'zod'
import { createFormatterSchema, createLanguageServerSchema } from '../../contract/host/edit-programs.js'
import { PERMISSION_MODES, RULE_SOURCES } from '../../contract/permission/context.js'
import { WEB_SEARCH_PROVIDERS } from '../../contract/ports/web-search.js'
import { MAX_TIMER_MS } from '../../shared/waiting.js'

/** Switches that only the managed policy can set. Elsewhere they are reported and have no effect. */
export const MANAGED_SWITCHES = [
  'allowManagedRulesOnly',
  'allowManagedHooksOnly',
  'allowManagedMcpServersOnly',
  'disabledSources',
] as const

const MODEL_SETTINGS = {
  model: () =>
    createNameSchema(
      'The model to use, for example claude-sonnet-4-6 or local/qwen3. The command line takes precedence.',
    ),
  smallModel: () => createNameSchema('The model for small requests outside the conversation.'),
  fallbackModel: () => createNameSchema('The model to use when the main model is overloaded.'),
  providers: () => z.record(z.string(), createProviderSchema()).optional().describe('Model providers, by name.'),
  models: () =>
    z.record(z.string(), createModelSchema()).optional().describe('Facts about models, by id or provider/id.'),
  thinking: () =>
    z
      .union([z.enum(['disabled', 'adaptive']), z.int().min(1_024)])
      .optional()
      .describe('Thinking before the answer: disabled, adaptive, or a number of tokens.'),
  maxTurns: () => z.int().min(1).optional().describe('Maximum number of model turns for one prompt.'),
  autoCompact: () =>
    z
      .boolean()
      .optional()
      .describe('Whether to summarise a conversation before the context window is full. Default: true.'),
  cleanupPeriodDays: () => z.number().min(0).optional().describe('Days after which sessions are deleted. Default: 30.'),
}

const TERMINAL_SETTINGS = {
  theme: () =>
    z
      .enum(['dark', 'light', 'colour-blind', 'high-contrast', '16-colours', 'none'])
      .optional()
      .describe('The colour theme of the terminal. Default: dark or light, depending on the background.'),
  editorMode: () =>
    z.enum(['normal', 'vim']).optional().describe('The keys of the prompt editor in the terminal. Default: normal.'),
  screenReader: () =>
    z.boolean().optional().describe('true: flat output for screen readers in the terminal. Default: false.'),
  idleNotificationMs: () =>
    z
      .int()
      .min(1)
      .max(MAX_TIMER_MS)
      .optional()
      .describe('Idle time in milliseconds after which the terminal notifies you that it is waiting. Default: 60000.'),
  notifications: () =>
    z
      .boolean()
      .optional()
      .describe(
        'Whether the terminal notifies you when it is waiting or has finished while it is not in focus. Default: true.',
      ),
}

/** The keys of a settings file. Each schema is created when its key first occurs, because most files have few keys. */
const KEY_SCHEMAS = {
  $schema: () => z.string().optional().describe('The URL of this schema, for editors.'),
  permissions: () => createPermissionsSchema().optional(),
  sandbox: () => createSandboxSchema().optional(),
  web: () => createWebSchema().optional(),
  push: () => createPushSchema().optional(),
  workers: () => createWorkersSchema().optional(),
  hooks: () => createHooksSchema().optional(),
  env: () => createEnvironmentSchema().optional(),
  passVariables: () =>
    z
      .array(z.string().min(1))
      .optional()
      .describe(
        'Environment variables that commands and hooks inherit although they look like keys, tokens or passwords, for example "GH_TOKEN" or "AWS_*".',
      ),
  maskSecrets: () =>
    z
      .boolean()
      .optional()
      .describe(
        'true: values of environment variables that look like keys, tokens or passwords are masked in the results of calls and in transcripts. Default: false.',
      ),
  fsync: () =>
    z
      .boolean()
      .optional()
      .describe(
        'true: transcripts and checkpoints are flushed to the disk before work continues, so that they survive a power failure. Default: false.',
      ),
  mcpServers: () => createRecordsSchema('MCP servers by name.').optional(),
  ...MODEL_SETTINGS,
  ...TERMINAL_SETTINGS,
  formatters: () =>
    z
      .record(z.string(), createFormatterSchema())
      .optional()
      .describe('Programs that format a file after an edit, by name.'),
  languageServers: () =>
    z.record(z.string(), createLanguageServerSchema()).optional().describe('Language servers, by name.'),
  allowManagedRulesOnly: () =>
    createManagedSwitchSchema('Allow rules and additional directories of all other sources are ignored.'),
  allowManagedHooksOnly: () => createManagedSwitchSchema('Hooks of all other sources are ignored.'),
  allowManagedMcpServersOnly: () => createManagedSwitchSchema('MCP servers of all other sources are ignored.'),
  disabledSources: () =>
    z
      .array(z.enum(RULE_SOURCES).exclude(['policy']))
      .optional()
      .describe('Managed policy only. Only deny and ask rules of these sources are used.'),
}

type KeySchemas = { [Key in keyof typeof KEY_SCHEMAS]: ReturnType<(typeof KEY_SCHEMAS)[Key]> }
type SettingsSchema = z.ZodObject<KeySchemas, z.core.$loose>

/** The content of a settings file. Unknown keys are kept. */
export type Settings = z.output<SettingsSchema>

export const SETTINGS_KEYS = Object.keys(KEY_SCHEMAS) as readonly (keyof KeySchemas)[]

const createdSchemas: Partial<KeySchemas> = {}

/** Returns the schema of one key, created on first use and cached. */
export function getKeySchema<Key extends keyof KeySchemas>(key: Key): KeySchemas[Key] {
  const schema = (createdSchemas[key] ?? KEY_SCHEMAS[key]()) as KeySchemas[Key]
  createdSchemas[key] = schema
  return schema
}

/** Creates a schema that validates only these keys. All others are accepted, like unknown ones. */
export function createSettingsSchema(keys: readonly string[] = SETTINGS_KEYS): SettingsSchema {
  const knownKeys = SETTINGS_KEYS.filter((key) => keys.includes(key))
  const shape = Object.fromEntries(knownKeys.map((key) => [key, getKeySchema(key)])) as KeySchemas
  return z.looseObject(shape).meta({
    title: 'Haft settings',
    description: 'For .haft/settings.json of a project or the user, .haft/settings.local.json and the managed policy.',
  })
}

function createPermissionsSchema() {
  return z
    .looseObject({
      allow: createRulesSchema(
        'Rules for calls that run without asking, for example "Bash(npm run test:*)" or "Read(src/**)".',
      ),
      deny: createRulesSchema(
        'Rules for calls that never run. They are checked first and take precedence over all other rules.',
      ),
      ask: createRulesSchema('Rules for calls that always need confirmation, in every mode.'),
      defaultMode: z.enum(PERMISSION_MODES).optional().describe('The permission mode at the start of a session.'),
      additionalDirectories: z
        .array(z.string().min(1))
        .optional()
        .describe(
          'Additional working directories. "~" is home. Relative paths are resolved against the project, in the user file against home.',
        ),
      trustedMcpServers: z
        .array(z.string().min(1))
        .optional()
        .describe(
          'MCP servers whose tools may run in plan mode if the server declares them as read-only. Other rules apply as usual. Ignored in project files.',
        ),
      disableModes: z.array(z.enum(PERMISSION_MODES)).optional().describe('Permission modes that are forbidden.'),
      autoClassifier: z
        .enum(['local', 'model'])
        .optional()
        .describe('The classifier of auto mode: local rules (default) or the small model. Ignored in project files.'),
    })
    .describe('Which calls run without asking, which need confirmation and which never run.')
}

function createRulesSchema(description: string) {
  return z.array(z.string()).optional().describe(description)
}

/** Creates the schema of hooks. The entries are validated when the hooks are loaded, not here. The metadata is for editors. */
function createHooksSchema() {
  const text = { type: 'string' }
  const hook = { type: 'object', properties: { type: text, timeout: { type: 'number' } }, required: ['type'] }
  const entry = {
    type: 'object',
    properties: { matcher: text, if: text, hooks: { type: 'array', items: hook } },
    required: ['hooks'],
  }
  return z.record(z.string(), z.unknown()).meta({
    description: 'Hooks to run on events, by event name.',
    additionalProperties: { type: 'array', items: entry },
  })
}

function createEnvironmentSchema() {
  const value = z.union([z.string().regex(/^[^\0]*$/), z.number(), z.boolean()])
  return z.record(z.string().regex(/^[^=\0]+$/), value).describe('Environment variables for commands that Haft starts.')
}

function createRecordsSchema(description: string) {
  return z.record(z.string(), z.unknown()).describe(description)
}

function createManagedSwitchSchema(description: string) {
  return z.boolean().optional().describe(`Managed policy only. ${description}`)
}

function createSandboxSchema() {
  return z
    .looseObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          'true: all commands run in the sandbox. false: none do. Not set: only commands that run without asking do, and they cannot write.',
        ),
      required: z
        .boolean()
        .optional()
        .describe('All commands run in the sandbox; if there is no sandbox, they do not run.'),
      allowUnsandboxed: z
        .boolean()
        .optional()
        .describe('false: no command may run outside the sandbox, not even with permission. Default: true.'),
      allowUnixSockets: z
        .boolean()
        .optional()
        .describe(
          'true: commands can connect to Unix sockets of other programs. This can allow them to escape the sandbox.',
        ),
      allowWrite: createPathsSchema(
        'Folders or files that commands may write, in addition to the working directories.',
      ),
      denyWrite: createPathsSchema(
        'Folders or files that commands must not write, inside or outside the working directories.',
      ),
      allowRead: createPathsSchema(
        'Folders or files that commands that run without a question may read, in addition to the working directories.',
      ),
      denyRead: createPathsSchema('Folders or files that commands must not read.'),
      allowedDomains: createHostsSchema(
        'Hosts that commands may reach: "example.com", or "*.example.com" for its subdomains.',
      ),
    })
    .describe('The sandbox for shell commands.')
}

function createWebSchema() {
  return z
    .looseObject({
      allowPrivateHosts: createHostsSchema(
        'Hosts that WebFetch and the browser may reach although they have addresses of this machine or the local network, also without TLS: "localhost", "*.corp.example".',
      ),
      search: z
        .looseObject({
          provider: z
            .enum([...WEB_SEARCH_PROVIDERS, 'model'])
            .describe(
              'The service that WebSearch uses. model: the provider of a model, which charges for each search.',
            ),
          model: z
            .string()
            .min(1)
            .optional()
            .describe('For provider model: the model that searches. Default: the model of your settings.'),
          url: z
            .url({ protocol: /^https?$/ })
            .optional()
            .describe('The URL of the service. Required for searxng; its JSON format must be enabled.'),
          apiKeyEnv: z.string().min(1).optional().describe('The environment variable that contains the key.'),
        })
        .optional()
        .describe('The service that searches the web. Without it, WebSearch is not offered. Ignored in project files.'),
      browser: z
        .looseObject({
          executable: z
            .string()
            .min(1)
            .optional()
            .describe('The browser to run: Chromium, Chrome or Edge. "~" is home.'),
          profile: z
            .string()
            .min(1)
            .optional()
            .describe(
              'A folder that keeps cookies and logins between sessions. "~" is home. Default: nothing is kept.',
            ),
          sandbox: z
            .boolean()
            .optional()
            .describe("Whether to use Chromium's own sandbox. Default: true, except as root, where it does not work."),
        })
        .optional()
        .describe('How the browser of the agent runs. Ignored in project files.'),
    })
    .describe('How tools reach the web.')
}

function createPushSchema() {
  return z
    .looseObject({
      desktop: z
        .boolean()
        .optional()
        .describe('Whether messages of the agent are also shown on the desktop. Default: true, if there is a desktop.'),
      webhook: z
        .looseObject({
          url: z
            .url({ protocol: /^https?$/ })
            .describe('The URL that receives each message as a POST request with JSON.'),
          secretEnv: z
            .string()
            .min(1)
            .optional()
            .describe('The environment variable with the secret that signs the requests.'),
        })
        .optional()
        .describe('A server that receives the messages. Ignored in project files.'),
    })
    .describe('How the agent can notify you when you are away.')
}

function createWorkersSchema() {
  const worker = z.looseObject({
    url: z.url({ protocol: /^https?$/ }).describe('Where "haft schedule run --listen" of the other machine listens.'),
    tokenEnv: z.string().min(1).describe('The environment variable with the token that the worker accepts.'),
  })
  return z
    .record(z.string().min(1), worker)
    .describe('Other machines on which the agent can start runs, by name. Ignored in project files.')
}

function createHostsSchema(description: string) {
  return z
    .array(z.string().regex(DOMAIN_PATTERN, 'must be a host such as example.com or *.example.com'))
    .optional()
    .describe(description)
}

/** A host, an IP address or a wildcard for subdomains; no scheme, port or path. */
const DOMAIN_PATTERN = /^(?:\*|(?:\*\.)?[^\s*/:@?#[\]]+|[\da-f]*:[\da-f:.]+)$/i

function createPathsSchema(description: string) {
  const path = z
    .string()
    .regex(/^(?!\/?\*\*$)[^*?\0]+(?:\/\*\*)?$/, 'must be a path without wildcards (a folder includes its contents)')
  return z
    .array(path)
    .optional()
    .describe(
      `${description} "~" is home. Relative paths are resolved against the project, in the user file against home.`,
    )
}

/**
 * Creates the schema for the connection to a provider. Missing values come from the usual environment variables of its type.
 */
function createProviderSchema() {
  return z.looseObject({
    type: z.enum(['anthropic', 'openai']).describe('The protocol of the provider; most servers use openai.'),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('The base URL, for example http://localhost:11434/v1.'),
    apiKey: z
      .string()
      .min(1)
      .optional()
      .describe('The API key. Prefer apiKeyEnv, because files are copied and shared.'),
    apiKeyEnv: z.string().min(1).optional().describe('The environment variable that contains the key.'),
    headers: z.record(z.string(), z.string()).optional().describe('Additional headers for every request.'),
    api: z
      .enum(['chat', 'responses'])
      .optional()
      .describe('For type openai: the API to use. Default: responses for OpenAI itself, chat for other servers.'),
    supportsDeferLoading: z
      .boolean()
      .optional()
      .describe('Whether the provider supports defer_loading and tool_reference.'),
  })
}

/** Creates the schema for facts about a model, which take precedence over the built-in table. */
function createModelSchema() {
  const tokens = z.int().min(1).optional()
  const price = z.number().min(0)
  return z.looseObject({
    contextWindow: tokens.describe('Size of the context window in tokens.'),
    maxOutputTokens: tokens.describe('Maximum number of output tokens in one response.'),
    prices: z
      .looseObject({
        ...{ input: price, output: price, cacheRead: price.exactOptional(), cacheWrite: price.exactOptional() },
        webSearch: price.exactOptional().describe('US dollars per thousand searches of the provider.'),
      })
      .optional()
      .describe('US dollars per million tokens.'),
    supportsDeferLoading: z
      .boolean()
      .optional()
      .describe('Whether the model supports defer_loading and tool_reference.'),
    editFormat: z
      .enum(['strings', 'patch'])
      .optional()
      .describe(
        'How the model edits files best: with Edit and MultiEdit (strings, the default) or ApplyPatch (patch).',
      ),
  })
}

function createNameSchema(description: string) {
  return z.string().min(1).optional().describe(description)
}
