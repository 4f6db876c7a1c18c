import { isRecord } from '../shared/is-record.js'

const PLACEHOLDER = /\$\{([A-Za-z0-9_.-]+)\}/g
const ONLY_PLACEHOLDER = /^\$\{([A-Za-z0-9_.-]+)\}$/

/** Puts fields of the payload in place of `${tool_input.file_path}`; a text that is nothing else takes the value as it is. */
export function fillTemplate(template: unknown, payload: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') return fillText(template, payload)
  if (Array.isArray(template)) return template.map((each) => fillTemplate(each, payload))
  if (!isRecord(template)) return template
  return Object.fromEntries(Object.entries(template).map(([name, each]) => [name, fillTemplate(each, payload)]))
}

function fillText(text: string, payload: Readonly<Record<string, unknown>>): unknown {
  const only = ONLY_PLACEHOLDER.exec(text)?.[1]
  if (only !== undefined) return valueAt(payload, only) ?? ''
  return text.replace(PLACEHOLDER, (_, path: string) => {
    const value = valueAt(payload, path) ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

function valueAt(payload: unknown, path: string): unknown {
  let value = payload
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
