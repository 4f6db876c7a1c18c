const OPENING = /^\uFEFF?---[ \t]*\r?\n/
const CLOSING = /^---[ \t]*(?:\r?\n|$)/m

/** Where the front matter of a text stands: `none` where it has none, `open` where it has no end. */
export function findFrontMatter(text: string): { readonly yaml: string; readonly bodyStart: number } | 'none' | 'open' {
  const opening = OPENING.exec(text)
  if (opening === null) return 'none'
  const start = opening[0].length
  const closing = CLOSING.exec(text.slice(start))
  if (closing === null) return 'open'
  return { yaml: text.slice(start, start + closing.index), bodyStart: start + closing.index + closing[0].length }
}

/** Reads the fields. Throws with one line where they cannot be read. */
export async function readFields(yaml: string): Promise<Readonly<Record<string, unknown>>> {
  return readPlainFields(yaml) ?? (await readYaml(yaml))
}

/** What most files have: a key and one plain text on each line. Undefined for anything else, which needs all of YAML. */
export function readPlainFields(yaml: string): Readonly<Record<string, unknown>> | undefined {
  const fields: Record<string, unknown> = Object.create(null)
  for (const line of yaml.split(/\r?\n/)) {
    if (line.trim() === '') continue
    const [, key, value] = PLAIN_LINE.exec(line) ?? []
    if (key === undefined || value === undefined || key in fields || OTHER_THAN_TEXT.test(value)) return undefined
    fields[key] = value === 'true' || value === 'false' ? value === 'true' : value
  }
  return fields
}

/** A value that begins with a letter and holds nothing that YAML gives a meaning. */
const PLAIN_LINE = /^([A-Za-z][\w-]*): +([A-Za-z](?:[^\s:#\p{C}]|[:#](?=[^\s\p{C}])| (?=[^\s#\p{C}]))*) *$/u
/** Words that YAML reads as something else than text. */
const OTHER_THAN_TEXT = /^(?:null|yes|no|on|off|y|n|True|TRUE|False|FALSE|Null|NULL)$/i
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
  throw new Error('it holds no fields')
}

/** A description with a colon in it is no YAML, yet everybody writes such: each line for itself can still be read. */
function readLines(yaml: string): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null)
  for (const line of yaml.split(/\r?\n/)) {
    const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) fields[key] = BOOLEAN.test(value) ? value === 'true' : value.trim()
  }
  return fields
}
