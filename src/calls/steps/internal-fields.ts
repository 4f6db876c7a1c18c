/** Fields that only the answer to a permission request may set. They are not part of the schema that the model sees. */
const INTERNAL_FIELDS: readonly string[] = ['_simulatedSedEdit']

/** The input without internal fields, or the same object if it has none. */
export function stripInternalFields(input: Record<string, unknown>): Record<string, unknown> {
  for (const field of INTERNAL_FIELDS) if (field in input) return withoutInternalFields(input)
  return input
}

function withoutInternalFields(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !INTERNAL_FIELDS.includes(name)))
}

/** The internal fields of an answer. They are added to the input after its validation. */
export function internalFieldsOf(input: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const fields = Object.entries(input).filter(([name]) => INTERNAL_FIELDS.includes(name))
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}
