import { type McpServerEntry, readMcpEntry } from '../../../../contract/mcp/server-entry.js'
import { isRecord } from '../../../../shared/is-record.js'
import { isSecretVariable } from '../../../../shared/secret-variables.js'
import type { ClientName } from './client-files.js'

export interface ConvertOptions {
  readonly client: ClientName
  readonly home: string
  readonly projectRoot: string
  /** The environment. A secret that one of these variables holds is replaced by a reference to it. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** An entry in the form of Haft, with remarks for the user. */
export interface ConvertedEntry {
  readonly entry: McpServerEntry
  readonly remarks: readonly string[]
}

/** Converts an entry of another client. Throws if it cannot be used. */
export function convertEntry(value: unknown, options: ConvertOptions): ConvertedEntry {
  if (!isRecord(value)) throw new Error('it is not an object')
  const remarks: string[] = []
  const entry = options.client === 'codex' ? fromCodex(value, remarks) : fromJson(value, remarks)
  const translate = (text: string) => translateReferences(text, options, remarks)
  const parsedEntry = readMcpEntry(keepSecretsOut(mapTexts(entry, translate), options.variables, remarks))
  if ('issues' in parsedEntry) {
    const [issue] = parsedEntry.issues
    throw new Error(`${(issue?.path ?? []).map(String).join('.')} ${issue?.message ?? 'is invalid'}`.trim())
  }
  return { entry: parsedEntry.entry, remarks: [...new Set(remarks)] }
}

type RawEntry = Readonly<Record<string, unknown>>

/** The members that the JSON formats of all clients share. */
function fromJson(value: RawEntry, remarks: string[]): RawEntry {
  const { command, args, env, cwd, url, serverUrl, headers, type, disabled, envFile } = value
  if (envFile !== undefined) remarks.push('its envFile is not read; set the variables in the environment')
  const address = url ?? serverUrl
  if (command !== undefined) return selectDefined({ command, args, env, cwd, disabled })
  return selectDefined({ type: type === 'sse' ? 'sse' : undefined, url: address, headers, disabled })
}

function fromCodex(value: RawEntry, remarks: string[]): RawEntry {
  const { command, args, env, env_vars: passedNames, cwd, url, http_headers, env_http_headers } = value
  const { bearer_token_env_var: tokenName, startup_timeout_sec: start, tool_timeout_sec: call, enabled } = value
  const common = {
    startTimeoutMs: typeof start === 'number' ? Math.round(start * 1000) : undefined,
    timeoutMs: typeof call === 'number' ? Math.round(call * 1000) : undefined,
    disabled: enabled === false ? true : undefined,
  }
  if (value.enabled_tools !== undefined || value.disabled_tools !== undefined)
    remarks.push('its list of enabled tools is not imported; use permission rules')
  if (command !== undefined)
    return selectDefined({ command, args, env: joinVariables(env, passedNames), cwd, ...common })
  const fromVariables = isRecord(env_http_headers) ? Object.entries(env_http_headers) : []
  const headers = {
    ...(isRecord(http_headers) ? http_headers : {}),
    ...Object.fromEntries(fromVariables.map(([name, variable]) => [name, `\${${variable}}`])),
    ...(isText(tokenName) && { Authorization: `Bearer \${${tokenName}}` }),
  }
  return selectDefined({ url, headers: unlessEmpty(headers), ...common })
}

/** Combines the variables of an entry with those that are passed on from the environment. */
function joinVariables(env: unknown, passedNames: unknown): RawEntry | undefined {
  const names = Array.isArray(passedNames) ? passedNames.filter(isText) : []
  const references = Object.fromEntries(names.map((name) => [name, `\${${name}}`]))
  return unlessEmpty({ ...references, ...(isRecord(env) ? env : {}) })
}

function unlessEmpty(record: RawEntry): RawEntry | undefined {
  return Object.keys(record).length === 0 ? undefined : record
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function selectDefined(record: RawEntry): RawEntry {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]))
}

/** Translates `${env:NAME}`, `${input:ID}` and the folders of VS Code and Cursor. */
function translateReferences(text: string, { home, projectRoot }: ConvertOptions, remarks: string[]): string {
  return text
    .replace(/\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, '$${$1}')
    .replace(/\$\{userHome\}/g, () => home)
    .replace(/\$\{workspaceFolder\}/g, () => projectRoot)
    .replace(/\$\{(?:pathSeparator|\/)\}/g, '/')
    .replace(/\$\{input:([^}]+)\}/g, (_, id: string) => {
      const name = toVariableName(id)
      remarks.push(`set the variable ${name}, which the other client asks for`)
      return `\${${name}}`
    })
}

function toVariableName(id: string): string {
  return id
    .toUpperCase()
    .replace(/[^A-Z0-9_]/g, '_')
    .replace(/^(?=\d)/, '_')
}

/** Replaces secrets by references to variables of the environment that hold them. Others are copied, with a remark. */
function keepSecretsOut(entry: unknown, variables: ConvertOptions['variables'], remarks: string[]): unknown {
  if (!isRecord(entry)) return entry
  const replaceIn = (record: unknown): unknown => {
    if (!isRecord(record)) return record
    return Object.fromEntries(
      Object.entries(record).map(([name, value]) => [name, keepSecretOut(name, value, variables, remarks)]),
    )
  }
  return {
    ...entry,
    ...(entry.env !== undefined && { env: replaceIn(entry.env) }),
    ...(entry.headers !== undefined && { headers: replaceIn(entry.headers) }),
  }
}

function isSecret(name: string, value: string): boolean {
  return name.toLowerCase() === 'authorization' || isSecretVariable(name.replaceAll('-', '_'), value)
}

function keepSecretOut(
  name: string,
  value: unknown,
  variables: ConvertOptions['variables'],
  remarks: string[],
): unknown {
  if (typeof value !== 'string' || /\$\{/.test(value) || !isSecret(name, value)) return value
  const secret = value.replace(/^Bearer /, '')
  const variable = Object.keys(variables).find((key) => variables[key] === secret && secret !== '')
  if (variable !== undefined) return value.replace(secret, () => `\${${variable}}`)
  remarks.push(`the value of ${name} is copied; better put it into a variable and write \${VARIABLE}`)
  return value
}
