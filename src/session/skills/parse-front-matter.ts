const OPENING_LINE = /^\uFEFF?---[ \t]*\r?\n/
const CLOSING_LINE = /^---[ \t]*(?:\r?\n|$)/m

/** Finds the front matter of a text. `none`: there is none; `open`: the closing line is missing. */
export function findFrontMatter(text: string): { readonly yaml: string; readonly bodyStart: number } | 'none' | 'open' {
  const openingLine = OPENING_LINE.exec(text)
  if (openingLine === null) return 'none'
  const start = openingLine[0].length
  const closingLine = CLOSING_LINE.exec(text.slice(start))
  if (closingLine === null) return 'open'
  return {
    yaml: text.slice(start, start + closingLine.index),
    bodyStart: start + closingLine.index + closingLine[0].length,
  }
}

/** Parses the fields. The error message is one line. */
export async function readFields(yaml: string): Promise<Readonly<Record<string, unknown>>> {
  return readPlainFields(yaml) ?? (await readYaml(yaml))
}

/** Fast path for one `key: plain text` per line. Returns undefined for anything that needs a YAML parser. */
export function readPlainFields(yaml: string): Readonly<Record<string, unknown>> | undefined {
  const fields: Record<string, unknown> = Object.create(null)
  for (const line of yaml.split(/\r?\n/)) {
    if (line.trim() === '') continue
    const [, key, value] = splitPlainLine(line) ?? []
    if (key === undefined || value === undefined || key in fields || NON_STRING_SCALAR.test(value)) return undefined
    fields[key] = value === 'true' || value === 'false' ? value === 'true' : value
  }
  return fields
}

/** Finds a key, and a value that begins with a letter and contains no YAML syntax. */
function splitPlainLine(line: string): RegExpExecArray | null {
  // Not a constant, because V8 builds the character classes when it creates the pattern, which would slow down every
  // start.
  return /^([A-Za-z][\w-]*): +([A-Za-z](?:[^\s:#\p{C}]|[:#](?=[^\s\p{C}])| (?=[^\s#\p{C}]))*) *$/u.exec(line)
}

/** Words that some versions of YAML do not parse as strings, so they are left to the YAML parser. */
const NON_STRING_SCALAR = /^(?:null|yes|no|on|off|y|n|True|TRUE|False|FALSE|Null|NULL)$/i
const BOOLEAN = /^(?:true|false)$/

async function readYaml(yaml: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse } = await import('yaml')
  try {
    const value: unknown = parse(yaml, { logLevel: 'error', maxAliasCount: 20 })
    if (value === null) return {}
    if (typeof value === 'object' && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>
  } catch (error) {
    const fields = readLines(yaml)
    if (typeof fields.description === 'string') return fields
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n')
    throw new Error(reason)
  }
  throw new Error('it has no fields')
}

/** Parses each line separately: a fallback for values with an unquoted colon, which is invalid YAML but common. */
function readLines(yaml: string): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null)
  for (const line of yaml.split(/\r?\n/)) {
    const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) fields[key] = BOOLEAN.test(value) ? value === 'true' : value.trim()
  }
  return fields
}
