/** Fields that only an answer to a permission question may set; no schema shows them to a model. */
const INTERNAL_FIELDS: readonly string[] = ['_simulatedSedEdit']

/** The input without fields that only the runtime may set; the same object where it has none. */
export function stripInternalFields(input: Record<string, unknown>): Record<string, unknown> {
  for (const field of INTERNAL_FIELDS) if (field in input) return withoutInternalFields(input)
  return input
}

function withoutInternalFields(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !INTERNAL_FIELDS.includes(name)))
}

/** The internal fields of an answer, to be laid over an input that was checked without them. */
export function internalFieldsOf(input: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const fields = Object.entries(input).filter(([name]) => INTERNAL_FIELDS.includes(name))
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}
