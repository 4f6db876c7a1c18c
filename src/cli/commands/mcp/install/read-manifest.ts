import { delimiter, sep } from 'node:path'
import * as z from 'zod'
import { type McpServerEntry, readMcpEntry } from '../../../../contract/mcp/server-entry.js'

/** The manifest of a bundle (`.mcpb`, formerly `.dxt`), as far as it is used. */
export type BundleManifest = z.output<ReturnType<typeof createManifestSchema>>

/** Parses a manifest. Throws if it is invalid. */
export function readManifest(text: string): BundleManifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error('its manifest.json is not JSON', { cause: error })
  }
  const parsed = createManifestSchema().safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Error(`its manifest.json is invalid: ${issue?.path.join('.')}: ${issue?.message}`)
}

function createManifestSchema() {
  const text = z.string().max(10_000)
  const config = z.looseObject({
    command: text.min(1).optional(),
    args: z.array(text).optional(),
    env: z.record(z.string(), text).optional(),
  })
  return z.looseObject({
    // The name becomes the name of a folder.
    name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must consist of up to 64 letters, digits, ., _ and -'),
    version: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$/, 'is not a version'),
    display_name: text.optional(),
    description: text.optional(),
    server: z.looseObject({
      type: z.enum(['node', 'python', 'binary', 'uv']),
      entry_point: text.min(1).optional(),
      mcp_config: config.extend({ platform_overrides: z.record(z.string(), config).optional() }).optional(),
    }),
    user_config: z.record(z.string(), createOptionSchema(text)).optional(),
    compatibility: z.looseObject({ platforms: z.array(z.string()).optional() }).optional(),
  })
}

function createOptionSchema(text: z.ZodString) {
  const value = z.union([text, z.number(), z.boolean()])
  return z.looseObject({
    type: z.enum(['string', 'number', 'boolean', 'directory', 'file']).optional(),
    title: text.optional(),
    description: text.optional(),
    required: z.boolean().optional(),
    sensitive: z.boolean().optional(),
    multiple: z.boolean().optional(),
    default: z.union([value, z.array(value)]).optional(),
  })
}

export interface ManifestTarget {
  /** The folder that the bundle is extracted to. */
  readonly folder: string
  readonly home: string
  readonly platform: string
  /** The values that the user set, by key. */
  readonly settings: ReadonlyMap<string, readonly string[]>
}

export interface BundleEntry {
  readonly entry: McpServerEntry
  /** The variables that the user must set, because they hold secrets. */
  readonly neededVariables: readonly string[]
}

/** Creates the entry that starts the server of a bundle. Secrets become references to variables. Throws if a value is missing. */
export function createBundleEntry(manifest: BundleManifest, target: ManifestTarget): BundleEntry {
  const { compatibility, server } = manifest
  const platforms = compatibility?.platforms
  if (platforms !== undefined && !platforms.includes(target.platform))
    throw new Error(`it is for ${platforms.join(', ')} only`)
  const { values, neededVariables } = collectValues(manifest, target)
  const base = server.mcp_config ?? getDefaultCommand(server)
  const override = server.mcp_config?.platform_overrides?.[target.platform] ?? {}
  const config = { ...base, ...override, env: { ...base.env, ...override.env } }
  const expand = (text: string) => expandText(text, values, target)
  const env = Object.entries(config.env).map(([name, text]) => [name, expand(text)] as const)
  const parsedEntry = readMcpEntry({
    command: expand(config.command ?? ''),
    args: (config.args ?? []).flatMap((text) => expandArgument(text, values, target)),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
  })
  if ('issues' in parsedEntry) throw new Error(`its server has no usable command: ${parsedEntry.issues[0]?.message}`)
  return { entry: parsedEntry.entry, neededVariables }
}

function getDefaultCommand({ type, entry_point: entryPoint }: BundleManifest['server']) {
  if (entryPoint === undefined) throw new Error('its manifest.json names no command')
  const path = `\${__dirname}/${entryPoint}`
  const env: Record<string, string> = {}
  switch (type) {
    case 'node':
      return { command: 'node', args: [path], env }
    case 'python':
      return { command: 'python3', args: [path], env }
    case 'uv':
      return { command: 'uv', args: ['run', '--directory', `\${__dirname}`, entryPoint], env }
    case 'binary':
      return { command: path, args: [], env }
  }
}

type Values = ReadonlyMap<string, readonly string[]>

function collectValues(
  { name, user_config: options = {} }: BundleManifest,
  { settings }: ManifestTarget,
): { readonly values: Values; readonly neededVariables: readonly string[] } {
  const unknownKey = [...settings.keys()].find((key) => !Object.hasOwn(options, key))
  if (unknownKey !== undefined)
    throw new Error(`it has no option ${unknownKey}. Its options: ${Object.keys(options).join(', ') || 'none'}`)
  const values = new Map<string, readonly string[]>()
  const neededVariables: string[] = []
  const missingKeys: string[] = []
  for (const [key, option] of Object.entries(options)) {
    const { value, neededVariable } = chooseValue(option, settings.get(key), toVariableName(name, key))
    if (value === undefined) missingKeys.push(key)
    else values.set(key, value)
    if (neededVariable !== undefined) neededVariables.push(neededVariable)
  }
  if (missingKeys.length > 0)
    throw new Error(`it needs values: ${missingKeys.map((key) => `--set ${key}=VALUE`).join(' ')}`)
  return { values, neededVariables }
}

type Option = NonNullable<BundleManifest['user_config']>[string]

/** Returns the value of an option; undefined if the user must give one. A secret that is not given is read from a variable. */
function chooseValue(
  { sensitive, required = false, default: fallback }: Option,
  given: readonly string[] | undefined,
  variable: string,
): { readonly value?: readonly string[]; readonly neededVariable?: string } {
  if (given !== undefined) return { value: given }
  if (fallback !== undefined) return { value: [fallback].flat().map(String) }
  if (sensitive !== true) return required ? {} : { value: [] }
  return required ? { value: [`\${${variable}}`], neededVariable: variable } : { value: [`\${${variable}:-}`] }
}

function toVariableName(name: string, key: string): string {
  return `${name}_${key}`
    .toUpperCase()
    .replace(/[^A-Z0-9_]/g, '_')
    .replace(/^(?=\d)/, '_')
}

/** Expands an argument. One that is exactly an option with several values becomes several arguments. */
function expandArgument(text: string, values: Values, target: ManifestTarget): readonly string[] {
  const key = /^\$\{user_config\.([^}]+)\}$/.exec(text)?.[1]
  const given = key === undefined ? undefined : values.get(key)
  if (given === undefined) return [expandText(text, values, target)]
  return given.map((value) => expandText(value, new Map(), target))
}

function expandText(text: string, values: Values, { folder, home }: ManifestTarget): string {
  return text.replace(
    /\$\{(__dirname|HOME|pathSeparator|\/|DESKTOP|DOCUMENTS|DOWNLOADS|user_config\.[^}]+)\}/g,
    (_, name) => {
      switch (name) {
        case '__dirname':
          return folder
        case 'HOME':
          return home
        case 'pathSeparator':
        case '/':
          return sep
        case 'DESKTOP':
        case 'DOCUMENTS':
        case 'DOWNLOADS':
          return `${home}${sep}${name.charAt(0)}${name.slice(1).toLowerCase()}`
        default:
          return (values.get(name.slice('user_config.'.length)) ?? []).join(delimiter)
      }
    },
  )
}
